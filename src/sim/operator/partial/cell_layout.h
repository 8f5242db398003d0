// Arrays of the matrix-free operators "matrixfree" (CPU and GPU) and "partial" (on the CPU): the cells with their
// stored data, and for each node the list of its cells. A product y = A x has two passes. The first multiplies each
// cell's matrix by the cell's part of x. The result is the cell's vector, with one number per unknown of the cell: 12
// numbers for a tet of 4 nodes. In the second pass, each node sums those entries of its cells' vectors that belong to
// the node, in the order of the cells.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// The cells of a body with their stored data, and the list of each node's cells. All arrays are on the operator's
// device. Arrays of type void hold `real` unless stated otherwise.
typedef struct CellLayout {
  int cell_count, node_count;  // numbers of cells and nodes of the mesh
  // [cell_count][nodes of a cell], the nodes of each cell
  int *cell;
  // [cell_count][reals per cell]: S(e), the constants that the element stores for each cell e, such as gradients and
  // volume
  void *supplemental;
  // [node_count + 1], offsets into `corner`, the list of the cells of each node: the cells of node a are
  // corner[start[a]] to corner[start[a + 1] - 1]
  int64_t *start;
  // For each node of the mesh, the cells that contain it, ascending. If node k of cell e is this node, the cell is
  // coded as e * (nodes of a cell) + k. Example with 4 nodes per cell: 4 * 7 + 2 means that the node of the mesh is
  // node 2 of cell 7.
  int *corner;
  // The arrays state, parameters and shift change: operator_linearise writes all of them, and operator_shift adds to
  // `shift`.

  // Data from which products compute the tangent. For the operator "matrixfree" [node_count][data per node]: the nodal
  // data, such as displacements, at which the tangent is evaluated. For "partial" [cell_count][points of a cell]: one
  // MaterialPoint (element/solid_points.h) for each integration point.
  void *state;
  void *parameters;  // one ElementParameters: material constants, and factors of force vector and matrix
  // [n + 3 node_count], sum of all shifts that operator_shift has added since operator_linearise. A shift is a
  // symmetric matrix for each node, which is added to the node's diagonal block. It is stored as n numbers for the
  // diagonal, then for each node the entries xy, xz and yz
  void *shift;

  // [unknowns of a cell][cell_count], the cells' vectors, each the product of a cell's matrix with the cell's part of
  // x: entry r of cell e is vectors[r * cell_count + e]. Each product y = A x writes this array
  void *vectors;
} CellLayout;

// Arguments of cell_layout_create that depend on the element. `supplemental` is S(e) on the host: the constants of each
// cell e, such as gradients and volume. The sizes, in bytes, are those of these constants, of CellLayout.state (the
// data from which products compute the tangent) and of ElementParameters.
typedef struct CellData {
  const void *supplemental;
  size_t supplemental_bytes, state_bytes, parameter_bytes;
} CellData;

/// Creates A->layout, a CellLayout: copies the cells and the constants S(e) of each cell e to A's device, lists the
/// cells of each node, and allocates the other arrays. Fails if memory runs out, or if the number of cells times nodes
/// per cell exceeds an int.
bool cell_layout_create(Operator *A, const CellData *data, Error *error);
void cell_layout_destroy(Operator *A);

/// Estimates memory and work of a matrix-free operator with elements of cell_nodes nodes. `state` is the number of
/// reals in CellLayout.state, the data from which products compute the tangent. `nodal` is the number of reals of nodal
/// data, such as displacements, from which operator_linearise computes CellLayout.state.
StageBytes cell_layout_bytes(const Stage *stage, const StageSize *size, int cell_nodes, double state, double nodal);

#ifdef __cplusplus
}
#endif
