// The formats CSR and DCSR on either device: the values of the entries, row by row. DCSR stores the diagonal of the
// matrix first, in values[0] to values[n - 1], and then the other entries, row by row.
//   index of csr    0 ..                            index of dcsr   0 .. n-1     n ..
//   value           row 0's entries | row 1's |..   value           K_00 K_11 .. row 0's others | row 1's others |..
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CsrLayout {
  // [n + 1], offsets into `col`; in DCSR, also offsets into the values after the diagonal. On the operator's device.
  int *row_start;
  int *col;  // column of each entry, in DCSR without the diagonal; on the operator's device
  // [dot_count + 1], first row of each thread block, for the product stream_kernel of csr.cu; NULL with other products.
  int *block_row;
} CsrLayout;

bool csr_layout_create(Operator *A, Error *error);
void csr_layout_destroy(Operator *A);
StageBytes csr_bytes(const Stage *stage, const StageSize *size);

/// Builds row_start [n + 1] and `col` on the host, as in CsrLayout, and fills A->slots, the positions of all blocks.
/// The caller frees both arrays. The formats COO and DCOO use this function too.
bool csr_assign_slots(Operator *A, int **row_start, int **col, Error *error);

#ifdef __cplusplus
}
#endif
