// The constant loads on all nodes, in the host's memory. If some loads change, for example when a scene's scripted
// force begins to act, only the changed loads are copied to the device. The host does not wait for the copy.
#pragma once
#include "device/upload_ring.h"

// Constant loads on the nodes of a body. A zeroed Loads is empty.
typedef struct Loads {
  Device device;       // device to which changed loads are copied
  double (*force)[3];  // [node_count] N, loads without gravity, in the simulation's internal order of nodes
  int *node_index;     // [user_count], internal index of each node of the user's mesh; -1: another process has the node
  UploadRing uploads;  // staging buffers in the host's memory, from which changed loads are copied to the device
  // largest number of nodes that one call of loads_change accepts: LOADS_LISTED, or the number of nodes if this is
  // smaller
  int listed_max;
  int *node_dev;           // [listed_max], on the device: nodes whose load has changed
  double (*value_dev)[3];  // [listed_max] N, on the device: new loads of the nodes in node_dev, gravity included
} Loads;

enum { LOADS_LISTED = 4096 };  // largest possible value of Loads.listed_max

/// Creates loads of 0 N for all nodes. user_node [node_count] is the user's number of each node; the user's mesh has
/// user_count nodes. Fails if memory runs out.
bool loads_create(Loads *loads, Device device, const int *user_node, int node_count, int user_count, Error *error);
void loads_destroy(Loads *loads);

/// Changes the loads of `count` nodes: node nodes[k] gets the load force[nodes[k]], N. `nodes` contains the user's node
/// numbers, and force [user_count][3] has an element for each node of the user's mesh. `count` is at most listed_max.
/// Queues copies to the device: node_dev gets the *listed nodes whose load has changed, and value_dev gets these new
/// loads, gravity included. The gravity of node a is weight[a] * gravity. weight [node_count], kg, is in the internal
/// order of nodes, and gravity [3] is in m/s^2. *largest becomes the largest absolute component in value_dev, N.
bool loads_change(Loads *loads, const double (*force)[3], const int *nodes, int count, const double gravity[3],
                  const double *weight, Stream stream, int *listed, double *largest, Error *error);
