// The constant load on every node, as the host has it, and the way of its changes to the body: where few nodes' loads
// change, as when a force begins or ends, only those travel, and nobody waits.
#pragma once
#include "device/upload_ring.h"

// A zeroed Loads is empty.
typedef struct Loads {
  Device device;
  double (*force)[3];  // [node_count] N, without gravity, in the order inside
  int *place;          // [node_count], where in that order each of the user's nodes is
  UploadRing uploads;
  int *node_dev;           // [LOADS_LISTED], the nodes of the list, on the device
  double (*value_dev)[3];  // [LOADS_LISTED] N, gravity included
} Loads;

enum { LOADS_LISTED = 4096 };

/// `user_node` [node_count]: the user's number of each node.
bool loads_create(Loads *loads, Device device, const int *user_node, int node_count, Error *error);
void loads_destroy(Loads *loads);

/// Takes the forces of the nodes [count] (at most LOADS_LISTED; one may be named more than once), of force
/// [node_count][3] N, both by the user's numbers, and lists those where that changes anything, with `gravity` m/s^2
/// times weight [node_count] kg. *listed is how many, and *largest the largest component of their loads, N.
bool loads_change(Loads *loads, const double (*force)[3], const int *nodes, int count, const double gravity[3],
                  const double *weight, Stream stream, int *listed, double *largest, Error *error);
