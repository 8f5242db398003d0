// LCSR on either device: the lower triangle of a symmetric matrix by rows, with whole diagonal blocks. Each row also
// lists its entries above the diagonal, as slots of the transposed entries below. A product sums the row's stored
// entries, then these: no two rows write to one element, and sums have a fixed order, while adding a_ij x_i to y_j
// would need atomics.
//   slot    0 ..                                       the last block of a node is its diagonal block
//   value   row 0's entries | row 1's entries | ..     mirror of row i: (slot of a_ki, k) for k > i, ascending
// Values take half of CSR's memory; index and mirror together take 12 bytes an entry, CSR's two columns 8.
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
  LcsrMirror *mirror;  // entries outside diagonal blocks, sorted by column; on the operator's device
} LcsrLayout;

bool lcsr_layout_create(Operator *A, Error *error);
void lcsr_layout_destroy(Operator *A);
StageBytes lcsr_bytes(const Stage *stage, const StageSize *size);

/// Makes the layout from rows on the host, `row_start` [n + 1] and `col`, that were built without a graph. A has its
/// method, space and n; value_count is set. Fails if memory runs out, or if an int cannot count the entries.
bool lcsr_layout_take(Operator *A, const int64_t *row_start, const int *col, Error *error);

#ifdef __cplusplus
}
#endif
