// The constant loads on nodes, and copies of changed loads to the device (loads.h).
#include "sim/force/loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool loads_create(Loads *loads, Device device, const int *user_node, int node_count, int user_count, Error *error) {
  *loads = (Loads){ .device = device, .listed_max = node_count < LOADS_LISTED ? node_count : LOADS_LISTED };
  const size_t listed = (size_t)loads->listed_max;
  const size_t node_bytes = sizeof *loads->node_dev * listed, value_bytes = sizeof *loads->value_dev * listed;
  loads->force = array_new(node_count, sizeof *loads->force, "forces", error);
  loads->node_index = array_new(user_count, sizeof *loads->node_index, "forces", error);
  loads->node_dev = device_alloc(device, node_bytes, error);
  loads->value_dev = device_alloc(device, value_bytes, error);
  const bool ok = loads->force && loads->node_index && loads->node_dev && loads->value_dev &&
                  upload_ring_create(&loads->uploads, device, value_bytes + node_bytes, error);
  for (int a = 0; ok && a < user_count; a++) loads->node_index[a] = -1;
  for (int a = 0; ok && a < node_count; a++) loads->node_index[user_node[a]] = a;
  if (!ok) loads_destroy(loads);
  return ok;
}

void loads_destroy(Loads *loads) {
  upload_ring_destroy(&loads->uploads);
  device_free(loads->device, loads->node_dev);
  device_free(loads->device, loads->value_dev);
  free(loads->node_index);
  free(loads->force);
  *loads = (Loads){ 0 };
}

bool loads_change(Loads *loads, const double (*force)[3], const int *nodes, int count, const double gravity[3],
                  const double *weight, Stream stream, int *listed, double *largest, Error *error) {
  void *memory;
  *listed = 0;
  *largest = 0;
  if (!upload_ring_begin(&loads->uploads, &memory, error)) return false;
  double(*value)[3] = memory;  // [listed_max]: new loads. The list of their nodes comes after them in `memory`
  int *node = (int *)(value + loads->listed_max);
  for (int k = 0; k < count; k++) {
    const int a = loads->node_index[nodes[k]];
    const double *now = force[nodes[k]];
    if (a < 0) continue;
    if (memcmp(loads->force[a], now, sizeof *loads->force) == 0) continue;
    memcpy(loads->force[a], now, sizeof *loads->force);
    node[*listed] = a;
    for (int i = 0; i < 3; i++) {
      value[*listed][i] = gravity[i] * weight[a] + now[i];
      *largest = fmax(*largest, fabs(value[*listed][i]));
    }
    ++*listed;
  }

  const size_t some = (size_t)*listed;
  return device_upload(stream, loads->node_dev, node, sizeof *node * some, error) &&
         device_upload(stream, loads->value_dev, value, sizeof *value * some, error) &&
         upload_ring_end(&loads->uploads, stream, error);
}
