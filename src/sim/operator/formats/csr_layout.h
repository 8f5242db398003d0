// CSR and DCSR on either device: the entries by rows; the D form has the diagonal in slots [0, n), before the others.
//   slot of csr    0 ..                            slot of dcsr   0 .. n-1     n ..
//   value          row 0's entries | row 1's |..   value          K_00 K_11 .. row 0's others | row 1's others |..
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CsrLayout {
  int *row_start;  // [n + 1], into col, and behind the diagonal into the values; on the operator's device
  int *col;        // [entries behind the diagonal]; on the operator's device
  int *block_row;  // [dot_count + 1], where products by whole blocks have each block's rows begin (csr.cu), or NULL
} CsrLayout;

bool csr_layout_create(Operator *A, Error *error);
void csr_layout_destroy(Operator *A);
StageBytes csr_bytes(const Stage *stage, const StageSize *size);

/// Entries by rows on the host, which free() releases, and where their blocks stand: also what COO makes its rows of.
/// `row_start` [n + 1] and `col` as in CsrLayout.
bool csr_place_rows(Operator *A, int **row_start, int **col, Error *error);

#ifdef __cplusplus
}
#endif
