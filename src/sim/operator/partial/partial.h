// Arrays of the matrix-free operator "partial" on the GPU, which the assembly "partial" uses too. A batch is
// BATCH_CELLS cells that one thread block processes. The thread block sums the contributions of these cells, for
// example to y = A x, at each node of the batch. A slot is the index of one such sum (cell_batches.h).
#pragma once
#include "sim/operator/operator.h"
#include "sim/element/cell_batches.h"

#ifdef __cplusplus
extern "C" {
#endif

// All arrays are on the device. The `void *` members are arrays with elements of type real. Data of cells are
// interleaved, so that neighbouring threads of a batch read neighbouring numbers: [batch_count][numbers per
// cell][BATCH_CELLS]. Number k of the cell of thread t in batch b has the index (b * (numbers per cell) + k) *
// BATCH_CELLS + t.
typedef struct PartialLayout {
  // The batches (groups of cells, one per thread block), with the nodes of each batch. A slot is the index of one node
  // of one batch, at which the batch's contributions are summed.
  CellBatches batches;
  // [batch_count][ELEMENT_SUPPLEMENTAL][BATCH_CELLS]: S(e), the constants that the element stores per cell e, such as
  // gradients and volume
  void *supplemental;
  // [batch_count][numbers per cell][BATCH_CELLS]: constants of each cell that products read in place of S(e). Products
  // then need less arithmetic. Only some elements have these constants (element/axis_points.h). NULL: products read
  // S(e).
  void *cells;

  // [batch_count][points of a thread][numbers of a point][threads of a batch]: for each integration point of each cell
  // a MaterialPoint or AxisPoint, from which products compute the tangent. operator_linearise writes this array.
  void *points;
  // [slot_count][6]: for each slot (node of a batch), the sum of the diagonal blocks of the batch's cells at the node,
  // as the upper triangle of a symmetric matrix.
  void *diagonal;
  void *parameters;  // one ElementParameters: material constants, and factors of forces and matrix
  int *crossed;      // one number: not 0 if `shift` has nonzero numbers off the diagonal
  // The shift: one symmetric matrix for each node, which products add to the node's diagonal block. The shift is the
  // sum of all numbers that operator_shift has added since the last operator_linearise. [n + 3 node_count]: the n
  // numbers on the diagonals, then the entries xy, xz and yz of each node.
  void *shift;

  // [slot_count][3 or 4]: for each slot (node of a batch), the sum of contributions of the batch's cells at the node.
  // In a product the sums are contributions to y = A x, 4 numbers per slot, the last unused. In an assembly the sums
  // are forces, 3 numbers per slot.
  void *partial;
  // true if a kernel of a product may start before the preceding kernel ends (device/overlap.cuh)
  bool overlaps;
} PartialLayout;

// Type of A->layout for the operator "partial" on a GPU: the arrays that products read, and work memory for building
// the batches again after a cut of the body.
typedef struct PartialOperator {
  PartialLayout layout;  // arrays that products read
  BatchSplit split;      // work memory for cuts of the body
} PartialOperator;

/// Returns the batches (groups of cells, one per thread block) of the operator "partial" on a GPU. Returns NULL for
/// other operators. Also returns NULL if cells have more than four integration points, because such an operator cannot
/// be updated after a cut.
static inline const CellBatches *partial_batches(const Operator *A) {
  return operator_stores(A) || !A->method->split ? NULL : &((const PartialOperator *)A->layout)->layout.batches;
}

#ifdef __cplusplus
}
#endif
