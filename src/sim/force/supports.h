// Supports: pinned unknowns that follow a prescribed rigid motion (simulation_set_supports). Their positions depend
// only on time, so that a saved state does not contain them. All arrays are in the simulation's internal order of
// nodes.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/rigid_motion.h"

// A zeroed Supports has no motions.
typedef struct Supports {
  int node_count, count;
  RigidMotion *motion;  // [count]
  uint16_t (*of)[3];    // [node_count], the motion that each unknown follows while it is pinned: 1 is motion[0], 2 is
                        // motion[1]; 0: none, it does not move
  int followers;        // number of nodes of which at least one unknown now follows a motion
  int *node;            // [followers], these nodes
  uint8_t (*along)[3];  // [node_count], 1: the unknown now follows its motion
} Supports;

/// Copies motions [count] and of [node_count][3]. No unknown follows its motion until supports_follow is called.
/// `supports` must be empty, and is empty after a failure.
bool supports_create(Supports *supports, const RigidMotion *motions, int count, const uint16_t (*of)[3], int node_count,
                     Error *error);
void supports_destroy(Supports *supports);

/// Lets exactly those unknowns follow their motions that are 1 in follows [3 node_count].
void supports_follow(Supports *supports, const uint8_t *follows);

/// Copies the supports `old` to a body that was changed by a cut. from [node_count] is the former number of each node.
/// `supports` must be empty.
bool supports_carry(Supports *supports, const Supports *old, const int *from, int node_count, Error *error);

/// Returns true if nodes follow motions, and a motion has different positions at the times `from` and `to`, s.
bool supports_move(const Supports *supports, double from, double to);
