// Arrays of the matrix-free operator "partial" on the GPU. The assembly "partial" writes to them too. A batch is
// BATCH_CELLS cells that one thread block processes. The thread block sums the contributions of these cells, for
// example to y = A x, at each node of the batch. A slot is the index of one such sum: there is one for each node of
// each batch (cell_batches.h).
#pragma once
#include "sim/operator/operator.h"
#include "sim/operator/partial/cell_batches.h"

#ifdef __cplusplus
extern "C" {
#endif

// All arrays are on the device. Arrays of type void hold `real`. Data of cells are interleaved so that neighbouring
// threads of a batch read neighbouring numbers: [batch_count][numbers per cell][BATCH_CELLS]. Number k of the cell of
// thread t in batch b has the index (b * (numbers per cell) + k) * BATCH_CELLS + t.
typedef struct PartialLayout {
  // Division of the cells into batches (groups of cells), and the slots of each batch's nodes.
  CellBatches batches;
  // [batch_count][ELEMENT_SUPPLEMENTAL][BATCH_CELLS]: S(e), the constants that the element stores for each cell e, such
  // as gradients and volume
  void *supplemental;
  // [batch_count][numbers per cell][BATCH_CELLS]: numbers of each cell that products read instead of S(e), the
  // constants of cell e. They need less arithmetic, but only some elements have them (element/axis_points.h). NULL:
  // products read S(e).
  void *cells;
  // operator_linearise and operator_shift write the arrays from `points` to `shift`.

  // Numbers of each integration point from which products compute the tangent: one MaterialPoint or AxisPoint for each
  // point of each cell. [batch_count][points of a thread][numbers of a point][threads of a batch]
  void *points;
  // [slot_count][6]: for each slot, a node of a batch, the sum of the diagonal blocks that the batch's cells contribute
  // to the node. Only upper triangles are stored, six numbers each.
  void *diagonal;
  void *parameters;  // one ElementParameters: material constants, and factors of forces and matrix
  int *crossed;      // one number; not 0 if `shift` has off-diagonal entries of diagonal blocks
  // [n + 3 node_count], sum of all shifts that operator_shift has added since operator_linearise. A shift is a
  // symmetric matrix for each node, which is added to the node's diagonal block. It is stored as n numbers for the
  // diagonal, then for each node the entries xy, xz and yz
  void *shift;

  // [slot_count][3 or 4]: for each slot, which is a node of a batch, the sum of the contributions of the batch's cells
  // at the node. In a product these are contributions to y = A x, 4 numbers per slot, the last unused. In an assembly
  // they are forces, 3 numbers.
  void *partial;
  // true if the kernels of a product may start before the preceding kernels end (device/overlap.cuh)
  bool overlaps;
} PartialLayout;

// A->layout of the operator "partial" on a GPU: the arrays of PartialLayout, and work memory for updating its batches
// of cells after a cut. Other matrix-free operators, such as "matrixfree", are created again after a cut.
typedef struct PartialOperator {
  PartialLayout layout;  // arrays that products read
  BatchSplit split;      // work memory for cuts
} PartialOperator;

/// Returns the batches (groups of cells, one per thread block) of an operator "partial" on a GPU; NULL for any other
/// operator.
static inline const CellBatches *partial_batches(const Operator *A) {
  return operator_stores(A) || !A->method->split ? NULL : &((const PartialOperator *)A->layout)->layout.batches;
}

#ifdef __cplusplus
}
#endif
