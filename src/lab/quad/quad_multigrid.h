// Multigrid on quadrilaterals that keeps the element structure on coarser levels (paper 001, Fig. 26), as a
// preconditioner of conjugate gradients. Level 0 is the system's own matrix. First the degree is reduced from level to
// level, on the same cells: p, p - 1, ..., 1. Then the number of cells along each direction is halved (quad_grid.h),
// until the grid has at most 3 x 3 cells. On the levels after level 0, the matrix is assembled for the level's own
// cells, and stored by element matrices (lma).
//
// Values pass between two levels by shape functions: a fine node gets the value that the coarse cell's shape functions
// give at its place in the grid. Restriction is the transpose of this interpolation. A step of the smoother is damped
// Jacobi, x += step weight (b - A x), where `weight` is a number per node and `step` one of two numbers. Two such steps
// make a Chebyshev polynomial of D^-1 A, where D is the diagonal of A. Smoothing before and after the coarse correction
// is the same, so the preconditioner is symmetric. Each sum is made by one thread in a fixed order, so results repeat
// bit for bit.
//
// This header has the loops over the nodes of a level, once for each device. The formula of a node is written once, for
// both devices.
#pragma once
#include "base/real.h"
#include "device/device.h"
#include "device/host_device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { QUAD_SPAN = 4 };  // max number of coarse nodes along a line from which a fine node is interpolated

// Interpolation along one direction, from the lines of nodes of a coarse grid to those of a fine grid. Arrays are on
// the device.
typedef struct QuadLines {
  int fine, coarse, span;  // numbers of lines of both grids; number of coarse lines in each interpolation
  // Line k of the fine grid gets the sum over s < span of weight[QUAD_SPAN * k + s] times coarse line first[k] + s.
  const int *first;    // [fine]
  const real *weight;  // [fine][QUAD_SPAN]
  const int
      *range;  // [coarse][2], the first fine line whose weight of this coarse line is not 0, and one after the last
} QuadLines;

// Interpolation from a coarse grid to a fine one, the product of the interpolations along both directions.
typedef struct QuadTransfer {
  QuadLines lines[2];
  // [lines[1].fine][lines[0].fine], on the device: number of the fine node at each place of the grid; NULL: nodes are
  // numbered along direction 0 first. Coarse nodes are always numbered so.
  const int *node;
} QuadTransfer;

/// A step of the smoother for n nodes: x += step weight (b - y), where y is A x; if y is NULL: x = step weight b.
/// `weight` is 0 at nodes on the boundary.
bool REAL_NAME(quad_relax_cpu)(int n, real step, const real *weight, const real *b, const real *y, real *x);
bool REAL_NAME(quad_relax_cuda)(int n, real step, const real *weight, const real *b, const real *y, real *x,
                                Stream stream, Error *error);

/// Restriction: computes coarse_b = P^T (b - y) at each coarse node, where P is the interpolation. Also makes the first
/// step of the smoother on the coarse level: coarse_x = step weight coarse_b, with the coarse level's `weight`.
bool REAL_NAME(quad_restrict_cpu)(const QuadTransfer *transfer, const real *b, const real *y, real step,
                                  const real *weight, real *coarse_b, real *coarse_x);
bool REAL_NAME(quad_restrict_cuda)(const QuadTransfer *transfer, const real *b, const real *y, real step,
                                   const real *weight, real *coarse_b, real *coarse_x, Stream stream, Error *error);

/// Interpolation: x += P coarse_x at each fine node.
bool REAL_NAME(quad_prolong_cpu)(const QuadTransfer *transfer, const real *coarse_x, real *x);
bool REAL_NAME(quad_prolong_cuda)(const QuadTransfer *transfer, const real *coarse_x, real *x, Stream stream,
                                  Error *error);

#ifdef __cplusplus
}
#endif

HOST_DEVICE int quad_fine_count(const QuadTransfer *t) {
  return t->lines[0].fine * t->lines[1].fine;
}

HOST_DEVICE int quad_coarse_count(const QuadTransfer *t) {
  return t->lines[0].coarse * t->lines[1].coarse;
}

// Returns the number of the fine node at a place, an index into the grid of the fine nodes.
HOST_DEVICE int quad_fine_node(const QuadTransfer *t, int place) {
  return t->node ? t->node[place] : place;
}

// Returns P^T (b - y) at coarse node k.
HOST_DEVICE real quad_restrict_at(const QuadTransfer *t, int k, const real *b, const real *y) {
  const QuadLines *X = &t->lines[0], *Y = &t->lines[1];
  const int i = k % X->coarse, j = k / X->coarse;
  real sum = 0;
  for (int row = Y->range[2 * j]; row < Y->range[2 * j + 1]; row++) {
    real along = 0;
    for (int column = X->range[2 * i]; column < X->range[2 * i + 1]; column++) {
      const int a = quad_fine_node(t, row * X->fine + column);
      along += X->weight[QUAD_SPAN * column + i - X->first[column]] * (b[a] - y[a]);
    }
    sum += Y->weight[QUAD_SPAN * row + j - Y->first[row]] * along;
  }
  return sum;
}

// Returns P x at a place of the fine grid.
HOST_DEVICE real quad_prolong_at(const QuadTransfer *t, int place, const real *coarse_x) {
  const QuadLines *X = &t->lines[0], *Y = &t->lines[1];
  const int column = place % X->fine, row = place / X->fine;
  real sum = 0;
  for (int r = 0; r < Y->span; r++) {
    const real *from = coarse_x + (Y->first[row] + r) * X->coarse + X->first[column];
    real along = 0;
    for (int s = 0; s < X->span; s++) along += X->weight[QUAD_SPAN * column + s] * from[s];
    sum += Y->weight[QUAD_SPAN * row + r] * along;
  }
  return sum;
}
