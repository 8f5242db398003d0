// Copies values of some nodes from the host to a body's device: springs of grabs, targets of constraints. Only listed
// nodes are copied.
#pragma once
#include "device/device.h"
#include "device/upload_ring.h"

// A zeroed NodeList is empty.
typedef struct NodeList {
  Device device;
  int width;           // number of values per node
  int capacity;        // number of nodes for which the arrays are large enough
  int *node_dev;       // [capacity]
  double *value_dev;   // [capacity][width]
  UploadRing uploads;  // staging buffers; each has [capacity][width] double, then [capacity] int
} NodeList;

/// Sets device and width. Uploads allocate the arrays when they need more capacity.
void node_list_create(NodeList *list, Device device, int width);
void node_list_destroy(NodeList *list);

/// Queues copies: node_dev[k] = nodes[k] and value_dev[k] = values[nodes[k]] for k < count, where `values` has a row
/// [width] per node. Does not wait. The caller may change both arrays immediately, since they are copied to a staging
/// buffer.
bool node_list_upload(NodeList *list, const int *nodes, const double *values, int count, Stream stream, Error *error);
