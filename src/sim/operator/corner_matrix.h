// The matrix of the linear tets within quadratic ones, P^T A P (solver/multigrid/corner_space.h), for an A that stores
// no values: lists of the cells and nodes that each block sums over. An operator that stores data of its cells' points
// fills the matrix (OperatorMethod.project).
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CornerSpace;

// Arrays on a device. Pairs are pairs of the corners' graph, row by row; nodes are nodes of the whole space.
typedef struct CornerMatrix {
  int pair_count;
  bool diagonal_first;       // the filled matrix stores its diagonal first
  BlockSlots *slots;         // [pair_count], position of each block in that matrix
  int (*pair)[2];            // [pair_count], the two corners
  int *middle;               // [pair_count], the node at the middle of their edge; -1 for a corner with itself
  int64_t *start;            // [pair_count + 1], offsets into term
  int *term;                 // 16 cell + 4 j + k: the block of corners j and k of that cell; ascending for each pair
  int *node;                 // [corners], node of each corner
  int *child_start, *child;  // nodes that a corner moves, as in CornerSpace: itself by 1, middles of edges by 1/2
} CornerMatrix;

/// Builds the lists for a matrix `low` of the corners' space. *matrix is empty after a failure: out of memory, or
/// interrupted.
bool corner_matrix_create(CornerMatrix *matrix, const struct CornerSpace *corners, const Space *whole,
                          const Operator *low, Error *error);
void corner_matrix_destroy(CornerMatrix *matrix, Device device);

/// Bytes that a CornerMatrix needs for these numbers of corners and cells.
double corner_matrix_bytes(double corners, double cells);

#ifdef __cplusplus
}
#endif

// Slot of entry (i, k) of a pair's block.
HOST_DEVICE int corner_slot(const CornerMatrix *m, int pair, int i, int k) {
  const int row = m->pair[pair][0];
  if (row != m->pair[pair][1]) return block_slot(m->slots[pair], i, k);
  return diagonal_block_slot(m->slots[pair], m->diagonal_first, 3, row, i, k);
}
