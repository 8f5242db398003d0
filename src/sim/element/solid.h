// The element of a solid: a shape combined with a material. The macro SHAPE_HEADER is the name of the shape's header,
// and MATERIAL_HEADER the name of the material's header. From nodal data and the constants S(e) of cell e, one thread
// computes the element vector F_e and the element matrix A_e. Assemblies use only the functions that element.h lists;
// ElementRow uses the others.
//
// Notation: X are reference positions, u displacements, F = dx/dX is the deformation gradient, G = F - I and J = det F.
// W is the strain energy density and P the first Piola-Kirchhoff stress. A point is an integration point, with index q.
// B_a is the gradient of node a's shape function by X, 1/m. A product with the tangent has as input H, a change of F;
// its result dP is the corresponding change of P.
//
// A shape (sim/element/shape) defines
//   SHAPE_NODES, SHAPE_POINTS    numbers of nodes and of integration points of a cell;
//   SHAPE_SUPPLEMENTAL           number of reals in S(e), the constants that are stored for a cell e at rest;
//   SHAPE_POSITIONS              1: nodal data are positions, 0: displacements;
//   shape_gradients(S, q, B [NODES][3])                gradients B_a of all nodes at point q;
//   shape_displacement_gradient(nodal, S, B, G [3][3]) G at the point at which B was computed;
//   shape_volume(S, q)                                 the part of the cell's volume that belongs to point q, m^3;
//   shape_stiffness(S)                                 the factor by which the cell multiplies the material's moduli;
//   shape_supplemental(space, e, S)                    S(e), computed on the host in double and rounded once;
//   SHAPE_MIXED, shape_material(S, material)           only if cells differ in Poisson's ratio: the cell's material.
// If F varies within a cell, the shape also defines
//   SHAPE_CORNERS                                      a macro: number of corners at which det F is tested too;
//   shape_corner_gradient(nodal, S, c, G [3][3])       G at corner c;
//   SHAPE_REFERENCE, shape_gradients_at(S, xi, B)      for shapes other than linear and quadratic tets: a macro, and
//                                                      B_a at the reference coordinates xi.
//
// A shape may define SHAPE_AXES and the functions below, which make products with the tangent cheaper. The input is a
// vector x_a for each node a. The results are y_a = sum over q of dP(q) B_a(q). The caller calls shape_axes_begin once,
// shape_axes_gradient and shape_axes_add for each point q, and shape_axes_end once:
//   shape_axes_begin(x, axes)                          sets *axes for the calls below; may overwrite x;
//   shape_axes_gradient(x, S, axes, q, H [3][3])       the gradient H of x at point q; returns the point's volume;
//   shape_axes_add(dP [3][3], S, q, axes, y)           adds the point's contribution;
//   shape_axes_end(axes, y)                            computes the final y from *axes and the sums in y.
// A shape with straight edges also defines SHAPE_STRAIGHT and, for axis_points.h,
//   shape_corner_gradients(S, b [4][3])                gradients b_k of the shape functions of the linear tet with the
//                                                      cell's corners;
//   shape_axes_at(x, axes, q, a [3][3])                vectors a_k with H = sum over k < 3 of a_k b_k^T;
//   shape_axes_take(dP_b [3][3], q, axes, y)           as shape_axes_add, from the products dP b_k;
//   shape_axes_share(q)                                volume of point q divided by that of point 0.
//
// A material (sim/element/material) computes from G instead of F, which avoids rounding errors near rest (strain.h). It
// defines
//   MATERIAL_SUMMARY             one line for users, which begins with the material's full name;
//   MATERIAL_SOFTENS             true if the material loses its stiffness under compression; else not defined;
//   Material, material_of(parameters)                      the material's moduli, from its array of parameters;
//   material_times(material, factor)                       the material with all moduli, and so W, times `factor`;
//   material_mixed(material, share, ratio)                 the material with share * lambda + ratio * mu as lambda;
//   material_check(parameters, error)                      on the host: fails with a message if a parameter is invalid;
//   MaterialPoint, material_stress(G, material, P, point)  P, Pa, and data for the tangent; returns J. If J <= 0, P may
//                                                          be NaN;
//   material_energy(G, material)                           W, J/m^3.
// The 3 x 3 block of nodes a and b in the tangent is computed from data of an integration point, of each node, and of
// the pair of nodes, so that no product is computed twice:
//   MaterialTangent, material_tangent(point, material, factor)     coefficients of a point's tangent, times `factor`;
//   MaterialNode, material_node(point, B)                          data of a node with the shape gradient B;
//   MaterialPair, material_pair(point, tangent, Ba, Bb, a, b)      data of the pair of nodes a and b;
//   material_entry(point, tangent, a, b, pair, i, k)               entry (i, k) of their block: the sum over j and l of
//                                                                  B_aj B_bl dP_ij / dF_kl, times the factor;
//   material_product(point, tangent, H, dP)                        dP_ij = sum over k and l of dP_ij / dF_kl H_kl,
//                                                                  times the factor.
// A material whose tangent has a compact form also defines MATERIAL_COMPACT (see neo_hookean.h).
#pragma once
#include "sim/element/space.h"
#include "sim/element/symmetric.h"
#include SHAPE_HEADER
#include MATERIAL_HEADER

// On a GPU, loops over nodes are unrolled for cells of four nodes. Larger cells would need more registers than a thread
// has.
#if defined __CUDA_ARCH__ && !defined SHAPE_CORNERS
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
  // number of stored values of the symmetric matrix A_e: its upper triangle, stored by rows
  ELEMENT_MATRIX = ELEMENT_DOF * (ELEMENT_DOF + 1) / 2
};

typedef struct ElementParameters {
  Material material;  // the material's moduli, Pa
  real vector_scale;  // F_e = vector_scale * (internal forces of the cell)
  real matrix_scale;  // A_e = matrix_scale * (tangent stiffness of the cell)
} ElementParameters;

HOST_DEVICE ElementParameters element_parameters(const double material[MATERIAL_PARAMETERS], double vector_scale,
                                                 double matrix_scale) {
  const ElementParameters p = { material_of(material), (real)vector_scale, (real)matrix_scale };
  return p;
}

// MATERIAL_OF_CELL declares a pointer to the material of the cell with the constants S; `name` is the pointer's name.
// The pointer refers to the material of `parameters` or, if cells differ in Poisson's ratio, to a copy with the lambda
// of the cell.
#ifdef SHAPE_MIXED
#define MATERIAL_OF_CELL(name, S, parameters)                              \
  const Material name##_here = shape_material(S, &(parameters)->material); \
  const Material *const name = &name##_here
#else
#define MATERIAL_OF_CELL(name, S, parameters) const Material *const name = &(parameters)->material
#endif

// Adds factor * P B_a to the element vector F at each node a, with the stress P and the gradient B_a of the node's
// shape function. At integration point 0 it overwrites F instead, so F needs no initial value.
HOST_DEVICE void add_force(int point, const real P[3][3], const real B[SHAPE_NODES][3], real factor, real *F) {
  for (int a = 0; a < SHAPE_NODES; a++)
    for (int i = 0; i < 3; i++) {
      const real f = factor * (P[i][0] * B[a][0] + P[i][1] * B[a][1] + P[i][2] * B[a][2]);
      F[3 * a + i] = point == 0 ? f : F[3 * a + i] + f;
    }
}

// Adds `factor` times the tangent at an integration point to A, the upper triangle of the element matrix by rows. At
// integration point 0 it overwrites A instead, so A needs no initial value. `state` has the material's data at the
// point, and B the gradients of the shape functions.
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

// Returns the minimum of `smallest` and of det F at the corners of the cell. Shapes without SHAPE_CORNERS have constant
// det F, so `smallest` is returned.
HOST_DEVICE real smallest_with_corners(const real *nodal, const real *S, real smallest) {
#ifdef SHAPE_CORNERS
#ifdef __CUDA_ARCH__
#pragma unroll  // unrolled, so that the displacements are in registers and not in memory
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

/// Computes the element vector F [ELEMENT_DOF] and, unless A is NULL, the element matrix A [ELEMENT_MATRIX] of one
/// cell. `nodal` [SHAPE_NODES][3], m, has the displacements or positions of its nodes (SHAPE_POSITIONS), and S the
/// cell's constants. Returns the smallest determinant of the deformation gradient at integration points and corners. F
/// and A are valid only if the returned value is positive.
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

/// Returns the strain energy of the cell, in joules.
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

/// Returns det F at integration point q.
HOST_DEVICE real element_J(const real *nodal, const real *S, int q) {
  real B[SHAPE_NODES][3], G[3][3];
  shape_gradients(S, q, B);
  shape_displacement_gradient(nodal, S, B, G);
  return 1 + strain_of(G).j;
}

/// Returns the smallest det F of the cell's integration points and corners; NaN if one of these determinants is NaN.
HOST_DEVICE real element_smallest_J(const real *nodal, const real *S) {
  real smallest = element_J(nodal, S, 0);
  for (int q = 1; q < SHAPE_POINTS; q++) {
    const real J = element_J(nodal, S, q);
    smallest = real_smaller(J, smallest);
  }
  return smallest_with_corners(nodal, S, smallest);
}

/// Computes sigma, the Cauchy stress P F^T / J, Pa: xx, yy, zz, xy, yz, xz. G is the displacement gradient F - I.
/// Returns J = det F. If J <= 0, the stress may be NaN.
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

/// Computes sigma, the Cauchy stress at integration point q, Pa: xx, yy, zz, xy, yz, xz. `nodal` has the displacements
/// of the cell's nodes, or the positions if SHAPE_POSITIONS is 1. Returns det F at this point.
HOST_DEVICE real element_stress(const real *nodal, const real *S, const ElementParameters *parameters, int q,
                                real sigma[6]) {
  real B[SHAPE_NODES][3], G[3][3];
  shape_gradients(S, q, B);
  shape_displacement_gradient(nodal, S, B, G);
  return gradient_stress(G, S, parameters, sigma);
}

/// Computes sigma, the Cauchy stress at any point of the cell, Pa: xx, yy, zz, xy, yz, xz. `part` has the point's
/// barycentric coordinates in a tet, or its three reference coordinates in other shapes. Returns det F at this point.
/// In a quadratic tet the displacement gradient is a linear function of position, so it is interpolated between the
/// corners.
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
  (void)part;  // the position in the cell is not needed, because the stress is the same in the whole cell
  return element_stress(nodal, S, parameters, 0, sigma);
#endif
}

static inline void element_supplemental(const Space *space, int e, real *S) {
  shape_supplemental(space, e, S);
}
