// The constant loads on nodes, and copies of changed ones on the device: see loads.h.
#include "sim/force/loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef struct Block {
  double value[LOADS_LISTED][3];
  int node[LOADS_LISTED];
} Block;

bool loads_create(Loads *loads, Device device, const int *user_node, int node_count, Error *error) {
  *loads = (Loads){ .device = device };
  loads->force = array_new(node_count, sizeof *loads->force, "forces", error);
  loads->node_index = array_new(node_count, sizeof *loads->node_index, "forces", error);
  loads->node_dev = device_alloc(device, sizeof *loads->node_dev * LOADS_LISTED, error);
  loads->value_dev = device_alloc(device, sizeof *loads->value_dev * LOADS_LISTED, error);
  const bool ok = loads->force && loads->node_index && loads->node_dev && loads->value_dev &&
                  upload_ring_create(&loads->uploads, device, sizeof(Block), error);
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
  *listed = 0, *largest = 0;
  if (!upload_ring_begin(&loads->uploads, &memory, error)) return false;
  Block *block = memory;
  for (int k = 0; k < count; k++) {
    const int a = loads->node_index[nodes[k]];
    const double *now = force[nodes[k]];
    if (memcmp(loads->force[a], now, sizeof *loads->force) == 0) continue;
    memcpy(loads->force[a], now, sizeof *loads->force);
    block->node[*listed] = a;
    double *value = block->value[(*listed)++];
    for (int i = 0; i < 3; i++) {
      value[i] = gravity[i] * weight[a] + now[i];
      *largest = fmax(*largest, fabs(value[i]));
    }
  }
  const size_t some = (size_t)*listed;
  return device_upload(stream, loads->node_dev, block->node, sizeof *block->node * some, error) &&
         device_upload(stream, loads->value_dev, block->value, sizeof *block->value * some, error) &&
         upload_ring_end(&loads->uploads, stream, error);
}
