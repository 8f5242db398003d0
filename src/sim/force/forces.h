// The forces on a body: each row of forces.def with its force, energy and tangent, and the loops over all rows. Forces
// on unknowns are linear in u and v, so an integrator may evaluate them at any time of a step; contact acts at the
// step's end. Each function adds in the order of the list, so a sum has the same bits everywhere.
#pragma once
#include "sim/force/force_arrays.h"
#include "sim/force/rows/floor.h"
#include "sim/force/rows/load.h"
#include "sim/force/rows/obstacles.h"
#include "sim/force/rows/pressure.h"
#include "sim/force/rows/springs.h"

// A sum that begins with -0 is its first term to the last bit.
#define NO_FORCE (-(real)0)

#define FORCE_ON_UNKNOWN(name) +1
#define FORCE_ON_NODE(name, Type, crosses) +1
#define FORCE_IN_SEPARATE_LOOP(name, crosses) +1
enum {
  FORCE_ROWS = 0
#include "sim/force/forces.def"
};

/// Writes the numbers that a recorded graph contains of the forces.
HOST_DEVICE void forces_key(const Forces *f, double key[FORCE_ROWS * FORCE_KEYS]) {
  for (int k = 0; k < FORCE_ROWS * FORCE_KEYS; k++) key[k] = 0;
#define FORCE_ON_UNKNOWN(name) name##_key(f, key), key += FORCE_KEYS;
#define FORCE_ON_NODE(name, Type, crosses) name##_key(f, key), key += FORCE_KEYS;
#define FORCE_IN_SEPARATE_LOOP(name, crosses) name##_key(f, key), key += FORCE_KEYS;
#include "sim/force/forces.def"
}

/// The number of entries off the diagonal of a node's block that the tangents of active rows have: operator_shift's
/// `crosses`.
HOST_DEVICE int contact_crosses(const Forces *f) {
  int maximum = f->self ? 3 : 0;
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f) && (crosses) > maximum) maximum = (crosses);
#define FORCE_IN_SEPARATE_LOOP(name, crosses) \
  if (name##_acts(f) && (crosses) > maximum) maximum = (crosses);
#include "sim/force/forces.def"
  return maximum;
}

/// Returns true if the tangent of an active force changes within a step: contact with the floor or obstacles.
HOST_DEVICE bool has_contact(const Forces *f) {
  bool any = false;
#define FORCE_ON_NODE(name, Type, crosses) any = any || name##_acts(f);
#define FORCE_IN_SEPARATE_LOOP(name, crosses) any = any || ((crosses) > 0 && name##_acts(f));
#include "sim/force/forces.def"
  return any;
}

// ---- forces on unknowns

/// The sum of forces on unknown i, N, at displacement u (from the body's origin) and velocity v.
HOST_DEVICE real force_on_unknown(const Forces *f, const Body *body, int i, real u, real v) {
  const real moved = (real)(u + body->origin[i % 3]);
  real force = NO_FORCE;
#define FORCE_ON_UNKNOWN(name) name##_add_force(f, i, moved, v, &force);
#include "sim/force/forces.def"
  return force;
}

/// Adds the part of forces on unknowns in the tangent's diagonal at node a: `spring_shift` times stiffness and
/// `damper_shift` times damping.
HOST_DEVICE void add_unknown_shift(const Forces *f, int a, real spring_shift, real damper_shift, real *shift) {
#define FORCE_ON_UNKNOWN(name) name##_add_shift(f, a, spring_shift, damper_shift, shift);
#include "sim/force/forces.def"
}

// ---- forces on nodes

// The contact of one node in each of these rows; a row that does not act has none.
typedef struct NodeForces {
#define FORCE_ON_NODE(name, Type, crosses) Type name;
#include "sim/force/forces.def"
} NodeForces;

HOST_DEVICE bool acts_on_nodes(const Forces *f) {
  bool any = false;
#define FORCE_ON_NODE(name, Type, crosses) any = any || name##_acts(f);
#include "sim/force/forces.def"
  return any;
}

/// Evaluates these rows at node a, if the step ends with displacements u [n].
HOST_DEVICE void find_node_forces(const Forces *f, const Body *body, int a, const real *u, real lookahead,
                                  real slip_fraction, NodeForces *on) {
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f)) on->name = name##_on_node(f, body, a, u, lookahead, slip_fraction);
#include "sim/force/forces.def"
}

HOST_DEVICE void add_node_force(const Forces *f, const NodeForces *on, int axis, real *force) {
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f)) *force += on->name.force[axis];
#include "sim/force/forces.def"
}

/// Adds `impulse` times the tangent to a node's diagonal [3] and its xy entry.
HOST_DEVICE void add_node_tangent(const Forces *f, const NodeForces *on, real impulse, real *diagonal, real *xy) {
#define FORCE_ON_NODE(name, Type, crosses)                                    \
  if (name##_acts(f)) {                                                       \
    for (int i = 0; i < 3; i++) diagonal[i] += impulse * on->name.tangent[i]; \
    *xy += impulse * on->name.tangent_xy;                                     \
  }
#include "sim/force/forces.def"
}

/// Stores the anchors of node a at the end of a step with these contacts.
HOST_DEVICE void stick_node(const Forces *f, int a, const NodeForces *on) {
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f)) name##_stick(f, a, &on->name);
#include "sim/force/forces.def"
}

// ---- forces in a loop of their own

HOST_DEVICE bool has_separate_loop(const Forces *f) {
  bool any = false;
#define FORCE_IN_SEPARATE_LOOP(name, crosses) any = any || name##_acts(f);
#include "sim/force/forces.def"
  return any;
}

/// Returns true if one of these rows acts and has a tangent.
HOST_DEVICE bool has_separate_tangent(const Forces *f) {
  bool any = false;
#define FORCE_IN_SEPARATE_LOOP(name, crosses) any = any || ((crosses) > 0 && name##_acts(f));
#include "sim/force/forces.def"
  return any;
}

/// The sum of these rows at node a.
HOST_DEVICE ObstacleContact separate_loop_on_node(const Forces *f, const Body *body, const StepEnd *end, int a) {
  ObstacleContact sum = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, 0 };
#define FORCE_IN_SEPARATE_LOOP(name, crosses) \
  if (name##_acts(f)) name##_add(f, body, end, a, &sum);
#include "sim/force/forces.def"
  return sum;
}

// ---- energies

/// Adds the energy at node a in the body's state, J, of all rows but those with a loop of their own; 0 at rest.
HOST_DEVICE void add_external_energy(const Forces *f, const Body *body, int a, double *energy) {
  for (int i = 0; i < 3; i++) {
    const double u = body->u[3 * a + i] + body->origin[i];
    double sum = NO_FORCE;
#define FORCE_ON_UNKNOWN(name) sum += name##_energy(f, 3 * a + i, u);
#include "sim/force/forces.def"
    *energy += sum;
  }
  if (!acts_on_nodes(f)) return;
  NodeForces on;
  find_node_forces(f, body, a, body->u, 0, 0, &on);
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f)) *energy += on.name.energy;
#include "sim/force/forces.def"
}
