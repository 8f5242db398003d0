// The matrix format LCSR on either device: the lower triangle of a symmetric matrix by rows, with whole diagonal
// blocks. A slot is the index of a stored entry in the array of values:
//   slots   entries of row 0 | entries of row 1 | ...
// The last stored block of a node's row is its diagonal block. The mirror of row i is the list of its entries a_ik
// above the diagonal. Each is stored only as a_ki, so the mirror has pairs (slot of a_ki, row k) with k > i, ascending.
// For example, the lower triangle of a 2 x 2 matrix has a_00, a_10, a_11 in slots 0, 1, 2; the mirror of row 0 is (1,
// 1).
//
// In a product, row i sums its stored entries and then its mirror. So each element of y is written by one row only, in
// a fixed order. Adding a_ij x_i to y_j, for stored entries only, would need atomic additions. Values take half of the
// memory that CSR (compressed sparse rows) needs. A stored entry has 12 bytes of indices: its column, and its slot and
// row in a mirror. For the same two entries of the matrix, CSR stores two columns, 8 bytes.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// One entry of a mirror: the slot of the transposed entry a_ki, and its row k.
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

/// Creates the index arrays of LCSR for a matrix that was built without a graph of nodes. row_start [n + 1] and `col`,
/// on the host, give the columns of each row. The operator A must have its method, space and n; the function sets
/// A->layout, a LcsrLayout, and value_count. Fails if memory runs out, or if there are more entries than an int can
/// count.
bool lcsr_layout_take(Operator *A, const int64_t *row_start, const int *col, Error *error);

#ifdef __cplusplus
}
#endif
