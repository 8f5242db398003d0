// Index arrays of the formats bcsr, ell and sell, which store whole blocks, on CPU or GPU. A block has node_dof^2
// values and one column index: the node of its columns. A "row" here is a row of blocks, which belongs to one node.
// Some formats group rows into slices. A slice has a fixed number of consecutive rows, padded with zero blocks to the
// length of its longest row, the width of the slice. A group is then one block of each row of a slice. Example: a slice
// of 64 rows, the longest of which has 20 blocks, has 20 groups of 64 blocks.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BlockLayout {
  // Formats without slices [node_count + 1]: index of the first block of each row. Formats with slices (groups of rows)
  // [slices + 1]: index of the first group of each slice, counted through all slices. A group is one block of each row
  // of a slice.
  int *start;
  int *length;  // [node_count], number of blocks in each node's row, without padding
  // Column of each block, which is a node. Formats without slices (groups of rows): [blocks]. Formats with slices:
  // [groups][rows of a slice], where a group is one block of each row of a slice.
  int *column;
  // For formats that reorder the rows [rows, with padding]: the node of each row, -1 for rows that are padding. Other
  // formats: NULL.
  int *node;
  // [2], on the device; 0 between products. Two counters for the format of lab/simplex/binbcsr.cu: each warp of its
  // product increments a counter to get the number of its next row. Other formats: NULL.
  int *counter;
} BlockLayout;

/// Creates A->layout, a BlockLayout, except its members `node` and `counter`. Copies the host arrays start
/// [start_count] and column [column_count] to A's device, and computes `length`. Fails if memory runs out.
bool block_layout_create(Operator *A, const int *start, int64_t start_count, const int *column, int64_t column_count,
                         Error *error);
void block_layout_destroy(Operator *A);

/// Sorts rows by decreasing number of blocks, on the CPU; rows of equal length keep their order. length [rows] has the
/// number of blocks of each row. node [capacity] gets the node of each row in the new order, and -1 from index `rows`
/// on. Fails if memory runs out.
bool block_layout_order(const int *length, int rows, int capacity, int *node, Error *error);

/// Divides the rows into bins of `bin` consecutive rows, whose rows are padded to equal length, the width of the bin.
/// The width is the number of blocks of the longest row, less `apart`, the number of blocks of each row that are stored
/// separately, for example its diagonal block. start [bins + 1] gets, for each bin, the sum of the widths of all
/// earlier bins, limited to INT32_MAX. Example: bins of widths 20, 18 and 18 have start = 0, 20, 38, 56. `node` has the
/// node of each row in the order in which rows are divided; NULL: row a belongs to node a. Returns the sum of all
/// widths.
int64_t block_layout_bins(const int *length, const int *node, int rows, int bin, int apart, int *start);

#ifdef __cplusplus
}
#endif
