// Arrays of the matrix-free operator "partial" on the GPU. The assembly "partial" writes to them too. Cells are
// processed in batches, one per thread block. A slot is the place in memory for a batch's sum of contributions to one
// of its nodes (cell_batches.h).
#pragma once
#include "sim/operator/operator.h"
#include "sim/operator/partial/cell_batches.h"

#ifdef __cplusplus
extern "C" {
#endif

// All arrays are on the device. Arrays of type void hold `real`. Data of cells are interleaved so that neighbouring
// threads of a batch read neighbouring numbers: [batch_count][number per cell][BATCH_CELLS].
typedef struct PartialLayout {
  CellBatches batches;
  // S(e), the constant data that the element stores for each cell e, such as gradients and volume
  void *supplemental;
  // Numbers of each cell that products read instead of the constants S(e), if the element allows cheaper products
  // (element/axis_points.h). NULL: they read S(e).
  void *cells;
  // operator_linearise and operator_shift write `points`, `diagonal`, `parameters`, `crossed` and `shift`.

  // data of the tangent at each integration point
  void *points;
  // [slot_count][6], upper triangles of the nodes' diagonal blocks, summed over the cells of each slot
  void *diagonal;
  void *parameters;  // the element's parameters
  int *crossed;      // nonzero if the shift has off-diagonal numbers
  // [n + 3 node_count], sum of all shifts (numbers added to the diagonal blocks) since operator_linearise: n for the
  // diagonal, then for each node the entries xy, xz and yz of its diagonal block
  void *shift;

  // [slot_count], up to 4 numbers each: the sum of the cells' contributions in each slot, written by each product and
  // by each assembly of the vector
  void *partial;
  // true if the kernels of a product may start before the preceding kernels end (device/overlap.cuh)
  bool overlaps;
} PartialLayout;

// A->layout of the operator "partial" on a GPU: the arrays above, and work memory for updating them in place after a
// cut. The other matrix-free operators are created again after a cut.
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
