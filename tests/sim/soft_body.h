// A soft body that is held below, falls and is pulled: what tests of shapes compare stages by. `run` takes settings of
// `soft`.
#pragma once
#include "sim_testing.h"

static inline SimulationSettings soft(Device device, Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.device = device, s.precision = precision;
  s.mu = 4000, s.lambda = 6000, s.density = 1000, s.dt = 0.01;
  s.newton_relative = precision == PRECISION_F64 ? 1e-10 : 1e-5;
  s.cg_relative = precision == PRECISION_F64 ? 1e-10 : 1e-5;
  return s;
}

static inline uint8_t *held_below(const TetMesh *mesh) {
  uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
  for (int a = 0; a < mesh->node_count; a++) pinned[a] = mesh->X[a][2] < 1e-9 ? PIN_ALL : 0;
  return pinned;
}

// displacements after some steps under gravity and a pull
static inline double (*run(const TetMesh *mesh, const SimulationSettings *settings))[3] {
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

// every assembly with every matrix with the usual solver, and every solver with its usual matrix, of bodies of a shape
// on a device, against the plainest ones on the CPU; with consistent masses but those that know their matrix alone
static inline void stages_agree(Device device, const TetMesh *mesh, const char *shape, MassKind mass) {
  const int n = 3 * mesh->node_count;
  SimulationSettings plain = soft(device, PRECISION_F64);
  plain.gravity[2] = -9.81, plain.device = DEVICE_CPU, plain.mass = mass;
  snprintf(plain.assembly, sizeof plain.assembly, "cpu");
  snprintf(plain.matrix, sizeof plain.matrix, "dcsr");
  snprintf(plain.solver, sizeof plain.solver, "dcg");
  double(*expected)[3] = run(mesh, &plain);
  const Stage *assembly, *matrix, *solver;
  int count = 0;
  for (int ia = 0; (assembly = simulation_stage(STAGE_ASSEMBLY, shape, ia)); ia++)
    for (int im = 0; (matrix = simulation_stage(STAGE_OPERATOR, shape, im)); im++)
      for (int is = 0; (solver = simulation_stage(STAGE_SOLVER, shape, is)); is++) {
        if (assembly->device != device || matrix->device != device || solver->device != device) continue;
        if (assembly->precision != matrix->precision || solver->precision != matrix->precision) continue;
        if (!stage_fits(assembly, matrix) || !stage_fits(solver, matrix)) continue;
        if (!solver->preferred && matrix != stage_matrix_of(solver)) continue;
        SimulationSettings s = soft(device, assembly->precision);
        const char *its[2];
        stage_matrices(solver, its);
        if (mass == MASS_CONSISTENT && its[0]) continue;
        s.gravity[2] = -9.81, s.mass = mass;
        snprintf(s.assembly, sizeof s.assembly, "%s", assembly->name);
        snprintf(s.matrix, sizeof s.matrix, "%s", matrix->name);
        snprintf(s.solver, sizeof s.solver, "%s", solver->name);
        double(*u)[3] = run(mesh, &s);
        const double off = relative_l2(&u[0][0], &expected[0][0], n);
        if (!(off <= (assembly->precision == PRECISION_F64 ? 1e-8 : 2e-4)))  // as far as Newton's tolerance leaves it
          fail_msg("%s, %s, %s in %s: %.1e", assembly->name, matrix->name, solver->name,
                   precision_name(assembly->precision), off);
        free(u);
        count++;
      }
  printf("  %d combinations\n", count);
  assert_true(count > 10);
  free(expected);
}
