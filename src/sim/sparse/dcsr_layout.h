// DCSR on either device: the diagonal in slots [0, n), then the other entries by rows.
//   slot     0 .. n-1     n ..
//   value    K_00 K_11 ..  row 0's others | row 1's others | ...
#pragma once
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DcsrLayout {
  int *row_start;  // [n + 1], into col, and plus n into the values; on the matrix's device
  int *col;        // [off-diagonal entries]; on the matrix's device
} DcsrLayout;

bool dcsr_layout_create(Matrix *A, Error *error);
void dcsr_layout_destroy(Matrix *A);

#ifdef __cplusplus
}
#endif
