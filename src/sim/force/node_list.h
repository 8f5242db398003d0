// A list of nodes, each with some numbers, on its way from the host to a body's device: springs of grabs, targets of
// constraints. Only listed nodes travel.
#pragma once
#include "device/device.h"
#include "device/upload_ring.h"

// A zeroed NodeList is empty.
typedef struct NodeList {
  Device device;
  int width;           // numbers of a node
  int capacity;        // number of nodes for which the arrays are large enough
  int *node_dev;       // [capacity]
  double *value_dev;   // [capacity][width]
  UploadRing uploads;  // blocks of [capacity][width] double, then [capacity] int
} NodeList;

/// Sets the width. Arrays are allocated by the first upload, and again when a list is longer than all before.
void node_list_create(NodeList *list, Device device, int width);
void node_list_destroy(NodeList *list);

/// Queues copies of nodes [count] and of row values[nodes[k]] of an array [..][width] into node_dev and value_dev. Does
/// not wait; the caller may change both arrays at once.
bool node_list_upload(NodeList *list, const int *nodes, const double *values, int count, Stream stream, Error *error);
