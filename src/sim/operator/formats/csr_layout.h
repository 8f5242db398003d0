// CSR and DCSR on either device: the entries by rows. DCSR stores the diagonal in slots [0, n), before the others.
//   slot of csr    0 ..                            slot of dcsr   0 .. n-1     n ..
//   value          row 0's entries | row 1's |..   value          K_00 K_11 .. row 0's others | row 1's others |..
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CsrLayout {
  int *row_start;  // [n + 1], offsets into col, and into the values after the diagonal; on the operator's device
  int *col;        // [entries without a diagonal stored first]; on the operator's device
  int *block_row;  // [dot_count + 1], first row of each thread block in products tuned by WHOLE (csr.cu), or NULL
} CsrLayout;

bool csr_layout_create(Operator *A, Error *error);
void csr_layout_destroy(Operator *A);
StageBytes csr_bytes(const Stage *stage, const StageSize *size);

/// Builds the rows on the host and the positions of their blocks; COO uses it too. `row_start` [n + 1] and `col` are as
/// in CsrLayout; the caller releases them with free().
bool csr_assign_slots(Operator *A, int **row_start, int **col, Error *error);

#ifdef __cplusplus
}
#endif
