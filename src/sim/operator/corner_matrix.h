// The matrix P^T A P of the corners of quadratic tets, for an operator A that stores no values. P interpolates linearly
// from the corners of cells to all nodes (solver/multigrid/corner_space.h). The multigrid preconditioner (pmg.c) uses
// this smaller matrix on its second level. This file lists, for each block of P^T A P, the cells and nodes that
// contribute to it. OperatorMethod.project computes the matrix from these lists.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CornerSpace;

// All arrays are on one device. "Pair" means an ordered pair of neighbouring corners: an index into the neighbour lists
// of the corners' graph. "Node" means a node of the quadratic mesh.
typedef struct CornerMatrix {
  int pair_count;
  bool diagonal_first;  // the filled matrix stores its diagonal first
  BlockSlots *slots;    // [pair_count], position of each block in that matrix
  int (*pair)[2];       // [pair_count], the two corners of each pair
  // [pair_count], node at the middle of the edge between the two corners; -1 for the pair of a corner with itself
  int *middle;
  // [pair_count + 1], offsets into `term`
  int64_t *start;
  // For each pair, the cells that contribute to it, in ascending order. A contribution is coded as 16 cell + 4 j + k:
  // the block of corners j and k of that cell. Example: 16 * 7 + 4 * 2 + 1 is corners 2 and 1 of cell 7.
  int *term;
  int *node;  // [corners], node of each corner
  // For each corner, the nodes to which P interpolates from it: its own node with weight 1, and the middle nodes of its
  // edges with weight 1/2. child_start [corners + 1] are offsets into `child`.
  int *child_start, *child;
} CornerMatrix;

/// Builds the lists. `whole` is the space of the quadratic mesh, and `low` the operator that will hold P^T A P, in the
/// space of the corners. Fails if memory runs out or the user interrupts; *matrix is then empty.
bool corner_matrix_create(CornerMatrix *matrix, const struct CornerSpace *corners, const Space *whole,
                          const Operator *low, Error *error);
void corner_matrix_destroy(CornerMatrix *matrix, Device device);

/// Returns the bytes that a CornerMatrix needs for these numbers of corners and cells.
double corner_matrix_bytes(double corners, double cells);

#ifdef __cplusplus
}
#endif

// Returns the index of entry (i, k) of a pair's block in the values of P^T A P, the matrix of the corners.
HOST_DEVICE int corner_slot(const CornerMatrix *m, int pair, int i, int k) {
  const int row = m->pair[pair][0];
  if (row != m->pair[pair][1]) return block_slot(m->slots[pair], i, k);
  return diagonal_block_slot(m->slots[pair], m->diagonal_first, 3, row, i, k);
}
