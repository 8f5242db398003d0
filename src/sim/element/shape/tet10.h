// The quadratic tetrahedron with straight edges; element/solid.h lists the functions of a shape. Nodes 0 to 3 are the
// corners, nodes 4 to 9 the middles of the edges 01, 12, 02, 03, 13, 23. l_c are the barycentric coordinates and b_c
// their gradients. The shape functions N and their gradients B are
//   corner c:      N = l_c (2 l_c - 1),  B = (4 l_c - 1) b_c
//   edge p, q:     N = 4 l_p l_q,        B = 4 (l_p b_q + l_q b_p).
// Integration point q = 0 to 3 has the coordinate l_q = `near` for corner q, and l_c = `far` for the other corners c.
// The rule is exact for quadratic polynomials, and so for the stiffness at rest. det F is cubic in the cell and may be
// smallest at a corner, so it is also tested there.
//
// 10 constants are stored for each cell: the nine numbers of Dm^-1, the inverse of the matrix of edges (tet_corners.h),
// and the cell's factor on the material's moduli.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/shape/tet_corners.h"

enum { SHAPE_NODES = 10, SHAPE_POINTS = 4, SHAPE_POSITIONS = 0, SHAPE_SUPPLEMENTAL = 10 };
#define SHAPE_CORNERS 4
#define SHAPE_LEVELS  // defined for shapes whose corners form a linear tet, such as tets with straight edges

HOST_DEVICE void shape_gradients(const real *S, int q, real B[SHAPE_NODES][3]) {
  const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
  // Barycentric coordinates of integration point q: near = (5 + 3 sqrt 5)/20 for corner q, far = (5 - sqrt 5)/20 for
  // the other corners.
  const real near = (real)0.58541019662496845446, far = (real)0.13819660112501051518;
  real b[4][3];
  shape_corner_gradients(S, b);
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 3; k++) B[c][k] = (4 * (c == q ? near : far) - 1) * b[c][k];
  for (int m = 0; m < 6; m++) {
    const int c = edge[m][0], d = edge[m][1];
    for (int k = 0; k < 3; k++) B[4 + m][k] = 4 * ((c == q ? near : far) * b[d][k] + (d == q ? near : far) * b[c][k]);
  }
}

#include "sim/element/shape/tet_sum.h"  // defines shape_displacement_gradient

// The functions below compute products with the tangent, for all integration points of a cell together (SHAPE_AXES in
// solid.h). These products take half the operations of products that are computed by sums over nodes, and 30 fewer
// registers. x is the nodal vector: x_c is its vector at corner c, and x_pq its vector at the middle of edge pq. b_k
// is the gradient of barycentric coordinate k. Integration point q has barycentric coordinate `near` for corner q, and
// `far` for the other corners. The gradient of x at q is the sum over k < 3 of a_k(q) b_k^T with
//   a_k(q) = w_k + 4 (near - far) (z_kq - z_3q),  where z_kq = x_kq if k != q, and z_kk = x_k;
//   w_k    = (4 far - 1) (x_k - x_3) + 4 far * (sum over the corners c other than k and 3 of x_kc - x_3c).
//
// dP is the change of stress at a point, t_k(q) = dP b_k for k < 3, t_3 = -(t_0 + t_1 + t_2), and T_k the sum over q of
// t_k(q). The product y of the tangent with x is
//   corner k:   (4 far - 1) T_k + 4 (near - far) t_k(k);
//   edge k, c:  4 far (T_k + T_c) + 4 (near - far) (t_k(c) + t_c(k)).
#define SHAPE_AXES
#define SHAPE_STRAIGHT
typedef struct ShapeAxes {
  real w[3][3];  // [k][component], the vectors w_k
  // [k][component], T_k: the sum of dP b_k over the integration points so far, with dP the change of stress
  real T[3][3];
} ShapeAxes;

// The numbers 4 far - 1, 4 far and 4 (near - far). `near` and `far` are the barycentric coordinates of integration
// points: `near` for the nearest corner, and `far` for the other three.
#define TET10_OWN ((real)-0.44721359549995793928)
#define TET10_ALL ((real)0.55278640450004206072)
#define TET10_NEAR ((real)1.78885438199983175713)

// Returns the node in the middle of the edge between corners c and d.
HOST_DEVICE int tet10_middle(int c, int d) {
  const int middle[4][4] = { { -1, 4, 6, 7 }, { 4, -1, 5, 8 }, { 6, 5, -1, 9 }, { 7, 8, 9, -1 } };
  return middle[c][d];
}

// Begins a product with the nodal vector x [30], three numbers for each node. Subtracts the vector of corner 3 from all
// others. The gradient of x is the sum over k < 3 of a_k b_k^T, with b_k the gradient of barycentric coordinate k.
// Computes axes->w, the parts of the vectors a_k that are equal at all integration points.
HOST_DEVICE void shape_axes_begin(real *x, ShapeAxes *axes) {
  UNROLL_SHAPE
  for (int a = 0; a < SHAPE_NODES; a++) UNROLL_SHAPE
  for (int i = 0; i < 3; i++)
    if (a != 3) x[3 * a + i] -= x[9 + i];
  UNROLL_SHAPE
  for (int k = 0; k < 3; k++) {
    const int c = k == 0 ? 1 : 0, d = k == 2 ? 1 : 2;
    UNROLL_SHAPE
    for (int i = 0; i < 3; i++) {
      const real others = (x[3 * tet10_middle(k, c) + i] - x[3 * tet10_middle(3, c) + i]) +
                          (x[3 * tet10_middle(k, d) + i] - x[3 * tet10_middle(3, d) + i]);
      axes->w[k][i] = TET10_OWN * x[3 * k + i] + TET10_ALL * others;
      axes->T[k][i] = 0;
    }
  }
}

// Computes the vectors a_k, k < 3, at integration point q. The gradient of the nodal vector x at this point is the sum
// over k of a_k b_k^T. b_k is the gradient of barycentric coordinate k.
HOST_DEVICE void shape_axes_at(const real *x, const ShapeAxes *axes, int q, real a[3][3]) {
  UNROLL_SHAPE
  for (int k = 0; k < 3; k++) UNROLL_SHAPE
  for (int i = 0; i < 3; i++) {
    const real z = x[3 * (k == q ? k : tet10_middle(k, q)) + i];
    a[k][i] = axes->w[k][i] + TET10_NEAR * (q == 3 ? z : z - x[3 * tet10_middle(3, q) + i]);
  }
}

HOST_DEVICE real shape_axes_share(int q) {
  (void)q;
  return 1;
}

// Adds t_k = dP b_k of integration point q, k < 3, to axes->T, and stores or adds all four t_k in y [30]: t_k at the
// middle of edge kq, t_q at corner q. dP is the change of stress, b_k the gradient of barycentric coordinate k, and t_3
// minus the sum of the other t_k. Must be called for the points in ascending order, because the first point stores a
// value and the next one adds to it.
HOST_DEVICE void shape_axes_take(const real dP_b[3][3], int q, ShapeAxes *axes, real *y) {
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) {
    const real t[4] = { dP_b[0][i], dP_b[1][i], dP_b[2][i], -(dP_b[0][i] + dP_b[1][i] + dP_b[2][i]) };
    UNROLL_SHAPE
    for (int k = 0; k < 4; k++) {
      const int at = 3 * (k == q ? k : tet10_middle(k, q)) + i;
      if (k < 3) axes->T[k][i] += t[k];
      // The middle of edge kq gets contributions of the integration points k and q only: the first stores, the second
      // adds.
      y[at] = k < q ? y[at] + t[k] : t[k];
    }
  }
}

HOST_DEVICE real shape_volume(const real *S, int q) {
  (void)q;
  return corners_volume(S) / SHAPE_POINTS;
}

#include "sim/element/shape/tet_axes.h"  // defines shape_axes_gradient and shape_axes_add

HOST_DEVICE void shape_axes_end(const ShapeAxes *axes, real *y) {
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) {
    const real T[4] = { axes->T[0][i], axes->T[1][i], axes->T[2][i], -(axes->T[0][i] + axes->T[1][i] + axes->T[2][i]) };
    UNROLL_SHAPE
    for (int k = 0; k < 4; k++) {
      y[3 * k + i] = TET10_OWN * T[k] + TET10_NEAR * y[3 * k + i];
      UNROLL_SHAPE
      for (int c = 0; c < k; c++) {
        const int at = 3 * tet10_middle(k, c) + i;
        y[at] = TET10_ALL * (T[k] + T[c]) + TET10_NEAR * y[at];
      }
    }
  }
}

// Computes the displacement gradient G at corner c. There, only the shape functions of the corners, and of the middles
// m_cd of the edges between c and another corner d, have a gradient:
//   G = sum over the other corners d of (4 u_m_cd - u_d - 3 u_c) b_d^T.
HOST_DEVICE void shape_corner_gradient(const real *u, const real *S, int c, real G[3][3]) {
  const int middle[4][4] = { { 0, 4, 6, 7 }, { 4, 0, 5, 8 }, { 6, 5, 0, 9 }, { 7, 8, 9, 0 } };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int d = 0; d < 4; d++) {
        const real b = d < 3 ? S[3 * d + k] : -(S[k] + S[3 + k] + S[6 + k]);
        if (d != c) sum += (4 * (u[3 * middle[c][d] + i] - u[3 * c + i]) - (u[3 * d + i] - u[3 * c + i])) * b;
      }
      G[i][k] = sum;
    }
}

HOST_DEVICE real shape_stiffness(const real *S) {
  return S[9];
}

static inline void shape_supplemental(const Space *space, int e, real *S) {
  corners_inverse(space, e, S);
  S[9] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
