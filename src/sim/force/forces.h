// The external forces on a body: a constant load, gravity included; springs and dampers (springs.h); the floor
// (floor.h) and obstacles (obstacle.h). Each with its force, its energy and its tangent. Load and springs are linear in
// u and v, so an integrator may take them where it likes in a step; contact is that of the step's end.
#pragma once
#include "sim/force/body.h"
#include "sim/force/floor.h"
#include "sim/force/obstacle.h"
#include "sim/force/springs.h"

// Arrays on the body's device.
typedef struct Forces {
  real *load, *pull;      // [n] N
  real *spring, *damper;  // [node_count] N/m and N s/m
  Floor floor;            // what of it is the same for all nodes
  real *contact;          // [node_count] m: times floor.modulus a node's stiffness against what it touches
  real *anchor;           // [node_count][2] m: where a node sticks to the floor; part of the state
  int obstacle_count;
  Obstacle *obstacle;     // [obstacle_count]
  real *obstacle_anchor;  // [obstacle_count][node_count][3] m: where it sticks to each; part of the state
  struct Contact *self;   // of the surface with itself (sim/contact), on the host; NULL: there is none; borrowed
} Forces;

HOST_DEVICE bool has_contact(const Forces *f) {
  return f->floor.present || f->obstacle_count > 0;
}

/// How many entries off the diagonal of a node's own block contact adds to: operator_shift's `crosses`.
HOST_DEVICE int contact_crosses(const Forces *f) {
  return f->obstacle_count > 0 || f->self ? 3 : f->floor.present ? 1 : 0;
}

/// Load, spring and damper on unknown i, N, at displacement u (from the body's origin) and velocity v.
HOST_DEVICE real load_and_spring_force(const Forces *f, const Body *body, int i, real u, real v) {
  const real moved = (real)(u + body->origin[i % 3]);
  return f->load[i] + spring_force(f->spring[i / 3], f->pull[i], moved) + damper_force(f->damper[i / 3], v);
}

/// The load with which a first guess looks ahead to what node a will touch, [3] N: by itself it takes the node no
/// further than a tenth of the size of its share, since what stands there is held up by the rest of the body. Without
/// that all nodes of a body that is small against gravity times dt squared counted as touching, in every step.
HOST_DEVICE void load_ahead(const Forces *f, const Body *body, int a, real lookahead, real *load) {
  const real *all = f->load + 3 * a, most = (real)0.1 / FLOOR_STIFFNESS * f->contact[a];
  const real way = lookahead * lookahead / body->mass[a] * (real)sqrt((double)along(all, all));
  for (int i = 0; i < 3; i++) load[i] = way > most ? all[i] * (most / way) : all[i];
}

/// What the floor does to node a where the step ends with displacements u [n]. For `lookahead` s and `slip_share` see
/// floor_contact.
HOST_DEVICE FloorContact floor_at_node(const Forces *f, const Body *body, int a, const real *u, real lookahead,
                                       real slip_share) {
  real ahead[3], load[3];
  load_ahead(f, body, a, lookahead, load);
  floor_ahead(body->p + 3 * a, load, body->mass[a], lookahead, ahead);
  return floor_contact(body->X + 3 * a, u + 3 * a, ahead, f->anchor + 2 * a, (real)(f->floor.height - body->origin[2]),
                       (real)f->floor.modulus * f->contact[a], (real)f->floor.friction, slip_share);
}

/// What all obstacles do to node a in a step that begins with the body's state and ends with displacements u [n], added
/// up. With `stick` it sticks to where it is then.
HOST_DEVICE ObstacleContact obstacles_at_node(const Forces *f, const Body *body, StepSpan span, int a, const real *u,
                                              real lookahead, bool stick) {
  ObstacleContact sum = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, 0 };
  double x0[3];
  real load[3];
  load_ahead(f, body, a, lookahead, load);
  for (int i = 0; i < 3; i++) x0[i] = (double)body->X[3 * a + i] + (body->u[3 * a + i] + body->origin[i]);
  for (int k = 0; k < f->obstacle_count; k++) {
    real *anchor = f->obstacle_anchor + 3 * ((size_t)k * body->node_count + a);
    const ObstacleContact c =
        obstacle_contact(&f->obstacle[k], span, x0, body->u + 3 * a, u + 3 * a, body->p + 3 * a, load, body->mass[a],
                         lookahead, anchor, (real)f->floor.modulus * f->contact[a]);
    for (int i = 0; i < 3; i++) sum.force[i] += c.force[i];
    for (int i = 0; i < 6; i++) sum.tangent[i] += c.tangent[i];
    for (int i = 0; i < 3 && stick; i++) anchor[i] = c.anchor[i];
    sum.energy += c.energy;
  }
  return sum;
}

/// Adds the energy of node a's load, springs and floor in the body's state, J; 0 at rest.
HOST_DEVICE void add_external_energy(const Forces *f, const Body *body, int a, double *energy) {
  for (int i = 0; i < 3; i++) {
    const double u = body->u[3 * a + i] + body->origin[i];
    *energy += spring_energy(f->spring[a], f->pull[3 * a + i], u) - f->load[3 * a + i] * u;
  }
  if (f->floor.present) *energy += floor_at_node(f, body, a, body->u, 0, 0).energy;
}
