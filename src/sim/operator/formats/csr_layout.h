// The formats CSR and DCSR on CPU and GPU. CSR stores the values of the entries, row by row. DCSR stores the diagonal
// of the matrix first, in values[0] to values[n - 1], and then the other entries, row by row. K_00 below is the entry
// of the matrix in row 0 and column 0.
//
//   index of csr    0 ..                            index of dcsr   0 .. n-1     n ..
//   value           row 0's entries | row 1's |..   value           K_00 K_11 .. row 0's others | row 1's others |..
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CsrLayout {
  // [n + 1], first entry of each row: an index into `col`. In CSR also an index into the values; in DCSR, into the
  // values after the diagonal. Example: rows of 3 and 2 entries give row_start = 0, 3, 5. On the operator's device.
  int *row_start;
  int *col;  // column of each entry, in DCSR without the diagonal; on the operator's device
  // [dot_count + 1], first row of each thread block, for the product of csr.cu in which a thread block reads the
  // entries of consecutive rows side by side (stream_kernel). NULL if another product is used.
  int *block_row;
} CsrLayout;

// csr_layout_create creates A->layout, a CsrLayout, and sets A->slots, the position of each block in A->values.
bool csr_layout_create(Operator *A, Error *error);
void csr_layout_destroy(Operator *A);
StageBytes csr_bytes(const Stage *stage, const StageSize *size);

/// Builds on the host the arrays of CsrLayout: row_start [n + 1], the first entry of each row, and `col`, the column of
/// each entry. Also fills A->slots, the position of each block in A->values. The caller frees both arrays. The formats
/// COO and DCOO use this function too.
bool csr_assign_slots(Operator *A, int **row_start, int **col, Error *error);

#ifdef __cplusplus
}
#endif
