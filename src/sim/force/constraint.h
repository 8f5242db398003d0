// Constraints prescribe displacements of nodes. There are three kinds: pins, which hold nodes at rest; grabs with
// stiffness 0, groups of nodes that the user moves; and supports, pinned unknowns that follow rigid motions. Newton's
// method excludes the constrained unknowns from its linear systems. At the end of each time step, these unknowns have
// exactly the prescribed values. constraint.c has a table with a row for each kind.
#pragma once
#include "sim/force/grabs.h"
#include "sim/force/held.h"
#include "sim/force/supports.h"

// Data from which constraints find the constrained nodes and their prescribed displacements. Arrays are in the
// simulation's internal order of nodes.
typedef struct ConstraintSource {
  int node_count;            // number of nodes of the body
  const uint8_t *pinned;     // [3 node_count], 1: the unknown is pinned and does not move; NULL: none
  const Grabs *grabs;        // all grabs of the body; grabs with stiffness 0 prescribe displacements of their nodes
  const Supports *supports;  // motions of pinned unknowns; if zeroed, there are none
  const double (*X)[3];      // [node_count] m, undeformed positions
  double time;               // s, time at the end of the next time step
} ConstraintSource;

// One kind of constraint, which prescribes displacements of some nodes: a row of the table in constraint.c.
typedef struct Constraint {
  // Bit in Body.held: HELD_PINNED for unknowns that do not move, HELD_MOVED for unknowns with a prescribed motion.
  uint8_t bit;

  /// Sets the bit in held [3 node_count] for each unknown that this kind of constraint holds.
  void (*mark)(const ConstraintSource *source, uint8_t bit, uint8_t *held);

  /// For each node that this kind of constraint moves, writes the node's displacement at the end of the next time step,
  /// m, into target [node_count][3], and calls list(user, node). This pointer is NULL if the kind has the bit
  /// HELD_PINNED.
  void (*targets)(const ConstraintSource *source, double (*target)[3], void (*list)(void *user, int node), void *user);
} Constraint;

// Prescribed displacements (targets) of nodes for the next time step. A zeroed Constraints is empty.
typedef struct Constraints {
  int listed;           // number of nodes with a target in the next time step
  double (*target)[3];  // [node_count] m, prescribed displacement of each listed node at the end of the time step
  int *node;            // [node_count], elements 0 to listed - 1: the nodes with a target in the next time step
  uint8_t *is_listed;   // [node_count], 1: the node has a target in the next time step
  NodeList list;        // copies of the listed nodes and their targets on the device
} Constraints;

bool constraints_create(Constraints *constraints, Device device, int node_count, Error *error);
void constraints_destroy(Constraints *constraints);

/// Enlarges the arrays from `before` to node_count nodes, after a body was cut. constraints->list, which has the
/// buffers for copies to the device, is not reallocated, because allocating its page-locked memory takes milliseconds.
bool constraints_grow(Constraints *constraints, int64_t before, int64_t node_count, Error *error);

/// Sets held [3 node_count], one byte for each unknown (held.h): HELD_PINNED for an unknown that does not move,
/// HELD_MOVED for an unknown with a prescribed motion, 0 for a free unknown.
void constraints_mark(const ConstraintSource *source, uint8_t *held);

/// Lists the nodes whose motion is prescribed in the next time step, for example by a grab (group of nodes that the
/// user moves); *count becomes their number. Queues two copies to the device: the nodes to constraints->list.node_dev
/// [*count], and their displacements at the end of the time step, m, to list.value_dev [*count][3].
bool constraints_list(Constraints *constraints, const ConstraintSource *source, Stream stream, int *count,
                      Error *error);
