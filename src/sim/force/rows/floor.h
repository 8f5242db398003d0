// Contact of nodes with the floor, as the force `floor` in the list of forces (forces.def). force/floor.h computes the
// force on one node.
#pragma once
#include "sim/force/force_arrays.h"
#include "sim/force/rows/load_ahead.h"

HOST_DEVICE bool floor_acts(const Forces *f) {
  return f->floor.present;
}

HOST_DEVICE void floor_key(const Forces *f, double key[FORCE_KEYS]) {
  key[0] = f->floor.present;
  key[1] = f->floor.height;
  key[2] = f->floor.modulus;
  key[3] = f->floor.friction;
}

/// Returns the floor's force on node a, with tangent and energy, for a time step that ends with displacements u [n] of
/// the body's n unknowns. If `lookahead`, s, is above 0, a node also counts as touching if it would touch within this
/// time. `slip_fraction`, 0 to 1: in the tangent, a slipping node has the stiffness slip_fraction * (friction force /
/// slip length) along its slip.
HOST_DEVICE FloorContact floor_on_node(const Forces *f, const Body *body, int a, const real *u, real lookahead,
                                       real slip_fraction) {
  real ahead[3], load[3];
  load_ahead(f, body, a, lookahead, load);
  floor_ahead(body->p + 3 * a, load, body->mass[a], lookahead, ahead);
  return floor_contact(body->X + 3 * a, u + 3 * a, ahead, f->anchor + 2 * a, (real)(f->floor.height - body->origin[2]),
                       (real)f->floor.modulus * f->contact[a], (real)f->floor.friction, slip_fraction);
}

/// At the end of a time step, stores the new friction anchor of node a: the point of the floor to which the node
/// sticks. `contact` is the result of floor_on_node for the new state.
HOST_DEVICE void floor_stick(const Forces *f, int a, const FloorContact *contact) {
  f->anchor[2 * a] = contact->anchor_x;
  f->anchor[2 * a + 1] = contact->anchor_y;
}

HOST_DEVICE double floor_rise(const Forces *f, const Body *body, int a, const real *u, const real *v) {
  return (double)floor_on_node(f, body, a, u, 0, 0).energy - floor_on_node(f, body, a, v, 0, 0).energy;
}
