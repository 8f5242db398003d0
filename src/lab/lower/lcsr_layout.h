// LCSR on either device: the lower triangle of a symmetric matrix by rows, own blocks whole, and for each row where the
// entries below stand that are above the diagonal in it. A row's product is that of its own entries, then of those: no
// two rows write to the same place, and sums have one order, where adding a_ij x_i to y_j would need atomics.
//   slot    0 ..                                       of a node's last block: its own
//   value   row 0's entries | row 1's entries | ..     mirror of row i: (slot of a_ki, k) for k > i, ascending
// The values take half of what CSR's do; index and mirror together are 12 bytes an entry, CSR's two columns 8.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LcsrMirror {
  int slot, row;
} LcsrMirror;

typedef struct LcsrLayout {
  int *row_start;      // [n + 1], into col and the values; on the operator's device
  int *col;            // [row_start[n]]; on the operator's device
  int *mirror_start;   // [n + 1], into mirror; on the operator's device
  LcsrMirror *mirror;  // entries of other blocks than own ones, by their columns; on the operator's device
} LcsrLayout;

bool lcsr_layout_create(Operator *A, Error *error);
void lcsr_layout_destroy(Operator *A);
StageBytes lcsr_bytes(const Stage *stage, const StageSize *size);

/// The layout of rows on the host, `row_start` [n + 1] and `col`: for whoever built them without a graph. A has its
/// method, space and n; value_count is set. Fails for lack of memory, or where an int does not count the entries.
bool lcsr_layout_take(Operator *A, const int64_t *row_start, const int *col, Error *error);

#ifdef __cplusplus
}
#endif
