// Arrays of the matrix-free operator `partial` on the GPU. The assembly `partial` writes to them too. Cells are
// processed in batches. A slot is the place for a batch's sum of contributions to one of its nodes (cell_batches.h).
#pragma once
#include "sim/operator/operator.h"
#include "sim/operator/partial/cell_batches.h"

#ifdef __cplusplus
extern "C" {
#endif

// All arrays are on the device. Arrays of type void hold `real` unless stated otherwise. Data of cells are interleaved
// so that neighbouring threads of a batch read neighbouring numbers: [batch_count][number per cell][BATCH_CELLS].
typedef struct PartialLayout {
  CellBatches batches;
  // S(e), the constant data that the element stores for each cell e, such as gradients and volume
  void *supplemental;
  // Data of each cell that products read instead of S(e) (element/axis_points.h), or NULL if they read S(e).
  void *cells;
  // Written by operator_linearise:

  // data of the tangent at each integration point
  void *points;
  // [slot_count][6], upper triangles of the nodes' diagonal blocks, summed over the cells of each slot
  void *diagonal;
  void *parameters;  // the element's parameters
  int *crossed;      // nonzero if the shift has off-diagonal numbers
  // [n + 3 node_count], sum of all shifts since the linearisation: n for the diagonal, then per node the entries xy, xz
  // and yz of its diagonal block.
  void *shift;

  // [slot_count], up to 4 numbers each: sums of the cells of each slot; written by a product, or by an assembled vector
  void *partial;
  // the kernels of a product may start before the preceding kernels end (device/overlap.cuh)
  bool overlaps;
} PartialLayout;

// A->layout of operator `partial`: the arrays above, and arrays for updating them in place after a cut. No other
// matrix-free operator is updated in place.
typedef struct PartialOperator {
  PartialLayout layout;
  BatchSplit split;
} PartialOperator;

/// Returns the batches of an operator `partial` on a GPU; NULL for any other operator.
static inline const CellBatches *partial_batches(const Operator *A) {
  return operator_stores(A) || !A->method->split ? NULL : &((const PartialOperator *)A->layout)->layout.batches;
}

#ifdef __cplusplus
}
#endif
