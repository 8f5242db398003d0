// The cells of a space on a device: see element_row.h.
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "sim/element/element_row.h"

const ElementRow *element_row(const char *shape, const char *material, Device device, Precision precision) {
  return (const ElementRow *)stage_find(STAGE_ELEMENT, material, device, precision, shape);
}

const ElementRow *element_named(const char *element) {
  for (const Stage *s = NULL; (s = stage_next(s, STAGE_ELEMENT, DEVICE_CPU, PRECISION_F64, NULL));)
    if (strcmp(((const ElementRow *)s)->element, element) == 0) return (const ElementRow *)s;
  return NULL;
}

bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, Error *error) {
  const Device device = row->stage.device;
  const ElementRow *host = element_row(row->stage.element, row->stage.name, DEVICE_CPU, row->stage.precision);
  const size_t count = (size_t)space->cell_count, real_size = precision_size(row->stage.precision);
  *cells = (ElementCells){ .count = space->cell_count };
  void *S = host->supplementals(space, error);
  if (S && interrupt_check(error)) {
    cells->supplemental = device_clone(device, S, real_size * (size_t)row->supplemental * count, error);
    cells->cell = device_clone(device, space->cell, sizeof *space->cell * (size_t)row->nodes * count, error);
  }
  free(S);
  if (cells->supplemental && cells->cell) return true;
  element_cells_destroy(cells, row);
  return false;
}

void element_cells_destroy(ElementCells *cells, const ElementRow *row) {
  if (row) device_free(row->stage.device, cells->cell), device_free(row->stage.device, cells->supplemental);
  *cells = (ElementCells){ 0 };
}
