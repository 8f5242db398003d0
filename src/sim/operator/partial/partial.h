// Arrays of operator `partial` on the GPU, which an assembly of that name fills too.
#pragma once
#include "sim/operator/operator.h"
#include "sim/operator/partial/cell_batches.h"

#ifdef __cplusplus
extern "C" {
#endif

// All on the device. `real` where not said otherwise; numbers of cells stand side by side for the threads of a batch,
// [batch_count][...][BATCH_CELLS].
typedef struct PartialLayout {
  CellBatches batches;
  void *supplemental;  // S(e)
  void *cells;         // what products read of a cell in its place (element/axis_points.h); NULL: S(e)
  // what is left of the state
  void *points;      // what is kept of the cells' points
  void *own;         // [slot_count][6], upper triangles of own blocks: what each slot adds up
  void *parameters;  // the element's
  int *crossed;      // whether of own blocks more than the diagonal has been added to
  void *
      shift;  // [n + 3 node_count], what was added since: to the diagonal, then at (x, y), (x, z), (y, z) of own blocks
  // what a product, or a vector, leaves
  void *partial;  // room for [slot_count][4]
  bool overlaps;  // a product's kernels overlap with those before them
} PartialLayout;

// What the operator keeps besides, on the host. Of those that store nothing it alone is taken apart in place.
typedef struct PartialOperator {
  PartialLayout layout;
  BatchSplit split;
} PartialOperator;

/// The batches of operator `partial` on a GPU; NULL: it is another operator.
static inline const CellBatches *partial_batches(const Operator *A) {
  return operator_stores(A) || !A->method->split ? NULL : &((const PartialOperator *)A->layout)->layout.batches;
}

#ifdef __cplusplus
}
#endif
