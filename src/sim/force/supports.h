// Supports: pinned unknowns that follow a prescribed rigid motion instead of staying where they are. Their positions
// follow from the time alone, so they are no part of a saved state. All arrays are in the order inside.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/rigid_motion.h"

// A zeroed Supports has no motions.
typedef struct Supports {
  int node_count, count;
  RigidMotion *motion;  // [count]
  uint16_t (*of)[3];    // [node_count] the motion of each unknown while it is pinned, counted from 1; 0: it stays
  int followers;        // number of nodes that follow a motion now
  int *node;            // [followers]
  uint8_t (*along)[3];  // [node_count], 1: the unknown follows its motion now
} Supports;

/// Copies motions [count] and of [node_count][3]. No unknown follows before supports_follow. `supports` must be empty.
/// A failure leaves it so.
bool supports_create(Supports *supports, const RigidMotion *motions, int count, const uint16_t (*of)[3], int node_count,
                     Error *error);
void supports_destroy(Supports *supports);

/// Lets the unknowns marked in follows [3 node_count] follow their motions, and no others.
void supports_follow(Supports *supports, const uint8_t *follows);

/// Creates `supports`, empty, for a body that was changed. from [node_count]: the former number of each node.
bool supports_carry(Supports *supports, const Supports *old, const int *from, int node_count, Error *error);

/// Returns true if a node that follows a motion is at different positions at two times, s.
bool supports_move(const Supports *supports, double from, double to);
