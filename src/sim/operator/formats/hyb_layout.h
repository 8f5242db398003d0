// The formats HYB and DHYB. The matrix has two parts. In the ELL part, all rows have the same width. The tail holds the
// entries of longer rows that exceed this width. DHYB stores diagonal blocks in front of both parts.
//
// Values are stored in groups. A group is the values of one row of the matrix for one neighbour node, one value per
// unknown of the neighbour (`block` of them). All rows of a node have the same neighbours, so one column index, the
// neighbour, is enough for block^2 values. Example with three unknowns: a node with 14 neighbours has three rows of 14
// groups, and each group has 3 values. DHYB stores diagonal blocks apart: the diagonal entries first, then the other
// values of the diagonal blocks, both without column indices.
//
//   values   diagonal | diagonal block's others   | groups in the ELL part              | groups in the tail
//            [pitch]  | [block - 1][pitch]        | [slice][width][block][slice's rows] | by nodes, rows, groups
//
// A slice is HYB_SLICE consecutive nodes with their rows. `width` is the number of groups per row in the ELL part, and
// `pitch` the number of rows of all slices. The ELL part is stored column by column within each slice, so that a thread
// block reads contiguous memory. The width is the largest k for which enough rows have k or more groups: a third of all
// rows, or as many rows as the GPU runs threads at once. A wider ELL part would cost more memory and time for padding
// than it saves in the tail (Bell and Garland, 2009).
//
// The nodes of a slice are sorted by row length, so that the rows of neighbouring threads have about equal lengths and
// end together. A product skips the padding. The thread that sums a row in the ELL part also sums the row's tail, so
// sums have a fixed order.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HYB_SLICE = 64 };  // consecutive nodes whose rows form a slice, in which nodes are sorted by row length

typedef struct HybLayout {
  int block, nodes;  // unknowns per node; number of nodes
  int pitch;         // number of rows of the matrix, rounded up to whole slices of HYB_SLICE nodes
  // number of groups per row in the ELL part, in which all rows are padded to this width; a group is the values of one
  // row for one neighbour node
  int width;
  bool streams;  // true if a solver's iteration reads more bytes than the GPU's L2 cache holds; used only by hyb.cu
  // diagonal: number of values at the front that hold the diagonal of the matrix: `pitch` in DHYB, 0 in HYB. others:
  // number of off-diagonal values that each row of a diagonal block has: block - 1 in DHYB, which stores these values
  // after the diagonal; 0 in HYB.
  int diagonal, others;
  // The arrays below are on the operator's device. A position is the index of a node after the nodes of each slice were
  // sorted by row length. Example: slice 1 has the nodes 64 to 127; the one with the longest row has position 64.
  int *node;  // [nodes]: node at each position; positions count the nodes after sorting by row length
  // [nodes]: number of groups per row of the node at each position; a group is the values for one neighbour node
  int *length;
  int *ell_col;     // [slices][width][HYB_SLICE]: column of each group in the ELL part, which is a neighbour node
  int *tail_start;  // [nodes]: for the node at each position, the index in tail_col of its first group in the tail
  // Column (a neighbour node) of each group in the tail, node after node. The tail holds the groups of a row that
  // exceed the `width` groups of the ELL part.
  int *tail_col;
} HybLayout;

bool hyb_layout_create(Operator *A, Error *error);
void hyb_layout_destroy(Operator *A);
StageBytes hyb_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
