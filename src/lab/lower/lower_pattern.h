// The pattern of the lower triangle of a symmetric matrix with one unknown per node (paper 002). A pattern is the list
// of the columns of each row. Row a has the columns b <= a of all nodes b that share a cell with node a, ascending.
// Three methods build the pattern, with equal results:
//   connectivity  row by row, from the list of cells at the row's node (as the function sparse_create of MILAMIN)
//   counting      from triplets (row, column, value), by two counting sorts (as the function sparse2 of SuiteSparse)
//   sort          from triplets, by sorting them by row and column (as the function sparse of MATLAB)
// The methods `counting` and `sort` also sum the values of the triplets of each entry. All methods use all cores, and
// the result has the same bits for any number of cores. No method needs Space.graph, the graph of nodes.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LOWER_PAIRS_MAX = CELL_NODES_MAX * (CELL_NODES_MAX + 1) / 2 };

// The columns of each row of a lower triangle. For example, row 2 has the columns 1 and 2 if nodes 0 and 2 share no
// cell, so that the entry (2, 0) is not stored. A zeroed LowerPattern is empty.
typedef struct LowerPattern {
  int rows;
  int64_t *start;  // [rows + 1], index in `col` of the first column of each row
  int *col;        // [start[rows]], columns, ascending in each row; the last one of a row is the diagonal
} LowerPattern;

// For each node, the corners of cells at this node, ascending. A corner is one node of one cell: corner a of cell e has
// the number e * cell_nodes + a. With 8 nodes per cell, corner 19 is node 3 of cell 2. A zeroed LowerCorners is empty.
typedef struct LowerCorners {
  int64_t *start;  // [node_count + 1], index in `corner` of the first corner of each node
  int *corner;     // [cell_nodes cell_count], corner numbers, node by node
} LowerCorners;

// Rows and columns of the entries of the lower triangles of all element matrices, without values. The entry of corners
// a >= b of cell e is triplet e * pairs + a (a + 1)/2 + b, where pairs = lower_pairs(cell_nodes) is the number of
// entries per cell. With 8 nodes per cell, pairs is 36 and triplet 40 is entry (2, 1) of cell 1. A zeroed LowerTriplets
// is empty.
typedef struct LowerTriplets {
  int64_t count;
  int rows;
  int *row, *col;  // [count], row and column of each triplet in the matrix; row >= col
} LowerTriplets;

/// Returns the number of entries of the lower triangle of one element matrix.
static inline int lower_pairs(int cell_nodes) {
  return cell_nodes * (cell_nodes + 1) / 2;
}

/// Lists, for each node of `space`, the corners of cells at this node. A corner is one node of one cell. Fails if
/// memory runs out, if the user interrupts, or if there are more corners than an int can count.
bool lower_corners_create(LowerCorners *corners, const Space *space, Error *error);
void lower_corners_destroy(LowerCorners *corners);

/// Builds the pattern of the lower triangle row by row. Row a belongs to node a. Its columns are the nodes b <= a that
/// share a cell with node a. Fails if memory runs out, if the user interrupts, or if a row has more than 512 columns.
bool lower_pattern_connect(LowerPattern *pattern, const Space *space, const LowerCorners *corners, Error *error);

bool lower_triplets_create(LowerTriplets *triplets, const Space *space, Error *error);
void lower_triplets_destroy(LowerTriplets *triplets);

/// Build the pattern of the lower triangle, and its values, from triplets (row, column, value). lower_pattern_count
/// uses two counting sorts, and lower_pattern_sort a radix sort. value [count] is the value of each triplet. *values
/// [start[rows]] gets the value of each matrix entry, summed in the order of the triplets; the caller frees it with
/// free(). They fail if memory runs out or if the user interrupts. lower_pattern_count also fails if there are more
/// triplets than an int can count.
bool lower_pattern_count(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                         Error *error);
bool lower_pattern_sort(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                        Error *error);

void lower_pattern_destroy(LowerPattern *pattern);

/// Returns the index in pattern->col of the entry (row, col), which must exist.
static inline int64_t lower_find(const LowerPattern *pattern, int row, int col) {
  const int64_t first = pattern->start[row], last = pattern->start[row + 1];
  int before = 0;
  for (int64_t s = first; s < last; s++) before += pattern->col[s] < col;
  return first + before;
}

#ifdef __cplusplus
}
#endif
