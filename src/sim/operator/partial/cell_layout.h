// Arrays of operators that store no values, on either device: the cells with what each keeps of itself, and which of
// their corners meet at each node. A product multiplies by every cell and leaves its vector; then each node adds up
// what its cells left for it, in their order.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// All on the operator's device. `real` where not said otherwise.
typedef struct CellLayout {
  int cell_count, node_count;
  int *cell;           // [cell_count][nodes of a cell]
  void *supplemental;  // [cell_count][...], S(e)
  int64_t *start;      // [node_count + 1], into corner
  int *corner;         // e * (nodes of a cell) + a for each cell e whose node a it is, cells ascending
  // what operator_linearise leaves
  void *state;       // of the state: nodal data, or what is kept of the cells' points
  void *parameters;  // the element's
  void *
      shift;  // [n + 3 node_count], what was added since: to the diagonal, then at (x, y), (x, z), (y, z) of own blocks
  // what a product leaves
  void *vectors;  // [unknowns of a cell][cell_count]
} CellLayout;

// What of it depends on the element: S(e) of all cells on the host, and sizes in bytes of the state and of the
// element's parameters.
typedef struct CellData {
  const void *supplemental;
  size_t supplemental_bytes, state_bytes, parameter_bytes;
} CellData;

/// A->layout. Fails for lack of memory, or where there are too many cells for its int corners.
bool cell_layout_create(Operator *A, const CellData *data, Error *error);
void cell_layout_destroy(Operator *A);

/// What that takes with an element of so many nodes and a state of so many reals, which a product reads, made from so
/// many reals of nodal data.
StageBytes cell_layout_bytes(const Stage *stage, const StageSize *size, int cell_nodes, double state, double nodal);

#ifdef __cplusplus
}
#endif
