// Creates and frees the arrays of matrix-free operators, which store no matrix (cell_layout.h), and estimates their
// cost.
#include "sim/operator/partial/cell_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

// Returns a new array for CellLayout.corner, made from the lists in `cells`: the cells of each node, node after node.
// An element cell * (nodes of a cell) + k means that the node is node k of this cell.
static int *find_corners(const Space *space, const NodeCells *cells, Error *error) {
  const int64_t count = (int64_t)space->cell_nodes * space->cell_count;
  if (count > INT32_MAX) {
    error_set(error,
              "the mesh is too large: it has %d cells of %d nodes each, and the product of these two numbers may be at "
              "most %d; use a coarser mesh",
              space->cell_count, space->cell_nodes, INT32_MAX);
    return NULL;
  }
  int *corner = array_new(count, sizeof *corner, "cells", error);
  for (int a = 0; corner && a < space->node_count && !interrupt_requested(); a++)
    for (int64_t t = cells->start[a]; t < cells->start[a + 1]; t++) {
      int local = 0;
      while (space_cell(space, cells->cell[t])[local] != a) local++;
      corner[t] = cells->cell[t] * space->cell_nodes + local;
    }
  return corner;
}

bool cell_layout_create(Operator *A, const CellData *data, Error *error) {
  const Space *space = A->space;
  const Device device = A->method->stage.device;
  const size_t real_size = precision_size(A->method->stage.precision), nodes = (size_t)space->node_count;
  const size_t corners = (size_t)space->cell_nodes * (size_t)space->cell_count;
  NodeCells cells = { 0 };
  CellLayout *l = A->layout = array_new(1, sizeof *l, "layout of the matrix", error);
  if (!l || !node_cells_create(&cells, space, error)) return false;
  int *corner = find_corners(space, &cells, error);
  bool ok = corner && interrupt_check(error);
  if (ok) {
    l->cell_count = space->cell_count;
    l->node_count = space->node_count;
    l->cell = device_clone(device, space->cell, sizeof *l->cell * corners, error);
    l->supplemental = device_clone(device, data->supplemental, data->supplemental_bytes, error);
    l->start = device_clone(device, cells.start, sizeof *l->start * (nodes + 1), error);
    l->corner = device_clone(device, corner, sizeof *l->corner * corners, error);
    l->state = device_alloc(device, data->state_bytes, error);
    l->parameters = device_alloc(device, data->parameter_bytes, error);
    l->shift = device_alloc(device, real_size * ((size_t)A->n + 3 * nodes), error);
    l->vectors = device_alloc(device, real_size * corners * (size_t)space->node_dof, error);
    ok = l->cell && l->supplemental && l->start && l->corner && l->state && l->parameters && l->shift && l->vectors;
  }

  free(corner);
  node_cells_destroy(&cells);
  return ok;
}

void cell_layout_destroy(Operator *A) {
  const CellLayout *l = A->layout;
  void *arrays[] = { l->cell, l->supplemental, l->start, l->corner, l->state, l->parameters, l->shift, l->vectors };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(A->method->stage.device, arrays[k]);
  free(A->layout);
}

StageBytes cell_layout_bytes(const Stage *stage, const StageSize *size, int cell_nodes, double state, double nodal) {
  const double real = (double)precision_size(stage->precision), corners = cell_nodes * size->cells;
  const double dof = size->node_dof;
  StageBytes bytes = { 0 };

  // Per cell the device stores its nodes, a code per node in CellLayout.corner, the constants S(e), and the cell's
  // vector. Per node the device stores the start of the node's list of cells, the shift and the diagonal block.
  bytes.on[stage->device] += corners * (8 + dof * real) + (size->cells * size->supplemental + state) * real +
                             size->nodes * (8 + (dof + 3 + dof * dof) * real);
  bytes.on[DEVICE_CPU] += 8 * corners;  // memory for lists of each node's cells, only during creation
  const double S = size->cells * size->supplemental * real, V = size->nodes;

  // The first loop of a product computes the vectors of the cells. The second loop sums the entries of these vectors at
  // the nodes.
  stage_pass(stage, &bytes, WORK_PRODUCT, 4 * corners + S + (state + dof * V) * real, corners * dof * real);
  stage_pass(stage, &bytes, WORK_PRODUCT, corners * (4 + dof * real) + V * (8 + (2 * dof + 3) * real), dof * V * real);

  // operator_linearise writes the element's parameters, CellLayout.state and a shift of zero, and computes the diagonal
  // blocks.
  stage_light_pass(stage, &bytes, WORK_ASSEMBLY, 0, 0);
  stage_light_pass(stage, &bytes, WORK_ASSEMBLY, nodal * real, state * real);
  stage_light_pass(stage, &bytes, WORK_ASSEMBLY, 0, (dof + 3) * V * real);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, 8 * corners + S + state * real + 8 * V, dof * dof * V * real);
  stage_light_pass(stage, &bytes, WORK_SHIFT, 3 * dof * V * real, 3 * dof * V * real);
  return bytes;
}
