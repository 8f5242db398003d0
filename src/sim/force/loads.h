// The constant load on every node, stored on the host, and its changes on the way to the body. If only a few loads
// change, as when a force begins or ends, only these are copied, and the host does not wait.
#pragma once
#include "device/upload_ring.h"

// A zeroed Loads is empty.
typedef struct Loads {
  Device device;
  double (*force)[3];  // [node_count] N, without gravity, in the simulation's order of nodes
  int *node_index;     // [node_count], the index in this order of each of the user's nodes
  UploadRing uploads;
  int *node_dev;           // [LOADS_LISTED], changed nodes, on the device
  double (*value_dev)[3];  // [LOADS_LISTED] N, gravity included
} Loads;

enum { LOADS_LISTED = 4096 };

/// `user_node` [node_count]: the user's number of each node.
bool loads_create(Loads *loads, Device device, const int *user_node, int node_count, Error *error);
void loads_destroy(Loads *loads);

/// Updates the forces of the nodes [count], at most LOADS_LISTED with repetitions, from force [node_count][3] N; both
/// use the user's numbers. Lists the nodes whose force changed in node_dev and value_dev, with `gravity` m/s^2 times
/// weight [node_count] kg added. *listed is their number, *largest the largest component of their loads, N. Copies are
/// queued.
bool loads_change(Loads *loads, const double (*force)[3], const int *nodes, int count, const double gravity[3],
                  const double *weight, Stream stream, int *listed, double *largest, Error *error);
