// Index arrays of the formats bcsr, dia, ell and sell, which store blocks of node_dof^2 values. Each block has one
// column index, which is a node. A "row" here is the row of blocks of one node. ell and sell group rows into slices. A
// slice is a fixed number of consecutive rows, padded with zero blocks to the longest of them. A group is one block of
// each row of a slice. Example: a slice of 64 rows, the longest of which has 20 blocks, has 20 groups of 64 blocks. dia
// has slices too, but there a group is the blocks of a slice on one diagonal, with one offset for all of them (dia.c).
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// BLOCK_SLICE: nodes per slice, a group of consecutive nodes, in the formats ell and dia. SELL_SLICE: rows per slice in
// the format sell, one for each thread of a warp.
enum { BLOCK_SLICE = 64, SELL_SLICE = 32 };

typedef struct BlockLayout {
  // Formats without slices, [node_count + 1]: index of the first block of each row. Formats with slices (sets of padded
  // rows), [slices + 1]: index of the first group of each slice. A group is one block of each row of a slice.
  int *start;
  int *length;  // [node_count], number of blocks in each node's row, without padding
  // Column of each block, which is a node. Formats without slices: [blocks]. Formats with slices (sets of padded rows):
  // [groups][rows of a slice], where a group is one block of each row of a slice. In dia: [groups], column minus row of
  // the blocks of each group.
  int *column;
  // [sorted rows], only in formats that sort the rows by length: node of each sorted row; -1 for rows after the last
  // node. Else NULL.
  int *node;
  // Only in lab/simplex/binbcsr.cu, else NULL: two counters on the device, 0 between products. A warp increments a
  // counter to get the number of its next row.
  int *counter;
} BlockLayout;

/// Creates A->layout, the index arrays of a format that stores blocks. Copies `start` [start_count] and `column`
/// [column_count] (BlockLayout) from the host to A's device, and computes `length`. Fails if memory runs out.
bool block_layout_create(Operator *A, const int *start, int64_t start_count, const int *column, int64_t column_count,
                         Error *error);
void block_layout_destroy(Operator *A);

/// Sorts rows by decreasing number of blocks; rows of equal length keep their order. length [rows] has the number of
/// blocks of each row. node [capacity] gets the row at each sorted index, and -1 from index `rows` on. Runs on the CPU.
/// Fails if memory runs out.
bool block_layout_order(const int *length, int rows, int capacity, int *node, Error *error);

/// Divides the rows into bins of `bin` consecutive rows and computes the width of each bin: the number of blocks of its
/// longest row, less `apart`. `apart` is the number of blocks per row that are stored elsewhere, for example the
/// diagonal block. start [bins + 1] gets the sums of the widths of earlier bins, at most INT32_MAX: widths 20, 18 and
/// 18 give 0, 20, 38, 56. `node` has the node of each row; NULL: row a belongs to node a. Returns the sum of all
/// widths.
int64_t block_layout_bins(const int *length, const int *node, int rows, int bin, int apart, int *start);

#ifdef __cplusplus
}
#endif
