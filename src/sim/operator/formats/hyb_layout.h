// HYB and DHYB on either device: an ELL part of fixed width, then what longer rows have left; the D form has the
// diagonal in front.
//
// Rows of one node have the same columns, `block` side by side for each neighbour: one column index serves block^2
// values, a ninth of the indices for a solid. A group is a row's `block` values of one such block. In the D form the
// own block lacks the diagonal; its other values have implied columns and stand between diagonal and groups.
//   slots    diagonal | own block's others        | groups in the ELL part              | groups in the tail
//            [pitch]  | [block - 1][pitch]        | [slice][width][block][slice's rows] | by nodes, rows, groups
// The ELL part is column-major within slices of HYB_SLICE nodes, so that what a thread block reads lies together.
// ELL takes the k-th group of the rows while at least a third of them have one, or as many as fill the device: beyond
// that padding costs more than the tail (Bell and Garland, 2009). Nodes stand in a slice by length, so that
// neighbouring threads end together and a product never reads the padding. Each row adds up its own tail: sums have a
// fixed order and no second kernel follows.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HYB_SLICE = 64 };  // nodes

typedef struct HybLayout {
  int block, nodes;   // unknowns of a node, nodes
  int pitch;          // rows, rounded up to whole slices
  int width;          // groups of a row in the ELL part
  bool streams;       // of hyb.cu: an iteration reads more than the second cache holds
  int diagonal, own;  // slots of the diagonal in front, pitch or 0; own block's others in a row, block - 1 or 0
  // by a node's place in the ELL part, on the operator's device
  int *node;        // [nodes]: which node stands there
  int *length;      // [nodes]: groups of its rows, tail included
  int *ell_col;     // [slices][width][HYB_SLICE]: first column of a group, over block
  int *tail_start;  // [nodes], into tail_col
  int *tail_col;
} HybLayout;

bool hyb_layout_create(Operator *A, Error *error);
void hyb_layout_destroy(Operator *A);
StageBytes hyb_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
