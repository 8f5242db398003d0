// Arrays of the matrix-free operators "matrixfree" (either device) and "partial" (on the CPU): the cells with their
// stored data, and for each node the list of its cells. A product has two passes. The first multiplies each cell's
// matrix by the cell's part of x and writes the result, the cell's vector. In the second, each node sums the entries of
// its cells' vectors, in the order of the cells.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// All arrays are on the operator's device. Arrays of type void hold `real` unless stated otherwise.
typedef struct CellLayout {
  int cell_count, node_count;
  // [cell_count][nodes of a cell], the nodes of each cell
  int *cell;
  // [cell_count][reals per cell]: S(e), the constant data that the element stores for each cell e, such as gradients
  // and volume
  void *supplemental;
  // [node_count + 1], offsets into `corner`
  int64_t *start;
  // For each node its cells, ascending. A cell e whose local node a is this node is coded as e * (nodes of a cell) + a.
  // Example with 4 nodes per cell: 4 * 7 + 2 means that the node is local node 2 of cell 7.
  int *corner;
  // operator_linearise writes `state`, `parameters` and `shift`.

  // Data from which products compute the tangent. For the operator "matrixfree", the nodal data at which it is
  // evaluated; for "partial", data for each integration point.
  void *state;
  void *parameters;  // the element's parameters
  // [n + 3 node_count], sum of all shifts (numbers added to the diagonal blocks) since operator_linearise: n for the
  // diagonal, then for each node the entries xy, xz and yz of its diagonal block
  void *shift;

  // [unknowns of a cell][cell_count], the cells' vectors; written by a product
  void *vectors;
} CellLayout;

// Data that depend on the element: on the host S(e), the constants of all cells, for CellLayout.supplemental. Also the
// sizes in bytes of these constants, of CellLayout.state and of the element's parameters.
typedef struct CellData {
  const void *supplemental;
  size_t supplemental_bytes, state_bytes, parameter_bytes;
} CellData;

/// Creates A->layout. Fails if memory runs out, or if the number of cells times nodes per cell exceeds an int.
bool cell_layout_create(Operator *A, const CellData *data, Error *error);
void cell_layout_destroy(Operator *A);

/// Estimates memory and work of a matrix-free operator with elements of cell_nodes nodes. `state` is the number of
/// reals in CellLayout.state, and `nodal` the number of reals of nodal data from which it is computed.
StageBytes cell_layout_bytes(const Stage *stage, const StageSize *size, int cell_nodes, double state, double nodal);

#ifdef __cplusplus
}
#endif
