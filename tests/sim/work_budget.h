// Compares the work that a rotating obstacle does on a body with the body's gain in energy, in tests in which nothing
// else may add energy to the body.
#pragma once
#include "sim_testing.h"

#include "sim/contact_report.h"

typedef struct WorkBudget {
  double (*x)[3], (*force)[3];  // [node_count]: positions of the nodes, m, and contact forces on them, N
  double energy;                // J, the body's present total energy
  double gained, worked;        // J, since budget_start: energy that the body has gained, and work of the obstacle
  double maximum;  // J, largest value, over all steps, of the energy gained in a step minus the obstacle's work in it
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
  free(b->x);
  free(b->force);
}

/// Adds the work and the gained energy of a step of dt seconds, in which only the obstacle `o` touched the body's
/// node_count nodes. The point of the obstacle at a node moves on an arc. The work on the node is its contact force at
/// the end of the step times the chord of this arc. This is accurate to second order in the step's rotation angle and
/// to first order in the contact distance.
static inline void budget_step(WorkBudget *b, Simulation *simulation, const Obstacle *o, double dt, int node_count) {
  Error error = { 0 };
  const double now = simulation_time(simulation);
  const double angle = (motion_degrees(&o->motion, now) - motion_degrees(&o->motion, now - dt)) * (acos(-1.0) / 180);
  double work = 0, after = budget_energy(simulation);
  MUST(simulation_state(simulation, b->x, NULL, &error));
  MUST(contact_forces_on_nodes(simulation, b->force, &error));
  for (int a = 0; a < node_count; a++) {
    double arm[3], before[3];
    for (int i = 0; i < 3; i++) arm[i] = b->x[a][i] - o->motion.spin.about[i];
    turn_about(o->motion.spin.axis, -angle, arm, before);
    for (int i = 0; i < 3; i++) work += b->force[a][i] * (arm[i] - before[i]);
  }
  b->worked += work;
  b->gained += after - b->energy;
  b->maximum = fmax(b->maximum, after - b->energy - work);
  b->energy = after;
}
