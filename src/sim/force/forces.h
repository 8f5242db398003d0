// Sums of all forces on a body, with energy and tangent. forces.def lists the kinds of forces; the functions here loop
// over this list by macros. Forces of the kind FORCE_ON_UNKNOWN are linear in displacement and velocity. The time
// integrator chooses at which time within the time step they are evaluated. Contact is always evaluated at the end of
// the time step. Forces are added in the order of the list, so that sums have the same bits on all devices. n is the
// number of unknowns of the body, 3 for each node a.
#pragma once
#include "sim/force/force_arrays.h"
#include "sim/force/rows/floor.h"
#include "sim/force/rows/load.h"
#include "sim/force/rows/obstacles.h"
#include "sim/force/rows/pressure.h"
#include "sim/force/rows/springs.h"

// Initial value of sums of forces. The value is -0, because -0 + x has the bits of x for every x, also for x = -0.
#define NO_FORCE (-(real)0)

#define FORCE_ON_UNKNOWN(name) +1
#define FORCE_ON_NODE(name, Type, crosses) +1
#define FORCE_IN_SEPARATE_LOOP(name, crosses) +1
enum {
  FORCE_ROWS = 0
#include "sim/force/forces.def"
};

/// Fills `key` with the parameters of all forces that a recorded CUDA graph contains as constants. If one of them
/// changes, the graph must be recorded again.
HOST_DEVICE void forces_key(const Forces *f, double key[FORCE_ROWS * FORCE_KEYS]) {
  for (int k = 0; k < FORCE_ROWS * FORCE_KEYS; k++) key[k] = 0;
#define FORCE_ON_UNKNOWN(name) name##_key(f, key), key += FORCE_KEYS;
#define FORCE_ON_NODE(name, Type, crosses) name##_key(f, key), key += FORCE_KEYS;
#define FORCE_IN_SEPARATE_LOOP(name, crosses) name##_key(f, key), key += FORCE_KEYS;
#include "sim/force/forces.def"
}

/// Returns the number of off-diagonal entries that the active forces add to each 3x3 diagonal block of the tangent: 0,
/// 1 (xy) or 3 (xy, xz, yz).
HOST_DEVICE int contact_crosses(const Forces *f) {
  int maximum = f->self ? 3 : 0;
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f) && (crosses) > maximum) maximum = (crosses);
#define FORCE_IN_SEPARATE_LOOP(name, crosses) \
  if (name##_acts(f) && (crosses) > maximum) maximum = (crosses);
#include "sim/force/forces.def"
  return maximum;
}

/// Returns true if the floor or obstacles act on the body. The tangent of these forces changes between the iterations
/// of a time step.
HOST_DEVICE bool has_contact(const Forces *f) {
  bool any = false;
#define FORCE_ON_NODE(name, Type, crosses) any = any || name##_acts(f);
#define FORCE_IN_SEPARATE_LOOP(name, crosses) any = any || ((crosses) > 0 && name##_acts(f));
#include "sim/force/forces.def"
  return any;
}

// ---- FORCE_ON_UNKNOWN: forces that depend on one unknown

/// Returns the sum of all FORCE_ON_UNKNOWN forces (loads, springs) on unknown i, N. u is its displacement relative to
/// the body's origin, m, and v its velocity, m/s.
HOST_DEVICE real force_on_unknown(const Forces *f, const Body *body, int i, real u, real v) {
  const real moved = (real)(u + body->origin[i % 3]);
  real force = NO_FORCE;
#define FORCE_ON_UNKNOWN(name) name##_add_force(f, i, moved, v, &force);
#include "sim/force/forces.def"
  return force;
}

/// Adds to *shift the contribution of the FORCE_ON_UNKNOWN forces (loads, springs, dampers) to the tangent's diagonal
/// entries of node a: spring_shift * stiffness + damper_shift * damping coefficient. This entry is equal for x, y and
/// z.
HOST_DEVICE void add_unknown_shift(const Forces *f, int a, real spring_shift, real damper_shift, real *shift) {
#define FORCE_ON_UNKNOWN(name) name##_add_shift(f, a, spring_shift, damper_shift, shift);
#include "sim/force/forces.def"
}

// ---- FORCE_ON_NODE: forces that depend on one node

// Results of all FORCE_ON_NODE forces of forces.def at one node, one member for each force. The member of a force that
// does not act is undefined.
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

/// Evaluates all FORCE_ON_NODE forces at node a for a time step that ends with displacements u [n]. `lookahead`, s, is
/// above 0 only in Newton's first evaluation: a node then also counts as touching if it would touch within this time.
/// `slip_fraction`, 0 to 1: in the tangent, a slipping node has the stiffness slip_fraction * (friction force / length
/// of the slip) along its slip.
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

/// Adds the tangent of all FORCE_ON_NODE forces at a node, stored in `on`, to the node's 3x3 block: to its diagonal [3]
/// and to its entry *xy in row x, column y. The tangent is multiplied by `impulse`, as in the matrix of Newton's
/// method.
HOST_DEVICE void add_node_tangent(const Forces *f, const NodeForces *on, real impulse, real *diagonal, real *xy) {
#define FORCE_ON_NODE(name, Type, crosses)                                    \
  if (name##_acts(f)) {                                                       \
    for (int i = 0; i < 3; i++) diagonal[i] += impulse * on->name.tangent[i]; \
    *xy += impulse * on->name.tangent_xy;                                     \
  }
#include "sim/force/forces.def"
}

/// Stores the friction anchors of node a, the points to which static friction ties the node, at the end of a time step.
/// `on` has the forces on the node at this time.
HOST_DEVICE void stick_node(const Forces *f, int a, const NodeForces *on) {
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f)) name##_stick(f, a, &on->name);
#include "sim/force/forces.def"
}

// ---- FORCE_IN_SEPARATE_LOOP: forces that a separate loop computes, before the loops over the body's nodes

HOST_DEVICE bool has_separate_loop(const Forces *f) {
  bool any = false;
#define FORCE_IN_SEPARATE_LOOP(name, crosses) any = any || name##_acts(f);
#include "sim/force/forces.def"
  return any;
}

/// Returns true if an active force of the kind FORCE_IN_SEPARATE_LOOP adds to the 3x3 diagonal blocks of the tangent.
HOST_DEVICE bool has_separate_tangent(const Forces *f) {
  bool any = false;
#define FORCE_IN_SEPARATE_LOOP(name, crosses) any = any || ((crosses) > 0 && name##_acts(f));
#include "sim/force/forces.def"
  return any;
}

/// Returns the force at node a, with its tangent and energy, summed over all forces that a separate loop over the nodes
/// computes: obstacles and pressures. `end` has the displacements at the end of the time step.
HOST_DEVICE ObstacleContact separate_loop_on_node(const Forces *f, const Body *body, const StepEnd *end, int a) {
  ObstacleContact sum = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, 0 };
#define FORCE_IN_SEPARATE_LOOP(name, crosses) \
  if (name##_acts(f)) name##_add(f, body, end, a, &sum);
#include "sim/force/forces.def"
  return sum;
}

// ---- energies of forces

/// Adds to *energy, J, the energy of loads, springs and the floor at node a, at the body's displacements. Not included
/// are forces that a separate loop computes (obstacles, pressures). The energy of a load is 0 at displacement 0.
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
