// HYB and DHYB on either device: an ELL part of fixed width, then a tail with the rest of longer rows. DHYB stores the
// diagonal first.
//
// The rows of one node have the same columns, `block` adjacent ones for each neighbour. So one column index is enough
// for block^2 values, a ninth of the indices for a solid. A group is one row's `block` values of such a block. In DHYB
// the diagonal block lacks the diagonal. Its other values have implied columns and are stored between diagonal and
// groups.
//   slots    diagonal | diagonal block's others   | groups in the ELL part              | groups in the tail
//            [pitch]  | [block - 1][pitch]        | [slice][width][block][slice's rows] | by nodes, rows, groups
// The ELL part is column-major within slices of HYB_SLICE nodes, so that a thread block reads contiguous memory. ELL
// holds the k-th group of the rows while at least a third of them have one, or as many as fill the device. Beyond that
// width padding costs more than the tail (Bell and Garland, 2009). The nodes of a slice are sorted by length, so that
// neighbouring threads end together and a product never reads the padding. Each row sums its tail itself, so sums have
// a fixed order and no second kernel follows.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HYB_SLICE = 64 };  // nodes

typedef struct HybLayout {
  int block, nodes;      // unknowns per node; number of nodes
  int pitch;             // rows, rounded up to whole slices
  int width;             // groups per row in the ELL part
  bool streams;          // for hyb.cu: an iteration reads more than L2 holds
  int diagonal, others;  // slots of the diagonal, pitch or 0; off-diagonal values per row of a diagonal block
  // Arrays by position in the ELL part, on the operator's device.
  int *node;        // [nodes]: node at each position
  int *length;      // [nodes]: groups of its rows, tail included
  int *ell_col;     // [slices][width][HYB_SLICE]: first column of each group, divided by block
  int *tail_start;  // [nodes], offsets into tail_col
  int *tail_col;
} HybLayout;

bool hyb_layout_create(Operator *A, Error *error);
void hyb_layout_destroy(Operator *A);
StageBytes hyb_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
