// Index arrays of formats that store whole blocks, on either device: one column index per node_dof^2 values.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BlockLayout {
  int *start;    // first block of each node's row, or first group of blocks of each slice
  int *length;   // [node_count], number of blocks in each node's row
  int *column;   // column of each block: a node
  int *node;     // node of each row of blocks if rows are reordered, -1 for padding rows; else NULL
  int *counter;  // [2], for products whose warps fetch rows dynamically (binbcsr.cu), 0 between products; else NULL
} BlockLayout;

/// Creates A->layout, except `node` and `counter`, from host arrays, which it copies to A's device. Fails if memory
/// runs out.
bool block_layout_create(Operator *A, const int *start, int64_t start_count, const int *column, int64_t column_count,
                         Error *error);
void block_layout_destroy(Operator *A);

/// Sorts rows by decreasing length, stably, on the CPU. node [room] gets the node of each row, then -1. Fails if memory
/// runs out.
bool block_layout_order(const int *length, int rows, int capacity, int *node, Error *error);

/// Computes start [bins + 1] of bins of `bin` rows, each bin as wide as its longest row minus `apart` blocks; node as
/// above, or NULL. Returns the sum of all widths; entries of `start` are limited to INT32_MAX.
int64_t block_layout_bins(const int *length, const int *node, int rows, int bin, int apart, int *start);

#ifdef __cplusplus
}
#endif
