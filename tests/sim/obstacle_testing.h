// Helpers for tests of bodies in contact with obstacles: settings, and runs that count intersections of surfaces.
#pragma once
#include "sim_testing.h"

#include "contact_watch.h"
#include "sim/element/moduli.h"

static Device device;
static const char *const integrator_names[] = { "auto", "midpoint", "euler", "bdf2", "euler_spin", "midpoint_energy" };

// Returns settings with self-contact, Young's modulus `young`, Pa, and Poisson's ratio 0.3, on the tested device.
static inline SimulationSettings soft(double young, Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.self_contact = true;
  s.device = device;
  s.precision = precision;
  s.newton_max = 60;
  s.mu = lame_mu(young, 0.3);
  s.lambda = lame_lambda(young, 0.3);
  return s;
}

// Totals over the steps of a run. newton, cg: numbers of Newton and CG iterations. parts: number of substeps. damped:
// number of steps for which backward Euler replaced the chosen integrator. unfinished: number of steps that did not
// converge. crossed: number of states with intersecting surfaces.
typedef struct Walk {
  int newton, cg, parts, damped, unfinished, crossed;
} Walk;

static inline void walk_step(Walk *walk, Simulation *simulation, Watch *watch) {
  Error error = { 0 };
  StepReport report;
  MUST(simulation_step(simulation, &report, &error));
  walk->newton += report.newton_iterations;
  walk->cg += report.cg_iterations;
  walk->parts += report.substeps;
  walk->damped += report.damped > 0;
  walk->unfinished += !report.converged;
  walk->crossed += watch_crossings(watch, simulation) > 0;
}

static inline double mass_of(const TetMesh *mesh, double density) {
  double mass = 0;
  for (int e = 0; e < mesh->tet_count; e++) mass += mesh_tet_volume(mesh, e) * density;
  return mass;
}

// Simulates a body from rest. walk->crossed counts states with intersecting surfaces, among the initial state and the
// states after the steps. Returns the final energy. *gained receives the largest excess of the total energy over its
// initial value, J.
static inline Energy walk_from_rest(const TetMesh *mesh, const SimulationSettings *s, int steps, Walk *walk,
                                    double *gained) {
  Error error = { 0 };
  Watch watch;
  Simulation *simulation;
  Energy energy;
  double begin = 0;
  *walk = (Walk){ 0 };
  *gained = -HUGE_VAL;
  MUST(simulation_create(&simulation, mesh, s, NULL, &error));
  watch_start(&watch, mesh, s);
  for (int step = 0; step <= steps; step++) {
    if (step > 0) walk_step(walk, simulation, &watch);
    if (step == 0) walk->crossed += watch_crossings(&watch, simulation) > 0;
    MUST(simulation_energy(simulation, &energy, &error));
    const double now = energy.kinetic + energy.elastic + energy.potential;
    if (step == 0) begin = now;
    *gained = fmax(*gained, now - begin);
  }
  watch_end(&watch);
  simulation_destroy(simulation);
  return energy;
}
