// Copies the values of the nodes in a list from the host to a device (node_list.h).
#include "sim/force/node_list.h"

#include <string.h>

void node_list_create(NodeList *list, Device device, int width) {
  *list = (NodeList){ .device = device, .width = width };
}

static void free_arrays(NodeList *list) {
  upload_ring_destroy(&list->uploads);
  device_free(list->device, list->node_dev);
  device_free(list->device, list->value_dev);
  list->node_dev = NULL;
  list->value_dev = NULL;
  list->capacity = 0;
}

void node_list_destroy(NodeList *list) {
  free_arrays(list);
  *list = (NodeList){ 0 };
}

static bool reserve(NodeList *list, int count, Error *error) {
  if (count <= list->capacity) return true;
  free_arrays(list);

  const int capacity = count + count / 2;
  const size_t node_bytes = sizeof(int) * (size_t)capacity;
  const size_t value_bytes = sizeof(double) * (size_t)list->width * (size_t)capacity;
  list->node_dev = device_alloc(list->device, node_bytes, error);
  list->value_dev = device_alloc(list->device, value_bytes, error);
  if (!list->node_dev || !list->value_dev ||
      !upload_ring_create(&list->uploads, list->device, value_bytes + node_bytes, error)) {
    free_arrays(list);
    return false;
  }
  list->capacity = capacity;
  return true;
}

bool node_list_upload(NodeList *list, const int *nodes, const double *values, int count, Stream stream, Error *error) {
  const size_t row = sizeof(double) * (size_t)list->width, node_bytes = sizeof(int) * (size_t)count;
  void *block;
  if (count == 0) return true;
  if (!reserve(list, count, error) || !upload_ring_begin(&list->uploads, &block, error)) return false;

  double *value = block;
  int *node = (int *)(value + (size_t)list->width * (size_t)list->capacity);
  for (int k = 0; k < count; k++)
    memcpy(value + (size_t)list->width * (size_t)k, values + (size_t)list->width * (size_t)nodes[k], row);
  memcpy(node, nodes, node_bytes);
  return device_upload(stream, list->node_dev, node, node_bytes, error) &&
         device_upload(stream, list->value_dev, value, row * (size_t)count, error) &&
         upload_ring_end(&list->uploads, stream, error);
}
