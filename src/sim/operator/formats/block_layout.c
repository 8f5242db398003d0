// Creates and frees the index arrays of the formats bcsr, dia, ell and sell, and sorts rows by length (block_layout.h).
#include "sim/operator/formats/block_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

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

bool block_layout_order(const int *length, int rows, int capacity, int *node, Error *error) {
  int maximum = 0, *key = array_new(rows, sizeof *key, "matrix rows", error);
  if (!key) return false;
  for (int a = 0; a < rows; a++) maximum = length[a] > maximum ? length[a] : maximum;
  for (int a = 0; a < rows; a++) key[a] = maximum - length[a];
  int64_t *start = array_new((int64_t)maximum + 2, sizeof *start, "matrix rows", error);
  const bool ok = start && sort_by_key(key, rows, maximum + 1, 1, start, node, error);
  for (int r = rows; r < capacity; r++) node[r] = -1;
  free(key);
  free(start);
  return ok;
}

int64_t block_layout_bins(const int *length, const int *node, int rows, int bin, int apart, int *start) {
  int64_t groups = 0;
  start[0] = 0;
  for (int b = 0; (int64_t)b * bin < rows; b++) {
    int width = 0;
    for (int r = b * bin; r < rows && r < (b + 1) * bin; r++) {
      const int blocks = length[node ? node[r] : r] - apart;
      width = blocks > width ? blocks : width;
    }
    groups += width;
    start[b + 1] = (int)(groups < INT32_MAX ? groups : INT32_MAX);
  }
  return groups;
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
