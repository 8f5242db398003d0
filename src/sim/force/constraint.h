// Constraints prescribe displacements of nodes. Newton's method leaves prescribed unknowns out of its linear systems,
// and every step ends exactly at their values. constraint.c lists the kinds of constraints, a row each.
#pragma once
#include "sim/force/grabs.h"
#include "sim/force/held.h"
#include "sim/force/supports.h"

// The data that rows read. All arrays are in the order inside.
typedef struct ConstraintSource {
  int node_count;
  const uint8_t *pinned;  // [3 node_count] 1: the unknown stays where it is; NULL: none
  const Grabs *grabs;
  const Supports *supports;
  const double (*X)[3];  // [node_count] m, undeformed positions
  double time;           // s, at the end of the next step
} ConstraintSource;

// One kind of constraint.
typedef struct Constraint {
  uint8_t bit;  // in Body.held: HELD_PINNED for unknowns that stay, HELD_MOVED for those with a target

  /// Sets the bit in held [3 node_count] for each unknown of this kind.
  void (*mark)(const ConstraintSource *source, uint8_t bit, uint8_t *held);

  /// Writes displacements at the end of the next step, m, into target [node_count][3] for nodes of this kind, and calls
  /// list(user, node) for each of them. NULL for HELD_PINNED.
  void (*targets)(const ConstraintSource *source, double (*target)[3], void (*list)(void *user, int node), void *user);
} Constraint;

// The targets on their way to the device. A zeroed Constraints is empty.
typedef struct Constraints {
  int node_count, listed;
  double (*target)[3];  // [node_count] m
  int *node;            // [node_count], the nodes listed for the next step
  uint8_t *is_listed;   // [node_count]
  NodeList list;
} Constraints;

bool constraints_create(Constraints *constraints, Device device, int node_count, Error *error);
void constraints_destroy(Constraints *constraints);

/// Clears held [3 node_count] and marks the unknowns of all constraints.
void constraints_mark(const ConstraintSource *source, uint8_t *held);

/// Lists the nodes with a target and queues copies of them, in constraints->list.node_dev and value_dev [count][3].
bool constraints_list(Constraints *constraints, const ConstraintSource *source, Stream stream, int *count,
                      Error *error);
