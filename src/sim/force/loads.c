// Loads: see loads.h.
#include "sim/force/loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef struct Block {
  double value[LOADS_LISTED][3];
  int node[LOADS_LISTED];
} Block;

bool loads_create(Loads *loads, Device device, int node_count, Error *error) {
  *loads = (Loads){ .device = device, .node_count = node_count };
  loads->force = array_new(node_count, sizeof *loads->force, "forces", error);
  loads->node_dev = device_alloc(device, sizeof *loads->node_dev * LOADS_LISTED, error);
  loads->value_dev = device_alloc(device, sizeof *loads->value_dev * LOADS_LISTED, error);
  if (loads->force && loads->node_dev && loads->value_dev &&
      upload_ring_create(&loads->uploads, device, sizeof(Block), error))
    return true;
  loads_destroy(loads);
  return false;
}

void loads_destroy(Loads *loads) {
  upload_ring_destroy(&loads->uploads);
  device_free(loads->device, loads->node_dev);
  device_free(loads->device, loads->value_dev);
  free(loads->force);
  *loads = (Loads){ 0 };
}

bool loads_set(Loads *loads, const double (*force)[3], const int *user_node, const double gravity[3],
               const double *mass, Stream stream, int *count, Error *error) {
  static const double none[3] = { 0, 0, 0 };
  void *memory;
  if (!upload_ring_begin(&loads->uploads, &memory, error)) return false;
  Block *block = memory;
  double largest = 0;
  int listed = 0;
  for (int a = 0; a < loads->node_count; a++) {
    const double *now = force ? force[user_node[a]] : none;
    const bool changes = memcmp(loads->force[a], now, sizeof *loads->force) != 0;
    if (changes) memcpy(loads->force[a], now, sizeof *loads->force);
    if (changes && listed < LOADS_LISTED) block->node[listed] = a;
    for (int i = 0; i < 3; i++) {
      const double value = gravity[i] * mass[a] + now[i];
      if (changes && listed < LOADS_LISTED) block->value[listed][i] = value;
      largest = fmax(largest, fabs(value));
    }
    listed += changes;
  }
  loads->largest = largest;
  *count = loads->known && listed <= LOADS_LISTED ? listed : -1;
  loads->known = true;
  const size_t some = *count > 0 ? (size_t)*count : 0;
  return device_upload(stream, loads->node_dev, block->node, sizeof *block->node * some, error) &&
         device_upload(stream, loads->value_dev, block->value, sizeof *block->value * some, error) &&
         upload_ring_end(&loads->uploads, stream, error);
}
