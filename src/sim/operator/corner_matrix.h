// Lists from which P^T A P is computed, where A is the matrix-free operator of a mesh of quadratic tets. P interpolates
// linearly from the corners of the tets to all nodes (solver/multigrid/corner_space.h). So P^T A P is a matrix of the
// corners, with a 3 x 3 block for each pair of corners with a common tet. The second level of multigrid uses this
// matrix (pmg.c). The lists give the cells and nodes that contribute to each block. OperatorMethod.project computes the
// blocks.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CornerSpace;

// Lists of the contributions to each block of P^T A P, on one device. A is the matrix of a mesh of quadratic tets, and
// P interpolates linearly from the corners of the tets to all nodes. So P^T A P is a matrix of the corners. A "pair" is
// one block: a corner (row) and one of its neighbouring corners (column). A "node" is numbered in the quadratic mesh, a
// "corner" in the mesh of corners only. Example: corner 5 may be node 12 of the quadratic mesh.
typedef struct CornerMatrix {
  // Number of 3 x 3 blocks of P^T A P: pairs of corners with a common cell, and pairs of a corner with itself.
  int pair_count;
  bool diagonal_first;  // true: the array that stores P^T A P begins with the diagonal entries of the matrix
  BlockSlots *slots;    // [pair_count], position of each block in the array that stores P^T A P
  int (*pair)[2];       // [pair_count], the two corners of each pair: row and column of the block
  // [pair_count], node at the middle of the edge between the two corners of the pair; -1 for a corner with itself
  int *middle;
  // [pair_count + 1], indices in `term`. The contributions to the block of pair p are term[start[p]] to term[start[p +
  // 1] - 1].
  int64_t *start;
  // Contributions to the blocks, pair by pair. The number 16 cell + 4 j + k is the contribution of local corners j and
  // k (0 to 3) of `cell`. Example: 16 * 7 + 4 * 2 + 1 means corners 2 and 1 of cell 7.
  int *term;
  int *node;  // [corners], node of the quadratic mesh for each corner
  // Nodes to which P interpolates from a corner: the corner's node with weight 1, and the middle nodes of its edges
  // with weight 1/2. The nodes for corner c are child[child_start[c]] to child[child_start[c + 1] - 1]. child_start has
  // [corners + 1] elements.
  int *child_start, *child;
} CornerMatrix;

/// Builds the lists of a CornerMatrix on the device of `low`, the operator that will store P^T A P. `whole` is the
/// space of the quadratic mesh, to which A belongs, and `corners` describes its corners, from which P interpolates to
/// all nodes. Fails if memory runs out or the user interrupts; *matrix is then empty.
bool corner_matrix_create(CornerMatrix *matrix, const struct CornerSpace *corners, const Space *whole,
                          const Operator *low, Error *error);
void corner_matrix_destroy(CornerMatrix *matrix, Device device);

/// Returns the bytes of a CornerMatrix for these numbers of corners and cells.
double corner_matrix_bytes(double corners, double cells);

#ifdef __cplusplus
}
#endif

// Returns the index of one entry of P^T A P in the array that stores it. P^T A P is a matrix of the corners of a
// quadratic mesh (CornerMatrix). It has a 3 x 3 block for each `pair` of corners with a common cell. The entry is in
// row i and column k of the block.
HOST_DEVICE int corner_slot(const CornerMatrix *m, int pair, int i, int k) {
  const int row = m->pair[pair][0];
  if (row != m->pair[pair][1]) return block_slot(m->slots[pair], i, k);
  return diagonal_block_slot(m->slots[pair], m->diagonal_first, 3, row, i, k);
}
