// The pattern of the lower triangle of a symmetric matrix with one unknown per node (paper 002): row a holds the nodes
// <= a that share a cell with a, ascending. Three builders give equal results:
//   connectivity  row by row from the cells at its node, without a list of entries (as MILAMIN's sparse_create)
//   counting      from triplets (row, column, value) by two counting passes (as SuiteSparse's sparse2)
//   sort          from triplets by sorting them (as MATLAB's sparse)
// The last two also sum the values of triplets; the first only builds the pattern. All use all cores, and the bits do
// not depend on their number. The space's graph is not needed.
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
  int *col;        // [start[rows]], ascending in each row; the last entry is the diagonal
} LowerPattern;

// Corners of cells at each node, ascending: corner a of cell e has the number e cell_nodes + a. A zeroed LowerCorners
// is empty.
typedef struct LowerCorners {
  int64_t *start;  // [node_count + 1], into corner
  int *corner;     // [cell_nodes cell_count]
} LowerCorners;

// All entries of all cells' lower triangles: the entry of corners a >= b of cell e has the number e pairs + a (a + 1)/2
// + b. A zeroed LowerTriplets is empty.
typedef struct LowerTriplets {
  int64_t count;
  int rows;
  int *row, *col;  // [count], row >= col
} LowerTriplets;

/// Number of entries of the lower triangle of a cell's matrix.
static inline int lower_pairs(int cell_nodes) {
  return cell_nodes * (cell_nodes + 1) / 2;
}

/// Fails if memory runs out, if interrupted, or if an int cannot count the corners.
bool lower_corners_create(LowerCorners *corners, const Space *space, Error *error);
void lower_corners_destroy(LowerCorners *corners);

/// Builds the pattern by connectivity. Fails if memory runs out or if interrupted.
bool lower_pattern_connect(LowerPattern *pattern, const Space *space, const LowerCorners *corners, Error *error);

bool lower_triplets_create(LowerTriplets *triplets, const Space *space, Error *error);
void lower_triplets_destroy(LowerTriplets *triplets);

/// Build the pattern by counting and by sorting. `value` [count] holds the triplets' values; *values [start[rows]]
/// their sums, each in the order of triplets, for the caller to free(). Fail if memory runs out, if interrupted, or if
/// an int cannot count the triplets.
bool lower_pattern_count(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                         Error *error);
bool lower_pattern_sort(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                        Error *error);

void lower_pattern_destroy(LowerPattern *pattern);

/// Returns the position of a column of a row, which must exist.
static inline int64_t lower_find(const LowerPattern *pattern, int row, int col) {
  const int64_t first = pattern->start[row], last = pattern->start[row + 1];
  int before = 0;
  for (int64_t s = first; s < last; s++) before += pattern->col[s] < col;
  return first + before;
}

#ifdef __cplusplus
}
#endif
