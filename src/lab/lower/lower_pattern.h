// The lower triangle of a symmetric matrix of one unknown a node (paper 002): for each row, ascending, the nodes up to
// the row's own that share a cell with it. Three ways to build it, all of which give the same:
//   connectivity  row by row from the cells at its node, without a list of entries (as MILAMIN's sparse_create)
//   counting      from triplets (row, column, value) by two counting passes (as SuiteSparse's sparse2)
//   sort          from triplets by sorting them (as MATLAB's sparse)
// Those by triplets add their values up too, which the others leave to lower_sum.h. All use all cores, and give the
// same bits whatever their number. A space's graph is not needed.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LOWER_PAIRS_MAX = CELL_NODES_MAX * (CELL_NODES_MAX + 1) / 2 };

// A zeroed LowerPattern is empty.
typedef struct LowerPattern {
  int rows;
  int64_t *start;  // [rows + 1], into col
  int *col;        // [start[rows]], ascending in each row; the last of a row is its own number
} LowerPattern;

// The corners of cells at each node, ascending: corner a of cell e is e cell_nodes + a. A zeroed LowerCorners is empty.
typedef struct LowerCorners {
  int64_t *start;  // [node_count + 1], into corner
  int *corner;     // [cell_nodes cell_count]
} LowerCorners;

// Every entry of every cell's lower triangle: that of corners a >= b of cell e is number e pairs + a (a + 1)/2 + b. A
// zeroed LowerTriplets is empty.
typedef struct LowerTriplets {
  int64_t count;
  int rows;
  int *row, *col;  // [count], row >= col
} LowerTriplets;

/// Entries of the lower triangle of a cell's matrix.
static inline int lower_pairs(int cell_nodes) {
  return cell_nodes * (cell_nodes + 1) / 2;
}

/// Fails for lack of memory, interrupted, or where there are more corners than an int counts.
bool lower_corners_create(LowerCorners *corners, const Space *space, Error *error);
void lower_corners_destroy(LowerCorners *corners);

/// By connectivity. Fails for lack of memory, or interrupted.
bool lower_pattern_connect(LowerPattern *pattern, const Space *space, const LowerCorners *corners, Error *error);

bool lower_triplets_create(LowerTriplets *triplets, const Space *space, Error *error);
void lower_triplets_destroy(LowerTriplets *triplets);

/// By counting, and by sorting. `value` [count] are the triplets' values; *values [start[rows]] their sums, each in the
/// triplets' order, which free() releases. Fails for lack of memory, interrupted, or where there are more triplets than
/// an int counts.
bool lower_pattern_count(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                         Error *error);
bool lower_pattern_sort(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                        Error *error);

void lower_pattern_destroy(LowerPattern *pattern);

/// The position of a column of a row, which must be there.
static inline int64_t lower_find(const LowerPattern *pattern, int row, int col) {
  const int64_t first = pattern->start[row], last = pattern->start[row + 1];
  int before = 0;
  for (int64_t s = first; s < last; s++) before += pattern->col[s] < col;
  return first + before;
}

#ifdef __cplusplus
}
#endif
