// The format LCSR on either device: the lower triangle of a symmetric matrix by rows, with whole diagonal blocks. Each
// row also has a list of its entries above the diagonal, its mirror, which refers to the transposed entries below. In a
// product, each row sums its stored entries and then its mirror. So no two rows write to one element of y, and sums
// have a fixed order. Adding a_ij x_i to y_j instead would need atomics.
//   slot    0 ..                                       the last block of a node is its diagonal block
//   value   row 0's entries | row 1's entries | ..     mirror of row i: (slot of a_ki, k) for k > i, ascending
// Values take half of CSR's memory. A stored entry has 12 bytes of indices: its column and its mirror. CSR stores the
// entry and its transpose, with 8 bytes for their two columns.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LcsrMirror {
  int slot, row;
} LcsrMirror;

typedef struct LcsrLayout {
  int *row_start;      // [n + 1], offsets into `col` and the values; on the operator's device
  int *col;            // [row_start[n]], column of each entry; on the operator's device
  int *mirror_start;   // [n + 1], offsets into `mirror`; on the operator's device
  LcsrMirror *mirror;  // entries outside diagonal blocks, sorted by column; on the operator's device
} LcsrLayout;

bool lcsr_layout_create(Operator *A, Error *error);
void lcsr_layout_destroy(Operator *A);
StageBytes lcsr_bytes(const Stage *stage, const StageSize *size);

/// Creates the layout from rows on the host, row_start [n + 1] and `col`, for a matrix that was built without a graph.
/// A must have its method, space and n; this function sets value_count. Fails if memory runs out, or if there are more
/// entries than an int can count.
bool lcsr_layout_take(Operator *A, const int64_t *row_start, const int *col, Error *error);

#ifdef __cplusplus
}
#endif
