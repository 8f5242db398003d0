// The external forces on a body: a constant load, gravity included; springs and dampers (springs.h); the floor
// (floor.h). Each with its force, its energy and its tangent. Load and springs are linear in u and v, so an integrator
// may take them where it likes in a step; the floor's are those of the step's end.
#pragma once
#include "sim/body.h"
#include "sim/force/floor.h"
#include "sim/force/springs.h"

// Arrays on the body's device.
typedef struct Forces {
  real *load, *pull;      // [n] N
  real *spring, *damper;  // [node_count] N/m and N s/m
  Floor floor;            // what of it is the same for all nodes
  real *contact;          // [node_count] m: times floor.modulus a node's stiffness against the floor
  real *anchor;           // [node_count][2] m: where a node sticks to the floor; part of the state
} Forces;

/// Load, spring and damper on unknown i, N, at displacement u (from the body's origin) and velocity v.
HOST_DEVICE real load_and_spring_force(const Forces *f, const Body *body, int i, real u, real v) {
  const real moved = (real)(u + body->origin[i % 3]);
  return f->load[i] + spring_force(f->spring[i / 3], f->pull[i], moved) + damper_force(f->damper[i / 3], v);
}

/// What the floor does to node a where the step ends with displacements u [n]. For `lookahead` s see floor_contact.
HOST_DEVICE FloorContact floor_at_node(const Forces *f, const Body *body, int a, const real *u, real lookahead) {
  real ahead[3];
  floor_ahead(body->p + 3 * a, f->load + 3 * a, body->mass[a], lookahead, ahead);
  return floor_contact(body->X + 3 * a, u + 3 * a, ahead, f->anchor + 2 * a, (real)(f->floor.height - body->origin[2]),
                       (real)f->floor.modulus * f->contact[a], (real)f->floor.friction);
}

/// Adds the energy of node a's load, springs and floor in the body's state, J; 0 at rest.
HOST_DEVICE void add_external_energy(const Forces *f, const Body *body, int a, double *energy) {
  for (int i = 0; i < 3; i++) {
    const double u = body->u[3 * a + i] + body->origin[i];
    *energy += spring_energy(f->spring[a], f->pull[3 * a + i], u) - f->load[3 * a + i] * u;
  }
  if (f->floor.present) *energy += floor_at_node(f, body, a, body->u, 0).energy;
}
