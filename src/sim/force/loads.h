// The constant load on every node, as the host has it, and the way of its changes to the body: where few nodes' loads
// change, as when a force begins or ends, only those travel, and nobody waits.
#pragma once
#include "device/upload_ring.h"

// A zeroed Loads is empty.
typedef struct Loads {
  Device device;
  int node_count;
  double (*force)[3];  // [node_count] N, without gravity
  bool known;          // the body has them
  UploadRing uploads;
  int *node_dev;           // [LOADS_LISTED], the nodes of the list, on the device
  double (*value_dev)[3];  // [LOADS_LISTED] N, gravity included
  double largest;          // of all components, gravity included, N
} Loads;

enum { LOADS_LISTED = 4096 };

bool loads_create(Loads *loads, Device device, int node_count, Error *error);
void loads_destroy(Loads *loads);

/// Takes other forces, [node_count][3] N by the user's numbers (NULL: none), and lists the nodes where that changes
/// anything. `gravity` m/s^2 and `mass` [node_count] kg give the rest. *count is how many are listed, -1 where they are
/// more than LOADS_LISTED, or nothing was set before: then the body needs all.
bool loads_set(Loads *loads, const double (*force)[3], const int *user_node, const double gravity[3],
               const double *mass, Stream stream, int *count, Error *error);
