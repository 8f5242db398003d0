// Lists the cells around each node, for nodal fields on CPU and GPU (nodal_field.h).
#include "sim/field/nodal_field.h"

bool nodal_field_create(NodalField *field, Device device, Precision precision, const Space *space, Error *error) {
  const size_t nodes = (size_t)space->node_count, count = (size_t)space->cell_count;
  NodeCells cells;
  *field = (NodalField){ .device = device };
  if (!node_cells_create(&cells, space, error)) return false;
  field->start = device_clone(device, cells.start, sizeof *cells.start * (nodes + 1), error);
  field->around = device_clone(device, cells.cell, sizeof *cells.cell * (size_t)space->cell_nodes * count, error);
  field->cell = device_alloc(device, 2 * precision_size(precision) * count, error);
  node_cells_destroy(&cells);
  if (field->start && field->around && field->cell) return true;
  nodal_field_destroy(field);
  return false;
}

void nodal_field_destroy(NodalField *field) {
  device_free(field->device, field->start);
  device_free(field->device, field->around);
  device_free(field->device, field->cell);
  *field = (NodalField){ 0 };
}
