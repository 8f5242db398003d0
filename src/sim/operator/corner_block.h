// One block of P^T A P for the corners of quadratic cells (corner_matrix.h), from the stored data of the cells'
// integration points. A corner's shape function has the constant gradient b_j over the linear tet, so the block of two
// corners in one cell is
//   sum over q of dP/dF(q) : b_j b_k.
// The shift of the nodes' diagonal blocks is added to it. A corner gets the shift of its node and a quarter of the
// shift of each of its edges' middle nodes. A pair of corners gets a quarter of the shift of the middle node between
// them. Held nodes move with their corners here, whereas a stored matrix has zeros for them. This changes only edges at
// the border of the held region, and the sum stays symmetric and positive.
#pragma once
#include "sim/element/solid_points.h"
#include "sim/operator/corner_matrix.h"

// block += contribution of point q to the block of two corners with gradients b_j and b_k
HOST_DEVICE void corner_add_point(const real *S, const ElementParameters *parameters, int q, const MaterialPoint *point,
                                  const real b_j[3], const real b_k[3], real block[9]) {
  const MaterialTangent t = point_tangent(S, parameters, q, point);
  const MaterialNode j = material_node(point, b_j), k = material_node(point, b_k);
  const MaterialPair pair = material_pair(point, &t, b_j, b_k, &j, &k);
  for (int v = 0; v < 9; v++) block[v] += material_entry(point, &t, &j, &k, &pair, v / 3, v % 3);
}

// block += weight times the shift of a node's diagonal block; shift holds [n] for the diagonal, then (x, y), (x, z),
// (y, z) of each node
HOST_DEVICE void corner_add_node(const real *shift, int64_t n, int node, real weight, real block[9]) {
  const real *own = shift + 3 * (int64_t)node, *cross = shift + n + 3 * (int64_t)node;
  for (int v = 0; v < 9; v++) block[v] += weight * (v / 3 == v % 3 ? own[v / 3] : cross[v / 3 + v % 3 - 1]);
}

HOST_DEVICE void corner_add_shift(const CornerMatrix *m, int pair, const real *shift, int64_t n, real block[9]) {
  const int row = m->pair[pair][0], node = m->node[row];
  if (row != m->pair[pair][1]) {
    if (m->middle[pair] >= 0) corner_add_node(shift, n, m->middle[pair], (real)0.25, block);
    return;
  }
  for (int k = m->child_start[row]; k < m->child_start[row + 1]; k++)
    corner_add_node(shift, n, m->child[k], m->child[k] == node ? (real)1 : (real)0.25, block);
}
