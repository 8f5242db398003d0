// HYB and DHYB on either device: an ELL part of fixed width, then what longer rows have left; the D form has the
// diagonal in front.
//   slot     [0 .. pitch-1]   0 ..                          width pitch ..        (each behind the diagonal's pitch)
//   value    [diagonal]       column-major [width][pitch]   tail, by rows
// ELL takes the k-th entry of the rows while at least a third of them have one, or as many as fill the device: beyond
// that padding costs more than the tail (Bell and Garland, 2009). Rows stand in the ELL part by length within windows
// of WINDOW rows, so that neighbouring threads end together and a product never reads the padding. Each row adds up its
// own tail: sums have a fixed order and no second kernel follows.
#pragma once
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HybLayout {
  int pitch, width;  // pitch: n rounded up to 32 rows, so that every ELL column starts on its own 128 bytes
  int diagonal;      // slots in front: pitch or 0
  // by place in the ELL part, on the matrix's device
  int *row;         // [n]: which row stands there
  int *length;      // [n]: its entries besides a diagonal in front, tail included
  int *ell_col;     // [width][pitch]
  int *tail_start;  // [n], into tail_col, and plus diagonal + width pitch into the values
  int *tail_col;
} HybLayout;

bool hyb_layout_create(Matrix *A, Error *error);
void hyb_layout_destroy(Matrix *A);

#ifdef __cplusplus
}
#endif
