// The formats CSR and DCSR. CSR stores the values of the entries row by row. DCSR stores the diagonal entries K_00,
// K_11, ... of the matrix first, and then the other entries row by row.
//
//   index of csr    0 ..                            index of dcsr   0 .. n-1     n ..
//   value           row 0's entries | row 1's |..   value           K_00 K_11 .. row 0's others | row 1's others |..
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CsrLayout {
  // [n + 1], index into `col` of the first entry of each row. Example: two rows of 3 and 2 entries give 0, 3, 5. In
  // DCSR, diagonal entries are not counted. On the operator's device.
  int *row_start;
  int *col;  // column of each entry, in DCSR without the diagonal; on the operator's device
  // [block_count + 1], for each thread block of stream_kernel (csr.cu) the first row that it processes; the last
  // element is n. NULL if another kernel computes products.
  int *block_row;
  int block_count;  // number of thread blocks of stream_kernel; 0 if block_row is NULL
} CsrLayout;

// Creates A->layout, and sets A->slots, the position of each block in A->values.
bool csr_layout_create(Operator *A, Error *error);
void csr_layout_destroy(Operator *A);
StageBytes csr_bytes(const Stage *stage, const StageSize *size);

/// Builds the arrays of CsrLayout on the host: row_start [n + 1], and `col` with the column of each entry. The caller
/// frees both. Also sets A->slots, the position of each block in A->values. COO and DCOO use this function too.
bool csr_assign_slots(Operator *A, int **row_start, int **col, Error *error);

#ifdef __cplusplus
}
#endif
