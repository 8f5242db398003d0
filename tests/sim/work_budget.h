// What a turning obstacle does to a body, and what the body has of it: energy comes from that work alone.
#pragma once
#include "sim_testing.h"

#include "sim/contact_report.h"

typedef struct WorkBudget {
  double (*x)[3], (*force)[3];  // [node_count], m and N
  double energy;                // J, of the body now
  double gained, worked;        // J, since it was started
  double most;                  // J, by which a step gained more than the obstacle's work in it
} WorkBudget;

static inline double budget_energy(Simulation *simulation) {
  Error error = { 0 };
  Energy e;
  MUST(simulation_energy(simulation, &e, &error));
  return e.kinetic + e.elastic + e.potential;
}

static inline void budget_start(WorkBudget *b, Simulation *simulation, int node_count) {
  *b = (WorkBudget){ .x = calloc((size_t)node_count, sizeof *b->x), .force = calloc((size_t)node_count, sizeof *b->x) };
  b->energy = budget_energy(simulation);
}

static inline void budget_end(WorkBudget *b) {
  free(b->x), free(b->force);
}

/// After a step of dt s, in which the obstacle alone has touched the nodes [node_count]: the force on each, which is
/// that of the step's end, has gone as far as the obstacle's point there, along its chord. To the second order of the
/// angle that it turns in the step, and to the first of the distance over which contact acts.
static inline void budget_step(WorkBudget *b, Simulation *simulation, const Obstacle *o, double dt, int node_count) {
  Error error = { 0 };
  const double now = simulation_time(simulation);
  const double angle = (obstacle_degrees(o, now) - obstacle_degrees(o, now - dt)) * (acos(-1.0) / 180);
  double work = 0, after = budget_energy(simulation);
  MUST(simulation_state(simulation, b->x, NULL, &error));
  MUST(contact_forces_on_nodes(simulation, b->force, &error));
  for (int a = 0; a < node_count; a++) {
    double arm[3], before[3];
    for (int i = 0; i < 3; i++) arm[i] = b->x[a][i] - o->spin.about[i];
    turn_about(o->spin.axis, -angle, arm, before);
    for (int i = 0; i < 3; i++) work += b->force[a][i] * (arm[i] - before[i]);
  }
  b->worked += work, b->gained += after - b->energy, b->most = fmax(b->most, after - b->energy - work);
  b->energy = after;
}
