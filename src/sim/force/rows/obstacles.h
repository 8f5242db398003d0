// Contact of single nodes with rigid obstacles, as the force `obstacles` in the list of forces (forces.def).
// force/obstacle.h computes the contact of one node with one obstacle.
#pragma once
#include "sim/force/force_arrays.h"
#include "sim/force/rows/load_ahead.h"

HOST_DEVICE bool obstacles_acts(const Forces *f) {
  return f->obstacle_count > 0;
}

/// Writes to `key` the numbers that a recorded CUDA graph contains as constants. floor_key writes the contact
/// stiffness; all other data of obstacles are read from arrays.
HOST_DEVICE void obstacles_key(const Forces *f, double key[FORCE_KEYS]) {
  key[0] = f->obstacle_count;
}

/// Adds force, tangent and energy of all obstacles at node a to *sum. `body` has the state at the start of the time
/// step, and `end` has the displacements at its end. If end->stick is true, also stores for each obstacle the node's
/// new anchor: the point to which static friction ties the node.
HOST_DEVICE void obstacles_add(const Forces *f, const Body *body, const StepEnd *end, int a, ObstacleContact *sum) {
  double x0[3];
  real load[3];
  load_ahead(f, body, a, end->lookahead, load);
  for (int i = 0; i < 3; i++) x0[i] = (double)body->X[3 * a + i] + (body->u[3 * a + i] + body->origin[i]);
  for (int k = 0; k < f->obstacle_count; k++) {
    real *anchor = f->obstacle_anchor + 3 * ((size_t)k * body->node_count + a);
    const ObstacleContact c =
        obstacle_contact(&f->obstacle[k], end->span, x0, body->u + 3 * a, end->u + 3 * a, body->p + 3 * a, load,
                         body->mass[a], end->lookahead, anchor, (real)f->floor.modulus * f->contact[a]);
    for (int i = 0; i < 3; i++) sum->force[i] += c.force[i];
    for (int i = 0; i < 6; i++) sum->tangent[i] += c.tangent[i];
    for (int i = 0; i < 3 && end->stick; i++) anchor[i] = c.anchor[i];
    sum->energy += c.energy;
  }
}

HOST_DEVICE double obstacles_rise(const Forces *f, const Body *body, const StepEnd *end, int a, const real *v) {
  ObstacleContact there = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, 0 }, here = there;
  StepEnd at = *end;
  obstacles_add(f, body, &at, a, &there);
  at.u = v;
  obstacles_add(f, body, &at, a, &here);
  return (double)there.energy - here.energy;
}
