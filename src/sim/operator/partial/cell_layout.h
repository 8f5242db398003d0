// Arrays of operators that store no values, on either device: the cells with their stored data, and the corners of
// cells at each node. A product multiplies by every cell's matrix and writes the cell's vector. Then each node sums the
// contributions of its cells, in their order.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// All arrays are on the operator's device. Those of type void hold `real` unless stated otherwise.
typedef struct CellLayout {
  int cell_count, node_count;
  int *cell;           // [cell_count][nodes of a cell]
  void *supplemental;  // [cell_count][...], S(e)
  int64_t *start;      // [node_count + 1], offsets into corner
  int *corner;         // e * (nodes of a cell) + a for each cell e that has this node as its node a, cells ascending
  // written by operator_linearise
  void *state;       // nodal data of the state, or stored data of the cells' points
  void *parameters;  // the element's parameters
  void *shift;       // [n + 3 node_count], accumulated shift: diagonal, then xy, xz, yz of diagonal blocks
  // written by a product
  void *vectors;  // [unknowns of a cell][cell_count]
} CellLayout;

// Data that depend on the element: S(e) of all cells on the host, and sizes in bytes of the state and of the element's
// parameters.
typedef struct CellData {
  const void *supplemental;
  size_t supplemental_bytes, state_bytes, parameter_bytes;
} CellData;

/// Creates A->layout. Fails if memory runs out, or if the cells have more corners than an int can index.
bool cell_layout_create(Operator *A, const CellData *data, Error *error);
void cell_layout_destroy(Operator *A);

/// Memory and work of such an operator with elements of cell_nodes nodes. `state` and `nodal` are numbers of reals: of
/// the state, which a product reads, and of the nodal data from which it is computed.
StageBytes cell_layout_bytes(const Stage *stage, const StageSize *size, int cell_nodes, double state, double nodal);

#ifdef __cplusplus
}
#endif
