// The matrix format LCSR on either device: the lower triangle of a symmetric matrix by rows, with complete diagonal
// blocks. A slot is the index of an entry in the array of values:
//   slots   entries of row 0 | entries of row 1 | ...
// The last block of a node's row is its diagonal block. The mirror of row i locates its entries a_ik above the
// diagonal, which are stored only as a_ki: it is a list of pairs (slot of a_ki, row k) with k > i, ascending. Example:
// a 2 x 2 matrix stores a_00, a_10, a_11 in slots 0, 1, 2, and the mirror of row 0 is the pair (slot 1, row 1).
//
// In a product, row i sums its stored entries and then its mirror. So each element of y is written by one thread, after
// sums in a fixed order and without atomic additions. The format needs half as many values as CSR (compressed sparse
// rows). An entry and its transpose together need 12 bytes of indices (a column, a slot and a row), in CSR 8 bytes (two
// columns).
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// The place of one entry a_ik above the diagonal of row i: `slot` is the slot of the stored entry a_ki, and `row` is k.
typedef struct LcsrMirror {
  int slot, row;
} LcsrMirror;

typedef struct LcsrLayout {
  int *row_start;      // [n + 1], first slot of each row; on the operator's device
  int *col;            // [row_start[n]], column of each slot; on the operator's device
  int *mirror_start;   // [n + 1], first entry of each row's mirror; on the operator's device
  LcsrMirror *mirror;  // [mirror_start[n]], the mirrors of all rows; on the operator's device
} LcsrLayout;

bool lcsr_layout_create(Operator *A, Error *error);
void lcsr_layout_destroy(Operator *A);
StageBytes lcsr_bytes(const Stage *stage, const StageSize *size);

/// Creates the index arrays of LCSR from the columns of each row, without a graph of nodes. Row i has the columns
/// col[row_start[i]] to col[row_start[i + 1] - 1]; row_start [n + 1] and col [row_start[n]] are on the host. On entry,
/// A must have its method, space and n. Sets A->layout, a LcsrLayout, and A->value_count. Fails if memory runs out, or
/// if there are more entries than an int can count.
bool lcsr_layout_take(Operator *A, const int64_t *row_start, const int *col, Error *error);

#ifdef __cplusplus
}
#endif
