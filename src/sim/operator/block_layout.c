// Index arrays of formats that keep whole blocks: see block_layout.h.
#include "sim/operator/block_layout.h"

#include <stdlib.h>

#include "base/array.h"

bool block_layout_create(Operator *A, const int *start, int64_t start_count, const int *column, int64_t column_count,
                         Error *error) {
  const Device device = A->method->stage.device;
  const int64_t nodes = A->space->node_count;
  BlockLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  int *length = array_new(nodes, sizeof *length, "row lengths", error);
  if (layout && length) {
    for (int64_t a = 0; a < nodes; a++) length[a] = (int)(A->space->graph.start[a + 1] - A->space->graph.start[a]);
    layout->start = device_clone(device, start, sizeof *start * (size_t)start_count, error);
    layout->length = device_clone(device, length, sizeof *length * (size_t)nodes, error);
    layout->column = device_clone(device, column, sizeof *column * (size_t)column_count, error);
  }
  free(length);
  return layout && layout->start && layout->length && layout->column;
}

void block_layout_destroy(Operator *A) {
  BlockLayout *layout = A->layout;
  device_free(A->method->stage.device, layout->start);
  device_free(A->method->stage.device, layout->length);
  device_free(A->method->stage.device, layout->column);
  device_free(A->method->stage.device, layout->node);
  device_free(A->method->stage.device, layout->counter);
  free(layout);
}
