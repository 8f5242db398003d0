// Index arrays of formats that keep whole blocks, on either device: one column index serves node_dof^2 values.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BlockLayout {
  int *start;    // where rows of blocks begin among the columns: of each node, or of each group of them
  int *length;   // [node_count], blocks of each node's row
  int *column;   // the other node of each block
  int *node;     // of each row of blocks where they are reordered, -1 behind the last; else NULL
  int *counter;  // [2] of products whose warps take rows as they come (binbcsr.cu), all 0 between them; else NULL
} BlockLayout;

/// A->layout but for `node` and `counter`, from host arrays that it copies to A's device. Fails for lack of memory.
bool block_layout_create(Operator *A, const int *start, int64_t start_count, const int *column, int64_t column_count,
                         Error *error);
void block_layout_destroy(Operator *A);

/// Rows by falling length, those of one length in their old order: node [room], the node of each, -1 behind the last.
/// On the CPU; fails for lack of memory.
bool block_layout_order(const int *length, int rows, int room, int *node, Error *error);

/// Where bins of `bin` rows begin, start [bins + 1], each as wide as its longest row without `apart` of its blocks;
/// node as above or NULL. Returns the sum of all widths, of which `start` has INT32_MAX at most.
int64_t block_layout_bins(const int *length, const int *node, int rows, int bin, int apart, int *start);

#ifdef __cplusplus
}
#endif
