// The matrix P^T A P of the corners of quadratic tets, for an operator A that stores no values. P interpolates linearly
// from the corners of cells to all nodes (solver/multigrid/corner_space.h). The multigrid preconditioner (pmg.c) uses
// this smaller matrix on its second level. It has a 3 x 3 block for each pair of corners that have a cell in common.
// This file lists, for each of these blocks, the cells and nodes that contribute to it. OperatorMethod.project computes
// the matrix from the lists.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CornerSpace;

// All arrays are on one device. A "pair" is the index of one block: an index into the neighbour lists of the corners'
// graph. It stands for a corner and one of its neighbouring corners. "Node" means a node of the quadratic mesh;
// "corner" means a number in the mesh of the corners only. Example: corner 5 may be node 12 of the quadratic mesh.
typedef struct CornerMatrix {
  // Number of 3 x 3 blocks of P^T A P, the matrix of the corners: one for each pair of corners that have a cell in
  // common, and each corner with itself.
  int pair_count;
  bool diagonal_first;  // the operator that stores P^T A P stores its diagonal first
  BlockSlots *slots;    // [pair_count], position of each block in the array that stores P^T A P
  int (*pair)[2];       // [pair_count], the two corners of each pair: row and column of the block
  // [pair_count], node of the quadratic mesh at the middle of the edge between the two corners of the pair; -1 for the
  // pair of a corner with itself
  int *middle;
  // [pair_count + 1], offsets into `term`, the list of the cells' contributions: pair (block) p is the sum of the
  // contributions term[start[p]] to term[start[p + 1] - 1]
  int64_t *start;
  // For each pair (block), the cells that contribute to the block, in ascending order. One contribution is coded as 16
  // cell + 4 j + k: the contribution of local corners j and k of that cell. Example: 16 * 7 + 4 * 2 + 1 is corners 2
  // and 1 of cell 7.
  int *term;
  int *node;  // [corners], node of the quadratic mesh for each corner
  // The nodes to which P interpolates from each corner: its own node with weight 1, and the middle nodes of its edges
  // with weight 1/2. Those of corner c are child[child_start[c]] to child[child_start[c + 1] - 1]. child_start has
  // [corners + 1] offsets.
  int *child_start, *child;
} CornerMatrix;

/// Builds the lists of a CornerMatrix on the device of `low`. `whole` is the space of the quadratic mesh, and `low` the
/// operator that will store P^T A P, with only the corners as nodes. Fails if memory runs out or the user interrupts;
/// *matrix is then empty.
bool corner_matrix_create(CornerMatrix *matrix, const struct CornerSpace *corners, const Space *whole,
                          const Operator *low, Error *error);
void corner_matrix_destroy(CornerMatrix *matrix, Device device);

/// Returns the bytes that a CornerMatrix needs for these numbers of corners and cells.
double corner_matrix_bytes(double corners, double cells);

#ifdef __cplusplus
}
#endif

// Returns the index of one entry of P^T A P, the matrix of the corners, in the array that stores it. The entry is in
// row i and column k of the 3 x 3 block of `pair`, a pair of corners.
HOST_DEVICE int corner_slot(const CornerMatrix *m, int pair, int i, int k) {
  const int row = m->pair[pair][0];
  if (row != m->pair[pair][1]) return block_slot(m->slots[pair], i, k);
  return diagonal_block_slot(m->slots[pair], m->diagonal_first, 3, row, i, k);
}
