// Simulates a soft body that is clamped at z = 0, and that gravity and a grab pull. Tests of element shapes use it to
// compare all combinations of stages. The settings of `run` are those that `soft` returns, with changes.
#pragma once
#include "sim_testing.h"

static inline SimulationSettings soft(Device device, Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.mu = 4000;
  s.lambda = 6000;
  s.density = 1000;
  s.dt = 0.01;
  s.newton_relative = precision == PRECISION_F64 ? 1e-10 : 1e-5;
  s.cg_relative = precision == PRECISION_F64 ? 1e-10 : 1e-5;
  return s;
}

static inline uint8_t *held_below(const TetMesh *mesh) {
  uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
  for (int a = 0; a < mesh->node_count; a++) pinned[a] = mesh->X[a][2] < 1e-9 ? PIN_ALL : 0;
  return pinned;
}

// Returns the displacements [node_count][3] after three steps under a grab and the gravity of the settings. The caller
// frees them.
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

// Compares displacements of all combinations of stages that the device supports with those of the simplest stages on
// the CPU in double. The default solver is tested with each matrix, every other solver only with its default matrix.
// With consistent masses, solvers that require particular matrices are left out.
static inline void stages_agree(Device device, const TetMesh *mesh, const char *shape, MassKind mass) {
  const int n = 3 * mesh->node_count;
  SimulationSettings plain = soft(device, PRECISION_F64);
  plain.gravity[2] = -9.81;
  plain.device = DEVICE_CPU;
  plain.mass = mass;
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
        s.gravity[2] = -9.81;
        s.mass = mass;
        snprintf(s.assembly, sizeof s.assembly, "%s", assembly->name);
        snprintf(s.matrix, sizeof s.matrix, "%s", matrix->name);
        snprintf(s.solver, sizeof s.solver, "%s", solver->name);
        double(*u)[3] = run(mesh, &s);
        const double off = relative_l2(&u[0][0], &expected[0][0], n);

        // the solutions agree up to Newton's tolerance
        if (!(off <= (assembly->precision == PRECISION_F64 ? 1e-8 : 2e-4)))
          fail_msg("%s, %s, %s in %s: relative difference %.1e", assembly->name, matrix->name, solver->name,
                   precision_name(assembly->precision), off);
        free(u);
        count++;
      }
  printf("  %d combinations of assembly, matrix and solver\n", count);
  assert_true(count > 10);
  free(expected);
}

// Simulates a free box of 24 kg with a corner at the origin and sides of 0.3, 0.2 and 0.4 m. It starts with a
// translation, a rotation and a bending velocity. After 50 steps of the midpoint rule the linear and angular momenta
// must be unchanged. The energy may change by 2e-3, the error of this rule.
static inline void check_conservation_of_a_free_box(const TetMesh *mesh, const SimulationSettings *settings) {
  Error error = { 0 };
  Simulation *w;
  Energy first, last;
  double(*v)[3] = malloc(sizeof *v * (size_t)mesh->node_count);
  for (int a = 0; a < mesh->node_count; a++) {
    const double *X = mesh->X[a];
    v[a][0] = -3 * X[1];
    v[a][1] = 3 * X[0];
    v[a][2] = 1 + 0.5 * X[1];
  }

  MUST(simulation_create(&w, mesh, settings, NULL, &error));
  MUST(simulation_set_velocities(w, (const double(*)[3])v, &error));
  MUST(simulation_energy(w, &first, &error));

  // squares: mean of v^2 = 9 x^2 + 9 y^2 + (1 + y/2)^2 over the box. The mean of x^2 is a^2 / 3 for a side of length a
  // that begins at the origin, here 0.09 / 3, and that of y^2 is 0.04 / 3. The mean of y is 0.1.
  const double mass = 24, squares = 9 * (0.04 + 0.09) / 3 + 1 + 0.1 + 0.25 * 0.04 / 3;
  if (settings->mass == MASS_CONSISTENT) assert_true(fabs(first.kinetic / (mass / 2 * squares) - 1) < 1e-12);
  int guessed = 0;
  for (int k = 0; k < 50; k++) {
    StepReport report;
    MUST(simulation_step(w, &report, &error));
    assert_true(report.converged && report.damped == 0);
    guessed += report.guessed;
  }

  const FirstGuess guess = settings->first_guess;
  assert_true(guessed > 40 || guess == FIRST_GUESS_STATE || guess == FIRST_GUESS_AUTO);
  MUST(simulation_energy(w, &last, &error));
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(last.linear[i] - first.linear[i]) < 1e-8 * mass);
    assert_true(fabs(last.angular[i] - first.angular[i]) < 1e-8 * mass);
  }
  const double gained = (last.kinetic + last.elastic - first.kinetic) / first.kinetic;
  printf("  masses %s: relative gain of energy %.2e\n", settings->mass == MASS_LUMPED ? "lumped" : "consistent",
         gained);
  assert_true(fabs(gained) < 2e-3 && last.elastic > 1e-4 * first.kinetic);
  simulation_destroy(w);
  free(v);
}

// Fails the test unless simulation_create refuses these settings with a message that contains `words`.
static inline void refused(const TetMesh *mesh, const SimulationSettings *s, const char *words) {
  Error error = { 0 };
  Simulation *w;
  assert_false(simulation_create(&w, mesh, s, NULL, &error));
  if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}
