// DHYB on either device: the diagonal, then an ELL part of fixed width, then what longer rows have left.
//   slot     0 .. pitch-1   pitch ..                       (1 + width) pitch ..
//   value    diagonal       column-major [width][pitch]     tail, by rows
// pitch is n rounded up to 32 rows, so that every ELL column starts on its own 128 bytes. ELL takes the k-th entry of
// the rows while at least a third of them have one: beyond that padding costs more than the tail (Bell and Garland,
// 2009). Each row adds up its own tail, so sums have a fixed order and no second kernel follows.
#pragma once
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DhybLayout {
  int pitch, width;
  int *ell_col;     // [width][pitch]; where a row is shorter, its own number: the value there is zero
  int *tail_start;  // [n + 1], into tail_col, and plus (1 + width) pitch into the values
  int *tail_col;
} DhybLayout;

bool dhyb_layout_create(Matrix *A, Error *error);
void dhyb_layout_destroy(Matrix *A);

#ifdef __cplusplus
}
#endif
