// The linear tetrahedron, with one integration point and constant gradients; element/solid.h lists the functions of a
// shape. The constants S(e) of cell e begin with the nine numbers of Dm^-1. The columns of Dm are the edges X_a - X_4
// at rest, a = 1 to 3, with nodes counted from 1. Row a of Dm^-1 is the gradient B_a of node a's shape function.
//
// Nodal data are displacements u, not positions as in paper 000. The displacement gradient is G = F - I = Du Dm^-1,
// where the columns of Du are u_a - u_4. So rounding errors of G stay small even if the body is far from the origin or
// the strain is small. In float, the residual is more accurate by two digits than with positions.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/shape/tet_corners.h"

enum {
  SHAPE_NODES = 4,
  SHAPE_POINTS = 1,
  SHAPE_POSITIONS = 0,
#if defined SHAPE_MIXED
  SHAPE_SUPPLEMENTAL = 12  // the number of constants S(e); tet4_mixed.h describes them
#elif defined SHAPE_GRADED
  SHAPE_SUPPLEMENTAL = 10  // the number of constants S(e); tet4_graded.h describes them
#else
  SHAPE_SUPPLEMENTAL = 9
#endif
};

HOST_DEVICE void shape_gradients(const real *S, int q, real B[SHAPE_NODES][3]) {
  (void)q;
  shape_corner_gradients(S, B);
}

HOST_DEVICE real shape_volume(const real *S, int q) {
  (void)q;
  return corners_volume(S);
}

// The functions below compute products with the tangent (SHAPE_AXES in solid.h). The gradient of a nodal vector x is
// the sum over k < 3 of (x_k - x_3) B_k^T, with B_k the gradients of the shape functions. The results of the four
// nodes sum to 0, so the result of node 3 is minus the sum of the results of nodes 0 to 2.
#define SHAPE_AXES
#define SHAPE_STRAIGHT
typedef struct ShapeAxes {
  int nothing;
} ShapeAxes;

HOST_DEVICE void shape_axes_begin(real *x, ShapeAxes *axes) {
  axes->nothing = 0;
  for (int k = 0; k < 9; k++) x[k] -= x[9 + k % 3];
}

HOST_DEVICE void shape_axes_at(const real *x, const ShapeAxes *axes, int q, real a[3][3]) {
  (void)axes, (void)q;
  for (int k = 0; k < 9; k++) a[k / 3][k % 3] = x[k];
}

HOST_DEVICE real shape_axes_gradient(const real *x, const real *S, const ShapeAxes *axes, int q, real H[3][3]) {
  (void)axes;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) H[i][k] = x[i] * S[k] + x[3 + i] * S[3 + k] + x[6 + i] * S[6 + k];
  return shape_volume(S, q);
}

HOST_DEVICE real shape_axes_share(int q) {
  (void)q;
  return 1;
}

HOST_DEVICE void shape_axes_take(const real dP_b[3][3], int q, ShapeAxes *axes, real *y) {
  (void)q, (void)axes;
  for (int k = 0; k < 9; k++) y[k] = dP_b[k / 3][k % 3];
}

HOST_DEVICE void shape_axes_add(const real dP[3][3], const real *S, int q, ShapeAxes *axes, real *y) {
  (void)q, (void)axes;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) y[3 * k + i] = dP[i][0] * S[3 * k] + dP[i][1] * S[3 * k + 1] + dP[i][2] * S[3 * k + 2];
}

HOST_DEVICE void shape_axes_end(const ShapeAxes *axes, real *y) {
  (void)axes;
  for (int i = 0; i < 3; i++) y[9 + i] = -(y[i] + y[3 + i] + y[6 + i]);
}

// Computes the displacement gradient G, the sum over the nodes a of u_a B_a^T. u_a is the displacement of node a, and
// B_a the gradient of its shape function. Subtracting u_3 from each u_a avoids rounding errors of large
// displacements. The sum stays the same, since the gradients B_a sum to 0.
HOST_DEVICE void shape_displacement_gradient(const real *u, const real *S, const real B[SHAPE_NODES][3], real G[3][3]) {
  (void)B;
  for (int i = 0; i < 3; i++) {
    const real d0 = u[i] - u[9 + i], d1 = u[3 + i] - u[9 + i], d2 = u[6 + i] - u[9 + i];
    for (int k = 0; k < 3; k++) G[i][k] = d0 * S[k] + d1 * S[3 + k] + d2 * S[6 + k];
  }
}

HOST_DEVICE real shape_stiffness(const real *S) {
#ifdef SHAPE_GRADED
  return S[9];
#else
  (void)S;
  return 1;
#endif
}

#ifdef SHAPE_MIXED
#define shape_material(S, material) material_mixed(material, (S)[11], (S)[10])
#endif

static inline void shape_supplemental(const Space *space, int e, real *S) {
  corners_inverse(space, e, S);
#ifdef SHAPE_GRADED
  S[9] = (real)(space->stiffness ? space->stiffness[e] : 1);
#endif
#ifdef SHAPE_MIXED
  // True if the cell has a ratio lambda / mu in Space.ratio. The entry NAN means that the cell has none; NAN is the
  // only value that is not equal to itself.
  const bool own = space->ratio && space->ratio[e] == space->ratio[e];
  S[10] = (real)(own ? space->ratio[e] : 0);
  S[11] = (real)(own ? 0 : 1);
#endif
}
