// The pattern of the lower triangle of a symmetric matrix with one unknown per node (paper 002). Row a holds the nodes
// <= a that share a cell with a, ascending. Three methods build it, with equal results:
//   connectivity  row by row from the cells at its node, without a list of entries (as MILAMIN's sparse_create)
//   counting      from triplets (row, column, value) by two counting passes (as SuiteSparse's sparse2)
//   sort          from triplets by sorting them (as MATLAB's sparse)
// The methods `counting` and `sort` also sum the values of triplets; `connectivity` builds only the pattern. All
// methods use all cores, and the result has the same bits for any number of cores. The space's graph is not needed.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LOWER_PAIRS_MAX = CELL_NODES_MAX * (CELL_NODES_MAX + 1) / 2 };

// A zeroed LowerPattern is empty.
typedef struct LowerPattern {
  int rows;
  int64_t *start;  // [rows + 1], offsets into `col`
  int *col;        // [start[rows]], ascending in each row; the last entry is the diagonal
} LowerPattern;

// For each node, the cell corners at this node, ascending. Corner a of cell e has the number e * cell_nodes + a. A
// zeroed LowerCorners is empty.
typedef struct LowerCorners {
  int64_t *start;  // [node_count + 1], offsets into `corner`
  int *corner;     // [cell_nodes cell_count], corner numbers, node by node
} LowerCorners;

// The entries of the lower triangles of all element matrices, as triplets. The entry of corners a >= b of cell e is
// triplet number e * pairs + a (a + 1)/2 + b, with pairs = lower_pairs(cell_nodes). A zeroed LowerTriplets is empty.
typedef struct LowerTriplets {
  int64_t count;
  int rows;
  int *row, *col;  // [count], row >= col
} LowerTriplets;

/// Number of entries of the lower triangle of a cell's matrix.
static inline int lower_pairs(int cell_nodes) {
  return cell_nodes * (cell_nodes + 1) / 2;
}

/// Lists the corners. Fails if memory runs out, if the user interrupts, or if there are more corners than an int can
/// count.
bool lower_corners_create(LowerCorners *corners, const Space *space, Error *error);
void lower_corners_destroy(LowerCorners *corners);

/// Builds the pattern by connectivity. Fails if memory runs out or if interrupted.
bool lower_pattern_connect(LowerPattern *pattern, const Space *space, const LowerCorners *corners, Error *error);

bool lower_triplets_create(LowerTriplets *triplets, const Space *space, Error *error);
void lower_triplets_destroy(LowerTriplets *triplets);

/// Build the pattern by counting and by sorting. value [count] holds the triplets' values. *values [start[rows]] gets
/// their sums, each in the order of the triplets; the caller releases it with free(). Both fail if memory runs out, if
/// the user interrupts, or if there are more triplets than an int can count.
bool lower_pattern_count(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                         Error *error);
bool lower_pattern_sort(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                        Error *error);

void lower_pattern_destroy(LowerPattern *pattern);

/// Returns the index in `col` of an entry, which must exist.
static inline int64_t lower_find(const LowerPattern *pattern, int row, int col) {
  const int64_t first = pattern->start[row], last = pattern->start[row + 1];
  int before = 0;
  for (int64_t s = first; s < last; s++) before += pattern->col[s] < col;
  return first + before;
}

#ifdef __cplusplus
}
#endif
