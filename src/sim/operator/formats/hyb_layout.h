// The formats HYB and DHYB on CPU and GPU. The matrix has two parts: an ELL part, in which all rows have the same
// width, and a tail, which holds the entries of longer rows that exceed this width. DHYB also stores the diagonal of
// the matrix first.
//
// The `block` rows of a node (one per unknown) have the same columns: `block` adjacent ones for each neighbour node. So
// one column index, the neighbour, is enough for block^2 values. A group is the `block` values of one row for one
// neighbour. Example with three unknowns: a node with 14 neighbours has three rows of 14 groups, and each group has 3
// values. In DHYB the diagonal entries are stored first. The other values of a diagonal block need no column index;
// they are stored after the diagonal and before the groups.
//
//   values   diagonal | diagonal block's others   | groups in the ELL part              | groups in the tail
//            [pitch]  | [block - 1][pitch]        | [slice][width][block][slice's rows] | by nodes, rows, groups
//
// A slice is HYB_SLICE consecutive nodes with their rows. `width` is the number of groups of each row in the ELL part,
// and `pitch` is the number of rows of all slices together. The ELL part is stored column by column within slices, so
// that a thread block reads contiguous memory. Its width is the largest k such that enough rows have k or more groups.
// Enough means a third of all rows, or as many rows as the GPU runs threads. In a wider ELL part, padding would cost
// more than the tail does (Bell and Garland, 2009).
//
// The nodes of a slice are sorted by row length, so that neighbouring threads end together, and a product never reads
// the padding. The thread that sums a row in the ELL part also sums the row's tail. So sums have a fixed order, and no
// second kernel is needed.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HYB_SLICE = 64 };  // consecutive nodes whose rows form a slice

typedef struct HybLayout {
  int block, nodes;  // unknowns per node; number of nodes
  int pitch;         // number of rows of the matrix, rounded up to whole slices of HYB_SLICE nodes
  int width;         // groups per row in the ELL part; a group is the values of one row for one neighbour node
  bool streams;      // a product reads more bytes than the L2 cache holds; used by hyb.cu
  // diagonal: number of values at the front that hold the diagonal of the matrix, `pitch` in DHYB, 0 in HYB. others:
  // number of off-diagonal values in each row of a diagonal block that are stored before the groups, block - 1 in DHYB,
  // 0 in HYB.
  int diagonal, others;
  // Arrays on the operator's device. The nodes of each slice are sorted by row length. A position is the index of a
  // node in this order, counted through all slices. Example: in slice 1, which has the nodes 64 to 127, the node with
  // the longest row has position 64.
  int *node;        // [nodes]: node at each position (index in the order of the ELL part)
  int *length;      // [nodes]: groups per row of the node at each position, including the tail
  int *ell_col;     // [slices][width][HYB_SLICE]: column of each group in the ELL part, a neighbour node
  int *tail_start;  // [nodes]: for the node at each position, the index in tail_col of its first group in the tail
  // column of each group in the tail, a neighbour node. The tail holds the groups that exceed `width` in long rows.
  int *tail_col;
} HybLayout;

bool hyb_layout_create(Operator *A, Error *error);
void hyb_layout_destroy(Operator *A);
StageBytes hyb_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
