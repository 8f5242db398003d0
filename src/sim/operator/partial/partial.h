// Arrays of operator `partial` on the GPU, which assembly `partial` fills too.
#pragma once
#include "sim/operator/operator.h"
#include "sim/operator/partial/cell_batches.h"

#ifdef __cplusplus
extern "C" {
#endif

// All arrays are on the device. Those of type void hold `real` unless stated otherwise. Data of cells are interleaved
// for the threads of a batch, [batch_count][...][BATCH_CELLS].
typedef struct PartialLayout {
  CellBatches batches;
  void *supplemental;  // S(e)
  void *cells;         // cell data that products read instead of S(e) (element/axis_points.h), or NULL
  // written by linearise
  void *points;      // stored data of the cells' points
  void *diagonal;    // [slot_count][6], upper triangles of diagonal blocks, summed for each slot
  void *parameters;  // the element's parameters
  int *crossed;      // flag: the shift has off-diagonal numbers
  void *shift;       // [n + 3 node_count], accumulated shift: diagonal, then xy, xz, yz of diagonal blocks
  // written by a product, or by an assembled vector
  void *partial;  // memory for [slot_count][4]
  bool overlaps;  // a product's kernels overlap with the kernels before them
} PartialLayout;

// The layout of operator `partial`, and its data for cuts. It is the only operator without stored values that is cut in
// place.
typedef struct PartialOperator {
  PartialLayout layout;
  BatchSplit split;
} PartialOperator;

/// The batches of operator `partial` on a GPU; NULL for other operators.
static inline const CellBatches *partial_batches(const Operator *A) {
  return operator_stores(A) || !A->method->split ? NULL : &((const PartialOperator *)A->layout)->layout.batches;
}

#ifdef __cplusplus
}
#endif
