// The constant loads on all nodes, which are stored on the host, and copies of changed loads on the body's device. If
// only a few loads change, for example when a scripted force begins, only these are copied, and the host does not wait.
#pragma once
#include "device/upload_ring.h"

// A zeroed Loads is empty.
typedef struct Loads {
  Device device;
  double (*force)[3];  // [node_count] N, without gravity, in the simulation's internal order of nodes
  int *node_index;     // [node_count], internal index of each of the user's nodes
  UploadRing uploads;
  int listed_max;          // number of changed loads that can be copied: LOADS_LISTED, or all nodes if they are fewer
  int *node_dev;           // [listed_max], changed nodes, on the device; value_dev has their loads
  double (*value_dev)[3];  // [listed_max] N, gravity included
} Loads;

enum { LOADS_LISTED = 4096 };

/// Creates loads of 0. user_node [node_count] is the user's number of each node. Fails if memory runs out.
bool loads_create(Loads *loads, Device device, const int *user_node, int node_count, Error *error);
void loads_destroy(Loads *loads);

/// Updates the loads of nodes [count] from force [node_count][3] N; both use the user's numbers. `count` is at most
/// listed_max. Nodes whose load has changed are listed in node_dev; value_dev has their loads plus gravity [3] m/s^2
/// times weight [node_count] kg. *listed is their number, and *largest the largest component of these sums, N. Copies
/// are queued.
bool loads_change(Loads *loads, const double (*force)[3], const int *nodes, int count, const double gravity[3],
                  const double *weight, Stream stream, int *listed, double *largest, Error *error);
