// Copies values of the nodes in a list from the host to a body's device. The values are springs by which a user pulls
// nodes (grabs.h), or prescribed displacements (constraint.h).
#pragma once
#include "device/device.h"
#include "device/upload_ring.h"

// Values of the nodes in a list, on a device. A zeroed NodeList is empty.
typedef struct NodeList {
  Device device;       // device on which the arrays are stored
  int width;           // number of values of each node: 5 for springs of grabs, 3 for displacements
  int capacity;        // number of nodes for which the arrays are large enough
  int *node_dev;       // [capacity], on the device: numbers of the listed nodes
  double *value_dev;   // [capacity][width], on the device: the values of the listed nodes
  UploadRing uploads;  // staging buffers in page-locked memory of the host; each has [capacity][width] doubles, then
                       // [capacity] ints
} NodeList;

/// Sets `device` and `width`. The arrays are allocated by the first node_list_upload.
void node_list_create(NodeList *list, Device device, int width);
void node_list_destroy(NodeList *list);

/// Queues copies to the device: node_dev[k] = nodes[k] and value_dev[k] = values[nodes[k]] for k < count. `values` has
/// `width` numbers for every node of the body. Does not wait for the copies. The caller may change `nodes` and `values`
/// at once, because both are first copied to a staging buffer.
bool node_list_upload(NodeList *list, const int *nodes, const double *values, int count, Stream stream, Error *error);
