// The element of a solid: a shape times a material, each in a header that SHAPE_HEADER and MATERIAL_HEADER name.
// Assemblies treat it as a black box (nodal data, supplemental data) -> (element vector F_e, element matrix A_e) run by
// one thread, and depend only on the names in element.h. The rest is for the element's row.
//
// A shape (sim/element/shape) defines
//   SHAPE_NODES, SHAPE_POINTS    nodes of a cell, and its integration points;
//   SHAPE_SUPPLEMENTAL           reals of supplemental data S(e);
//   SHAPE_POSITIONS              1: nodal data are positions, else displacements;
//   shape_gradients(S, q, B [NODES][3])                reference gradients B_a of the shape functions at point q, 1/m;
//   shape_displacement_gradient(nodal, S, B, G [3][3]) G = F - I at that point;
//   shape_volume(S, q)                                 the point's part of the volume, m^3;
//   shape_stiffness(S)                                 the cell's factor on the material's moduli;
//   SHAPE_MIXED, shape_material(S, material)           a cell's material, if its lambda differs from the material's;
//   shape_supplemental(space, e, S)                    on the host, computed in double and rounded once;
// and, if F varies within a cell,
//   SHAPE_CORNERS                                      a macro: number of corners at which det F is tested too;
//   shape_corner_gradient(nodal, S, c, G [3][3])       G at a corner;
//   SHAPE_AXES                                         a macro: products with all points of a cell at once;
//   shape_axes_begin(x, axes), shape_axes_gradient(x, S, axes, q, H [3][3]), shape_axes_add(dP [3][3], S, q, axes, y),
//   shape_axes_end(axes, y)                            the gradient of x at each point; y_a, sum over q of dP(q) B_a(q)
//   shape_corner_gradients(S, b [4][3])                the gradients of the linear tet of its corners;
//   shape_axes_at(x, axes, q, a [3][3]), shape_axes_take(dP_b [3][3], q, axes, y)   products by these (axis_points.h):
//                                                      H = sum of a_k b_k^T, and dP b_k in place of dP;
//   SHAPE_REFERENCE, shape_gradients_at(S, xi, B)      a macro, and B_a at reference coordinates, for shapes other than
//                                                      tets, and for tets in which G is not linear between the corners;
// A material (sim/element/material) defines, all in terms of G, which keeps its digits near rest
// (element/material/strain.h),
//   MATERIAL_SUMMARY             one line for users, the full name first;
//   MATERIAL_SOFTENS             true if the material loses its stiffness under compression; else not defined;
//   Material, material_of(parameters), material_times(material, factor)   its moduli, in which W is linear;
//   material_mixed(material, share, ratio)                 the same mu with lambda = share lambda + ratio mu;
//   material_check(parameters, error)                      on the host: fails with a sentence if a parameter is invalid
//   MaterialPoint, material_stress(G, material, P, point)  first Piola-Kirchhoff stress, Pa, and data for the tangent;
//                                                          returns J; if J <= 0, P may be NaN;
//   material_energy(G, material)                           W, J/m^3; no force at rest, mu and lambda at small strains;
// and for the tangent, each part computed once: MaterialTangent of a point, times a factor; MaterialNode of a shape
// gradient at the point; MaterialPair of two gradients; material_entry, sum_jl B_aj B_bl dP_ij / dF_kl for unknowns i
// and k of the two; and material_product, dP_ij / dF_kl H_kl times the factor for a change H of F. A material whose
// tangent has a compact form defines MATERIAL_COMPACT (see neo_hookean.h).
#pragma once
#include "sim/element/space.h"
#include "sim/element/symmetric.h"
#include SHAPE_HEADER
#include MATERIAL_HEADER

#if defined __CUDA_ARCH__ && !defined SHAPE_CORNERS  // blocks of larger cells do not fit into registers
#define UNROLL _Pragma("unroll")
#elif defined UNROLL_LANES
#define UNROLL _Pragma("GCC unroll (SHAPE_NODES > 4 ? 1 : 4)")  // larger cells would compile for too long
#else
#define UNROLL
#endif

enum {
  ELEMENT_NODES = SHAPE_NODES,
  ELEMENT_NODE_DATA = 3,
  ELEMENT_NODE_DOF = 3,
  ELEMENT_DOF = 3 * SHAPE_NODES,
  ELEMENT_SUPPLEMENTAL = SHAPE_SUPPLEMENTAL,
  ELEMENT_MATRIX = ELEMENT_DOF * (ELEMENT_DOF + 1) / 2  // upper triangle of A_e, which is symmetric, by rows
};

typedef struct ElementParameters {
  Material material;
  real vector_scale;  // F_e = vector_scale * internal force
  real matrix_scale;  // A_e = matrix_scale * stiffness
} ElementParameters;

HOST_DEVICE ElementParameters element_parameters(const double material[MATERIAL_PARAMETERS], double vector_scale,
                                                 double matrix_scale) {
  const ElementParameters p = { material_of(material), (real)vector_scale, (real)matrix_scale };
  return p;
}

// Declares `name`, a pointer to the material of a cell.
#ifdef SHAPE_MIXED
#define MATERIAL_OF_CELL(name, S, parameters)                              \
  const Material name##_here = shape_material(S, &(parameters)->material); \
  const Material *const name = &name##_here
#else
#define MATERIAL_OF_CELL(name, S, parameters) const Material *const name = &(parameters)->material
#endif

// F += f_a = factor P B_a; the first point overwrites F.
HOST_DEVICE void add_force(int point, const real P[3][3], const real B[SHAPE_NODES][3], real factor, real *F) {
  for (int a = 0; a < SHAPE_NODES; a++)
    for (int i = 0; i < 3; i++) {
      const real f = factor * (P[i][0] * B[a][0] + P[i][1] * B[a][1] + P[i][2] * B[a][2]);
      F[3 * a + i] = point == 0 ? f : F[3 * a + i] + f;
    }
}

// A += the upper triangle of the matrix of blocks factor K_ab; the first point overwrites A.
HOST_DEVICE void add_stiffness(int point, const MaterialPoint *state, const Material *material,
                               const real B[SHAPE_NODES][3], real factor, real *A) {
  const MaterialTangent t = material_tangent(state, material, factor);
  MaterialNode node[SHAPE_NODES];
  for (int a = 0; a < SHAPE_NODES; a++) node[a] = material_node(state, B[a]);
  // clang-format off
  UNROLL
  for (int a = 0; a < SHAPE_NODES; a++)
    UNROLL
    for (int b = a; b < SHAPE_NODES; b++) {
      const MaterialPair pair = material_pair(state, &t, B[a], B[b], &node[a], &node[b]);
      UNROLL
      for (int i = 0; i < 3; i++)
        UNROLL
        for (int k = a == b ? i : 0; k < 3; k++) {
          const int at = symmetric_index(ELEMENT_DOF, 3 * a + i, 3 * b + k);
          const real value = material_entry(state, &t, &node[a], &node[b], &pair, i, k);
          A[at] = point == 0 ? value : A[at] + value;
        }
    }
  // clang-format on
}

// Minimum of `smallest` and det F at the corners that the shape tests.
HOST_DEVICE real smallest_with_corners(const real *nodal, const real *S, real smallest) {
#ifdef SHAPE_CORNERS
#ifdef __CUDA_ARCH__
#pragma unroll  // otherwise displacements would be indexed in memory
#endif
  for (int c = 0; c < SHAPE_CORNERS; c++) {
    real G[3][3];
    shape_corner_gradient(nodal, S, c, G);
    const real J = 1 + strain_of(G).j;
    smallest = real_smaller(J, smallest);
  }
#else
  (void)nodal, (void)S;
#endif
  return smallest;
}

/// Computes the element vector [ELEMENT_DOF] and, unless A is NULL, the element matrix [ELEMENT_MATRIX], from nodal
/// data [SHAPE_NODES][3] m and S. Returns the smallest J of points and corners. The results are meaningless unless it
/// is positive.
HOST_DEVICE real element_evaluate(const real *nodal, const real *S, const ElementParameters *parameters, real *F,
                                  real *A) {
  real smallest = 0;
  MATERIAL_OF_CELL(material, S, parameters);
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real B[SHAPE_NODES][3], G[3][3], P[3][3];
    MaterialPoint point;
    shape_gradients(S, q, B);
    shape_displacement_gradient(nodal, S, B, G);
    const real V = shape_stiffness(S) * shape_volume(S, q);
    const real J = material_stress(G, material, P, &point);
    add_force(q, P, B, parameters->vector_scale * V, F);
    if (A) add_stiffness(q, &point, material, B, parameters->matrix_scale * V, A);
    smallest = q == 0 ? J : real_smaller(J, smallest);
  }
  return smallest_with_corners(nodal, S, smallest);
}

/// The element's strain energy, J.
HOST_DEVICE real element_energy(const real *nodal, const real *S, const ElementParameters *parameters) {
  real sum = 0;
  MATERIAL_OF_CELL(material, S, parameters);
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real B[SHAPE_NODES][3], G[3][3];
    shape_gradients(S, q, B);
    shape_displacement_gradient(nodal, S, B, G);
    const real energy = shape_volume(S, q) * material_energy(G, material);
    sum = q == 0 ? energy : sum + energy;
  }
  return shape_stiffness(S) * sum;
}

/// det F at a point.
HOST_DEVICE real element_J(const real *nodal, const real *S, int q) {
  real B[SHAPE_NODES][3], G[3][3];
  shape_gradients(S, q, B);
  shape_displacement_gradient(nodal, S, B, G);
  return 1 + strain_of(G).j;
}

/// The smallest det F of points and corners; NaN if one is NaN.
HOST_DEVICE real element_smallest_J(const real *nodal, const real *S) {
  real smallest = element_J(nodal, S, 0);
  for (int q = 1; q < SHAPE_POINTS; q++) {
    const real J = element_J(nodal, S, q);
    smallest = real_smaller(J, smallest);
  }
  return smallest_with_corners(nodal, S, smallest);
}

/// Computes the Cauchy stress P F^T / J from a displacement gradient (xx, yy, zz, xy, yz, xz), Pa. Returns J; if J <= 0
/// the stress may be NaN.
HOST_DEVICE real gradient_stress(const real G[3][3], const real *S, const ElementParameters *parameters,
                                 real sigma[6]) {
  const int row[6] = { 0, 1, 2, 0, 1, 0 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  MATERIAL_OF_CELL(of_cell, S, parameters);
  const Material material = material_times(of_cell, shape_stiffness(S));
  real P[3][3];
  MaterialPoint point;
  const real J = material_stress(G, &material, P, &point);
  for (int k = 0; k < 6; k++) {
    sigma[k] = 0;
    for (int j = 0; j < 3; j++) sigma[k] += P[row[k]][j] * (G[column[k]][j] + (column[k] == j ? (real)1 : (real)0)) / J;
  }
  return J;
}

/// As gradient_stress, at a point of the element.
HOST_DEVICE real element_stress(const real *nodal, const real *S, const ElementParameters *parameters, int q,
                                real sigma[6]) {
  real B[SHAPE_NODES][3], G[3][3];
  shape_gradients(S, q, B);
  shape_displacement_gradient(nodal, S, B, G);
  return gradient_stress(G, S, parameters, sigma);
}

/// As gradient_stress, at barycentric coordinates `part` of a tet's corners; in a quadratic tet G is linear between
/// them. For shapes other than tets, `part` holds three reference coordinates.
HOST_DEVICE real element_stress_at(const real *nodal, const real *S, const ElementParameters *parameters,
                                   const real part[4], real sigma[6]) {
#if defined SHAPE_REFERENCE
  real B[SHAPE_NODES][3], G[3][3];
  shape_gradients_at(S, part, B);
  shape_displacement_gradient(nodal, S, B, G);
  return gradient_stress(G, S, parameters, sigma);
#elif defined SHAPE_CORNERS
  real G[3][3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
  for (int c = 0; c < SHAPE_CORNERS; c++) {
    real corner[3][3];
    shape_corner_gradient(nodal, S, c, corner);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) G[i][k] += part[c] * corner[i][k];
  }
  return gradient_stress(G, S, parameters, sigma);
#else
  (void)part;  // constant in the cell
  return element_stress(nodal, S, parameters, 0, sigma);
#endif
}

static inline void element_supplemental(const Space *space, int e, real *S) {
  shape_supplemental(space, e, S);
}
