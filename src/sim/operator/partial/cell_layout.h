// Arrays of the matrix-free operators "matrixfree" (CPU and GPU) and "partial" (CPU). A product y = A x has two passes.
// The first pass multiplies the matrix of each cell by the x of its nodes. The result, the cell's vector, has one
// number per unknown of the cell: 12 for a tet of 4 nodes. The second pass sums, for each node, the entries of its
// cells' vectors, in the order of the cells.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// The cells of a body with their stored data, and the list of each node's cells. All arrays are on the operator's
// device. The `void *` members are arrays with elements of type real unless stated otherwise.
typedef struct CellLayout {
  int cell_count, node_count;  // numbers of cells and nodes of the mesh
  // [cell_count][nodes of a cell], the nodes of each cell
  int *cell;
  // [cell_count][reals per cell]: S(e), the constants that the element stores per cell e, such as gradients and volume
  void *supplemental;
  // [node_count + 1], offsets into `corner`: the cells of node a are corner[start[a]] to corner[start[a + 1] - 1]
  int64_t *start;
  // The cells of each node, node after node, ascending. A cell is stored as the code e * (nodes of a cell) + k: the
  // node is node k of cell e. Example with 4 nodes per cell: 4 * 7 + 2 means node 2 of cell 7.
  int *corner;

  // Data from which products compute the tangent, written by operator_linearise. "matrixfree": [node_count][data per
  // node], such as displacements. "partial": [cell_count][points of a cell], one MaterialPoint per integration point.
  void *state;
  void *parameters;  // one ElementParameters: material constants, and factors of force vector and matrix
  // The shift: one symmetric matrix for each node, which products add to the node's diagonal block. The shift is the
  // sum of all numbers that operator_shift has added since the last operator_linearise. [n + 3 node_count]: the n
  // numbers on the diagonals, then the entries xy, xz and yz of each node.
  void *shift;
  // [unknowns of a cell][cell_count], written by each product: the matrix of each cell times the x of its nodes. Entry
  // r of cell e is vectors[r * cell_count + e].
  void *vectors;
} CellLayout;

// Data of an element for cell_layout_create. `supplemental` are the constants S(e) of all cells e on the host, such as
// gradients and volume. The members supplemental_bytes, state_bytes and parameter_bytes are the sizes of
// `supplemental`, of CellLayout.state and of one ElementParameters.
typedef struct CellData {
  const void *supplemental;
  size_t supplemental_bytes, state_bytes, parameter_bytes;
} CellData;

/// Creates A->layout. Copies the cells and their constants S(e) to A's device, lists the cells of each node, and
/// allocates the other arrays. Fails if memory runs out, or if an int cannot number the nodes of all cells.
bool cell_layout_create(Operator *A, const CellData *data, Error *error);
void cell_layout_destroy(Operator *A);

/// Estimates memory and work of a matrix-free operator on cells of cell_nodes nodes. `state` is the number of reals in
/// CellLayout.state. `nodal` is the number of reals from which operator_linearise computes the state, such as
/// displacements.
StageBytes cell_layout_bytes(const Stage *stage, const StageSize *size, int cell_nodes, double state, double nodal);

#ifdef __cplusplus
}
#endif
