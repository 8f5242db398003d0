// The matrix of the linear tets within quadratic ones, P^T A P (solver/multigrid/corner_space.h), where A stores no
// values: which cells and nodes each of its blocks comes from. An operator that keeps what the points of its cells need
// fills it in (OperatorMethod.project).
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CornerSpace;

// Arrays on a device. Pairs are those of the corners' graph, by rows; nodes those of the whole space.
typedef struct CornerMatrix {
  int pair_count;
  bool diagonal_first;       // of the matrix that is filled
  BlockPlace *place;         // [pair_count], in it
  int (*pair)[2];            // [pair_count], the two corners
  int *middle;               // [pair_count], the node in the middle of their edge; -1: it is a corner with itself
  int64_t *start;            // [pair_count + 1], into term
  int *term;                 // 16 cell + 4 j + k: the block of corners j and k of that cell; ascending for each pair
  int *node;                 // [corners], a corner's node
  int *child_start, *child;  // nodes that a corner moves, itself by 1 and middles of edges by 1/2, as in CornerSpace
} CornerMatrix;

/// For a matrix `low` of the corners' space. Empty on failure: for lack of memory, or interrupted.
bool corner_matrix_create(CornerMatrix *matrix, const struct CornerSpace *corners, const Space *whole,
                          const Operator *low, Error *error);
void corner_matrix_destroy(CornerMatrix *matrix, Device device);

/// bytes that it takes, for so many corners and cells
double corner_matrix_bytes(double corners, double cells);

#ifdef __cplusplus
}
#endif

// Where entry (i, k) of a pair's block stands.
HOST_DEVICE int corner_slot(const CornerMatrix *m, int pair, int i, int k) {
  const int row = m->pair[pair][0];
  if (row != m->pair[pair][1]) return block_slot(m->place[pair], i, k);
  return own_block_slot(m->place[pair], m->diagonal_first, 3, row, i, k);
}
