// Computes one 3 x 3 block of P^T A P, a matrix with unknowns only at the corners of quadratic tets (corner_matrix.h).
// A is the tangent of all nodes, which is not stored. P interpolates linearly from the corners to all nodes. The block
// of corners j and k is the sum over the integration points of all cells with both corners. Its entry in row u and
// column v is
//
//   sum over l, m < 3 of dP_ul/dF_vm (b_j)_l (b_k)_m.
//
// b_j is the constant gradient of the linear shape function of corner j. Only in this sum, P is the first
// Piola-Kirchhoff stress; F is the deformation gradient. dP/dF is multiplied by the volume of the point, the factor of
// the cell on the moduli, and matrix_scale.
//
// The shift of A, numbers that are added to its diagonal blocks, contributes to P^T A P too. A corner gets the shift of
// its node, and a quarter of the shifts of the middle nodes of its edges. A pair of corners gets a quarter of the shift
// of the middle node between them.
//
// Functions that compute P^T A P from a stored A (pmg.c, pmg.cu) leave out the rows and columns of fixed nodes, whose
// motion is prescribed. This file keeps them, as if P always moved a middle node with its two corners. So the two
// results differ at edges between a free and a fixed node. Both matrices are symmetric, and positive semidefinite if A
// is.
#pragma once
#include "sim/element/solid_points.h"
#include "sim/operator/corner_matrix.h"

// Adds the contribution of integration point q to block [9], the 3 x 3 block of two corners, stored row by row. b_j and
// b_k are the gradients of the corners' linear shape functions. S are the constants that the element stores per cell.
// `point` has the material's data at q, such as F^-T, from which dP/dF follows.
HOST_DEVICE void corner_add_point(const real *S, const ElementParameters *parameters, int q, const MaterialPoint *point,
                                  const real b_j[3], const real b_k[3], real block[9]) {
  const MaterialTangent t = point_tangent(S, parameters, q, point);
  const MaterialNode j = material_node(point, b_j), k = material_node(point, b_k);
  const MaterialPair pair = material_pair(point, &t, b_j, b_k, &j, &k);
  for (int v = 0; v < 9; v++) block[v] += material_entry(point, &t, &j, &k, &pair, v / 3, v % 3);
}

// Adds weight times the shift of a node to block [9]. The shift is a symmetric 3 x 3 matrix that is added to the node's
// diagonal block of A. The array `shift` holds n numbers for the diagonals, then three numbers per node for the entries
// (x, y), (x, z) and (y, z).
HOST_DEVICE void corner_add_node(const real *shift, int64_t n, int node, real weight, real block[9]) {
  const real *own = shift + 3 * (int64_t)node, *cross = shift + n + 3 * (int64_t)node;
  for (int v = 0; v < 9; v++) block[v] += weight * (v / 3 == v % 3 ? own[v / 3] : cross[v / 3 + v % 3 - 1]);
}

// Adds the contribution of the shift to the block m->pair[pair] of P^T A P. The shift is a 3 x 3 matrix for each node
// that is added to the diagonal blocks of A. A corner paired with itself gets the shift of its node, and a quarter of
// the shifts of the middle nodes of its edges. Two corners get a quarter of the shift of the middle node between them.
HOST_DEVICE void corner_add_shift(const CornerMatrix *m, int pair, const real *shift, int64_t n, real block[9]) {
  const int row = m->pair[pair][0], node = m->node[row];
  if (row != m->pair[pair][1]) {
    if (m->middle[pair] >= 0) corner_add_node(shift, n, m->middle[pair], (real)0.25, block);
    return;
  }
  for (int k = m->child_start[row]; k < m->child_start[row + 1]; k++)
    corner_add_node(shift, n, m->child[k], m->child[k] == node ? (real)1 : (real)0.25, block);
}
