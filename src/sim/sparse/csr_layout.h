// CSR and DCSR on either device: the entries by rows; the D form has the diagonal in slots [0, n), before the others.
//   slot of csr    0 ..                                slot of dcsr   0 .. n-1     n ..
//   value          row 0's entries | row 1's | ...     value          K_00 K_11 .. row 0's others | row 1's others | ...
#pragma once
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CsrLayout {
  int *row_start;  // [n + 1], into col, and behind the diagonal into the values; on the matrix's device
  int *col;        // [entries behind the diagonal]; on the matrix's device
} CsrLayout;

bool csr_layout_create(Matrix *A, Error *error);
void csr_layout_destroy(Matrix *A);

#ifdef __cplusplus
}
#endif
