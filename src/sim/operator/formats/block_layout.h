// Index arrays of formats that store whole blocks, on either device. One column index stands for a block of node_dof^2
// values. A "row" here is a row of blocks: that of one node.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BlockLayout {
  // Formats without slices: index of the first block of each row. Formats with slices, which are groups of consecutive
  // rows: index of the first group of each slice. A group is one block of each row of the slice.
  int *start;
  int *length;  // [node_count], number of blocks in each row
  int *column;  // node of each block's columns
  // If rows are reordered: the node of each row, -1 for rows that are padding. Else NULL.
  int *node;
  // [2], on the device; 0 between products. Counters from which the warps of lab/simplex/binbcsr.cu take their rows one
  // by one. Other formats: NULL.
  int *counter;
} BlockLayout;

/// Creates A->layout, except `node` and `counter`. Copies the host arrays start [start_count] and column [column_count]
/// to A's device. Fails if memory runs out.
bool block_layout_create(Operator *A, const int *start, int64_t start_count, const int *column, int64_t column_count,
                         Error *error);
void block_layout_destroy(Operator *A);

/// Sorts rows by decreasing length on the CPU; rows of equal length keep their order. node [capacity] gets the node of
/// each row in the new order, and -1 from index `rows` on. Fails if memory runs out.
bool block_layout_order(const int *length, int rows, int capacity, int *node, Error *error);

/// Divides the rows into bins of `bin` consecutive rows, whose rows are padded to equal length, the width of the bin.
/// The width is the number of blocks of the longest row, less `apart` blocks of each row that are stored separately.
/// start [bins + 1] gets, for each bin, the sum of the widths of all earlier bins, limited to INT32_MAX. `node` is the
/// order of the rows, as above; NULL: the order of the nodes. Returns the sum of all widths.
int64_t block_layout_bins(const int *length, const int *node, int rows, int bin, int apart, int *start);

#ifdef __cplusplus
}
#endif
