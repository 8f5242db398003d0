// Supports are pinned unknowns that follow a prescribed rigid motion (simulation_set_supports). The positions of
// supports depend only on time, so a saved state does not contain these positions. Arrays are in the simulation's
// internal order of nodes.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/rigid_motion.h"

// The supports of a body: unknowns that are pinned and follow rigid motions. A zeroed Supports has no motions.
typedef struct Supports {
  int node_count, count;  // number of nodes of the body, and number of motions
  RigidMotion *motion;    // [count], the prescribed motions
  // [node_count], for the three unknowns of each node: the motion that the unknown follows while it is pinned. 1 means
  // motion[0], 2 means motion[1], and so on; 0: none.
  uint16_t (*of)[3];
  int followers;        // number of nodes with at least one unknown that follows a motion at present
  bool any_followers;   // true if this process or another process of the run has such a node; set by the caller if
                        // several processes divide the body
  int *node;            // [followers], the nodes with at least one unknown that follows a motion at present
  uint8_t (*along)[3];  // [node_count], for the three unknowns of each node: 1 if the unknown follows its motion at
                        // present
} Supports;

/// Creates supports: pinned unknowns that follow prescribed rigid motions. Copies the arrays `motions` [count] and `of`
/// [node_count][3]. Each element of `of` selects the motion that an unknown follows: 1 is motions[0], 2 is motions[1],
/// and so on; 0: none. No unknown follows its motion before supports_follow is called. `supports` must be empty, and is
/// empty after a failure.
bool supports_create(Supports *supports, const RigidMotion *motions, int count, const uint16_t (*of)[3], int node_count,
                     Error *error);
void supports_destroy(Supports *supports);

/// Chooses the unknowns that follow their prescribed motions: unknown i follows if follows[i] is 1. follows has [3
/// node_count] elements. All other pinned unknowns do not move.
void supports_follow(Supports *supports, const uint8_t *follows);

/// Copies the supports `old`, pinned unknowns with prescribed motions, to a body that was cut. from [node_count] is the
/// number of each node before the cut. `supports` must be empty.
bool supports_carry(Supports *supports, const Supports *old, const int *from, int node_count, Error *error);

/// Returns true if supports (pinned unknowns that follow rigid motions) move the body between the times `from` and
/// `to`, s: at least one node follows a motion, and at least one motion has different positions at these two times.
bool supports_move(const Supports *supports, double from, double to);
