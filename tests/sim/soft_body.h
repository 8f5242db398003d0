// A soft body that is held below, falls and is pulled: what tests of shapes compare stages by. `run` takes settings of
// `soft`.
#pragma once
#include "sim_testing.h"

static SimulationSettings soft(Device device, Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.device = device, s.precision = precision;
  s.mu = 4000, s.lambda = 6000, s.density = 1000, s.dt = 0.01;
  s.newton_relative = precision == PRECISION_F64 ? 1e-10 : 1e-5;
  s.cg_relative = precision == PRECISION_F64 ? 1e-10 : 1e-5;
  return s;
}

static uint8_t *held_below(const TetMesh *mesh) {
  uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
  for (int a = 0; a < mesh->node_count; a++) pinned[a] = mesh->X[a][2] < 1e-9 ? PIN_ALL : 0;
  return pinned;
}

// displacements after some steps under gravity and a pull
static double (*run(const TetMesh *mesh, const SimulationSettings *settings))[3] {
  Error error = { 0 };
  Simulation *w;
  int id;
  uint8_t *pinned = held_below(mesh);
  double(*u)[3] = malloc(sizeof *u * (size_t)mesh->node_count);
  MUST(simulation_create(&w, mesh, settings, pinned, &error));
  MUST(simulation_grab(w, (double[3]){ 0.5, 0.5, 0.5 }, 0.3, 500, &id, &error));
  MUST(simulation_drag(w, id, (double[3]){ 0.1, 0.05, 0 }, &error));
  for (int step = 0; step < 3; step++) {
    StepReport report;
    MUST(simulation_step(w, &report, &error));
    assert_true(report.converged);
  }
  MUST(simulation_displacements(w, u, &error));
  simulation_destroy(w);
  free(pinned);
  return u;
}
