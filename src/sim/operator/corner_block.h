// Computes one block of P^T A P, the matrix of the corners of quadratic cells (corner_matrix.h). A is the tangent of
// all nodes, which is not stored. P is the linear interpolation from corners to all nodes. A block belongs to a pair of
// corners. The linear shape function of a corner j has the constant gradient b_j in its tet. dP/dF is the derivative of
// the stress by the deformation gradient. It follows from numbers that are stored for each integration point. Here it
// also contains two factors: the volume of the point, and matrix_scale, the factor of A. The block of corners j and k
// in one cell is
//
//   sum over integration points q of dP/dF(q) : b_j b_k.
//
// A also contains a shift: numbers that are added to the diagonal blocks of its nodes. P projects the shift too. A
// corner gets the shift of its own node, and a quarter of the shift of the middle node of each of its edges. A pair of
// corners gets a quarter of the shift of the middle node between them.
//
// At nodes with prescribed motion, the result differs from P^T A P with a stored matrix A. A stored A has zeros in the
// rows of these nodes. Here, a middle node moves with its two corners in any case. So the results differ only for edges
// at the border of the region with prescribed motion, and P^T A P stays symmetric and positive definite.
#pragma once
#include "sim/element/solid_points.h"
#include "sim/operator/corner_matrix.h"

// Adds the contribution of integration point q to block [9], the 3 x 3 block of two corners. b_j and b_k are the
// gradients of the corners' linear shape functions. S are the constants that the element stores for the cell, such as
// gradients and volume. `point` holds the stored numbers of point q, from which dP/dF follows.
HOST_DEVICE void corner_add_point(const real *S, const ElementParameters *parameters, int q, const MaterialPoint *point,
                                  const real b_j[3], const real b_k[3], real block[9]) {
  const MaterialTangent t = point_tangent(S, parameters, q, point);
  const MaterialNode j = material_node(point, b_j), k = material_node(point, b_k);
  const MaterialPair pair = material_pair(point, &t, b_j, b_k, &j, &k);
  for (int v = 0; v < 9; v++) block[v] += material_entry(point, &t, &j, &k, &pair, v / 3, v % 3);
}

// Adds weight times a node's shift to block [9]. The shift of a node is the 3 x 3 matrix that A adds to the diagonal
// block of the node. `shift` holds n numbers for the diagonal, then three per node for the entries (x, y), (x, z) and
// (y, z).
HOST_DEVICE void corner_add_node(const real *shift, int64_t n, int node, real weight, real block[9]) {
  const real *own = shift + 3 * (int64_t)node, *cross = shift + n + 3 * (int64_t)node;
  for (int v = 0; v < 9; v++) block[v] += weight * (v / 3 == v % 3 ? own[v / 3] : cross[v / 3 + v % 3 - 1]);
}

// Adds the projected shift to the block of the two corners m->pair[pair]. The shift is a 3 x 3 matrix for each node,
// which A adds to the diagonal block of the node. If the pair is one corner twice, this function adds the shift of the
// corner's node, and a quarter of the shift of the middle node of each of its edges. Else it adds a quarter of the
// shift of the middle node between the corners.
HOST_DEVICE void corner_add_shift(const CornerMatrix *m, int pair, const real *shift, int64_t n, real block[9]) {
  const int row = m->pair[pair][0], node = m->node[row];
  if (row != m->pair[pair][1]) {
    if (m->middle[pair] >= 0) corner_add_node(shift, n, m->middle[pair], (real)0.25, block);
    return;
  }
  for (int k = m->child_start[row]; k < m->child_start[row + 1]; k++)
    corner_add_node(shift, n, m->child[k], m->child[k] == node ? (real)1 : (real)0.25, block);
}
