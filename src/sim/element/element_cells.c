// Finds the functions of an element (ElementRow), and creates the input of its loops over cells (ElementCells): see
// element_row.h.
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

// Computes S [cells][row->supplemental], the constants of each cell, on the host. If the row's device is a GPU, copies
// S to the GPU and frees the host's array. Returns the array on the device, or NULL on failure.
static void *make_supplementals(const ElementRow *row, const Space *space, Error *error) {
  const Device device = row->stage.device;
  const ElementRow *host = element_row(row->stage.element, row->stage.name, DEVICE_CPU, row->stage.precision);
  const size_t bytes = precision_size(row->stage.precision) * (size_t)row->supplemental * (size_t)space->cell_count;
  void *made = device_alloc(DEVICE_CPU, bytes, error), *S = made;
  if (made) host->supplementals(space, made);
  if (made && device == DEVICE_CUDA) {
    S = interrupt_check(error) ? device_clone(device, made, bytes, error) : NULL;
    device_free(DEVICE_CPU, made);
  }
  return S;
}

bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, const void *supplemental,
                          Error *error) {
  const Device device = row->stage.device;
  const size_t bytes = sizeof *space->cell * (size_t)row->nodes * (size_t)space->cell_count;
  *cells = (ElementCells){ .count = space->cell_count };
  cells->owned = supplemental ? NULL : make_supplementals(row, space, error);
  cells->supplemental = supplemental ? supplemental : cells->owned;
  if (cells->supplemental && interrupt_check(error))
    cells->cell = device == DEVICE_CPU ? space->cell : device_clone(device, space->cell, bytes, error);
  if (cells->cell) return true;
  element_cells_destroy(cells, row);
  return false;
}

void element_cells_destroy(ElementCells *cells, const ElementRow *row) {
  if (row && row->stage.device != DEVICE_CPU) device_free(row->stage.device, cells->cell);
  if (row) device_free(row->stage.device, cells->owned);
  *cells = (ElementCells){ 0 };
}
