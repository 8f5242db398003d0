// Tests failures of Newton's method and of CG. The cause is found and reported, the state remains that of the last
// valid step, and results contain no NaN. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "base/interrupt.h"
#include "sim/simulation_parts.h"
#include "../sim_testing.h"

static Device device;

static Simulation *beam(TetMesh *mesh, Precision precision, void (*change)(SimulationSettings *)) {
  Error error = { 0 };
  Simulation *simulation;
  MUST(mesh_make_box(2, 2, 8, (double[3]){ 0.2, 0.2, 0.8 }, mesh, &error));
  uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
  for (int a = 0; a < mesh->node_count; a++) pinned[a] = mesh->X[a][2] == 0;
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  if (change) change(&s);
  MUST(simulation_create(&simulation, mesh, &s, pinned, &error));
  free(pinned);
  return simulation;
}

// Names of the solvers to test: the default solver (empty), and `resident`, which exists on the CPU and on the GPU.
static const char *const solver_names[] = { "", "resident" };

static void name_solver(SimulationSettings *s, const char *name) {
  snprintf(s->solver, sizeof s->solver, "%s", name);
}

static void get(Simulation *simulation, double (*x)[3]) {
  Error error = { 0 };
  MUST(simulation_state(simulation, x, NULL, &error));
}

// Fails the test unless the positions of the simulation equal `before` bit for bit.
static void same_state(Simulation *simulation, const TetMesh *mesh, double (*before)[3]) {
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh->node_count);
  get(simulation, x);
  assert_memory_equal(x, before, sizeof *x * (size_t)mesh->node_count);
  free(x);
}

static void plain(SimulationSettings *s) {
  s->newton = NEWTON_PLAIN;
}

static void a_force_that_overflows_stops_at_the_last_state(void **state) {
  (void)state;
  for (int method = NEWTON_ROBUST; method <= NEWTON_PLAIN; method++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
#ifdef __SANITIZE_ADDRESS__
      if ((method == NEWTON_ROBUST) != (precision == PRECISION_F32)) continue;  // runs two of the four cases
#endif
      TetMesh mesh;
      Error error = { 0 };
      StepReport report;
      Simulation *simulation = beam(&mesh, (Precision)precision, method == NEWTON_PLAIN ? plain : NULL);
      double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count), (*f)[3] = calloc((size_t)mesh.node_count, sizeof *f);
      MUST(simulation_step(simulation, &report, &error));
      get(simulation, x);
      f[mesh.node_count - 1][0] = precision == PRECISION_F32 ? 1e40 : 1e300;
      assert_false(simulation_set_load(simulation, (const double(*)[3])f, &error));
      assert_non_null(strstr(error.message, "outside the range"));
      same_state(simulation, &mesh, x);
      error = (Error){ 0 };
      f[mesh.node_count - 1][0] = precision == PRECISION_F32 ? 1e29 : 1e80;
      MUST(simulation_set_load(simulation, (const double(*)[3])f, &error));
      if (simulation_step(simulation, &report, &error)) {
        // in double, Newton's method with line search ("robust") may succeed; the report and the state must then be
        // finite
        assert_int_equal(method, NEWTON_ROBUST);
        assert_true(isfinite(report.residual));
        get(simulation, x);
        for (int a = 0; a < mesh.node_count; a++) assert_true(isfinite(x[a][0] + x[a][1] + x[a][2]));
      } else {
        printf("  %s, %s: %s\n", method == NEWTON_PLAIN ? "plain" : "robust", precision_name((Precision)precision),
               error.message);
        assert_non_null(strstr(error.message, "Newton's method failed"));
        same_state(simulation, &mesh, x);
      }
      free(x);
      free(f);
      simulation_destroy(simulation);
      mesh_destroy(&mesh);
    }
}

static void an_inverted_state_is_named(void **state) {
  (void)state;
  TetMesh mesh;
  Error error = { 0 };
  StepReport report;
  Simulation *simulation = beam(&mesh, PRECISION_F64, NULL);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  memcpy(x, mesh.X, sizeof *x * (size_t)mesh.node_count);
  const int moved = mesh.node_count - 1;
  for (int i = 0; i < 3; i++) x[moved][i] -= 0.3;  // moves a corner through its neighbours, which inverts a tet
  MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
  assert_false(simulation_step(simulation, &report, &error));
  printf("  %s\n", error.message);
  assert_non_null(strstr(error.message, "inside out"));
  assert_non_null(strstr(error.message, "det F = -"));
  char tag[24];
  snprintf(tag, sizeof tag, " %lld", (long long)mesh.node_tag[moved]);
  assert_non_null(strstr(error.message, tag));  // the message names the tet's nodes, among them the moved corner
  assert_true(report.worst_J < 0);
  same_state(simulation, &mesh, x);
  free(x);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

static void a_state_that_is_not_finite_is_refused(void **state) {
  (void)state;
  TetMesh mesh;
  Error error = { 0 };
  Simulation *simulation = beam(&mesh, PRECISION_F64, NULL);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  memcpy(x, mesh.X, sizeof *x * (size_t)mesh.node_count);
  x[3][1] = NAN;
  assert_false(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
  char expected[64];
  snprintf(expected, sizeof expected, "the displacement of node %lld is nan m", (long long)mesh.node_tag[3]);
  assert_non_null(strstr(error.message, expected));
  free(x);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

// Plates compress a column to 0.35 of its length. The straight shape of the column is then an unstable equilibrium.
static void compression_makes_the_tangent_indefinite(void **state) {
  (void)state;
  TetMesh mesh;
  Error error = { 0 };
  StepReport report;
  for (int k = 0; k < 4; k++) {
    const Precision precision = k % 2 ? PRECISION_F64 : PRECISION_F32;
    Simulation *simulation;
    MUST(mesh_make_box(2, 2, 8, (double[3]){ 0.2, 0.2, 0.8 }, &mesh, &error));
    uint8_t *pinned = calloc((size_t)mesh.node_count, 1), top;
    double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
    uint64_t seed = 5;
    for (int a = 0; a < mesh.node_count; a++) {
      top = mesh.X[a][2] > 0.79;
      pinned[a] = mesh.X[a][2] == 0 || top;
      for (int i = 0; i < 3; i++)
        x[a][i] = mesh.X[a][i] * (i == 2 ? 0.35 : 1) + (pinned[a] ? 0 : 2e-3 * random_unit(&seed));
    }
    SimulationSettings s = simulation_defaults();
    s.device = device;
    s.precision = precision;
    s.newton_relative = 1e-5;
    s.newton_max = 200;
    name_solver(&s, solver_names[k / 2]);
    MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
    MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
    MUST(simulation_equilibrium(simulation, &report, &error));
    printf("  %s, %s: %d iterations, %d solves indefinite, converged %d, %s, smallest det F %.3f\n",
           simulation_settings(simulation)->solver, precision_name(precision), report.newton_iterations,
           report.indefinite, report.converged, newton_cause_text(report.cause), report.min_J);
    assert_true(report.indefinite > 0);
    assert_true(isfinite(report.residual) && report.min_J > 0);
    if (!report.converged) assert_true(report.cause != NEWTON_CONVERGED && report.worst_J > 0);

    // time steps from this state converge, since inertia makes the matrix positive definite
    MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
    for (int step = 0; step < 8; step++) {
      MUST(simulation_step(simulation, &report, &error));
      assert_true(report.converged && report.min_J > 0);
    }
    get(simulation, x);
    for (int a = 0; a < mesh.node_count; a++) assert_true(isfinite(x[a][0] + x[a][1] + x[a][2]));
    free(pinned);
    free(x);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }
}

static void too_few_iterations(SimulationSettings *s) {
  s->newton = NEWTON_PLAIN;
  s->newton_max = 1;
  s->newton_relative = 1e-12;
}
static void too_few_in_cg(SimulationSettings *s) {
  s->newton = NEWTON_PLAIN;
  s->newton_max = 1;
  s->newton_relative = 1e-12;
  s->cg_max = 1;
  s->cg_relative = 1e-12;
}

static void too_few_in_resident(SimulationSettings *s) {
  too_few_in_cg(s);
  name_solver(s, "resident");
}

static void messages_name_limits_that_are_too_low(void **state) {
  (void)state;
  static const struct {
    void (*change)(SimulationSettings *);
    NewtonCause cause;
  } rows[] = { { too_few_iterations, NEWTON_OUT_OF_ITERATIONS },
               { too_few_in_cg, NEWTON_LINEAR },
               { too_few_in_resident, NEWTON_LINEAR } };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    TetMesh mesh;
    Error error = { 0 };
    StepReport report;
    char text[400];
    Simulation *simulation = beam(&mesh, PRECISION_F64, rows[k].change);
    double(*f)[3] = calloc((size_t)mesh.node_count, sizeof *f);
    for (int a = 0; a < mesh.node_count; a++) f[a][0] = 5 * (mesh.X[a][2] > 0.7);
    MUST(simulation_set_load(simulation, (const double(*)[3])f, &error));
    MUST(simulation_step(simulation, &report, &error));
    assert_false(report.converged);
    assert_int_equal(report.cause, rows[k].cause);
    newton_trouble_text(&report, text, sizeof text);
    printf("  %s\n", text);
    assert_true(report.worst_J > 0 && report.worst_J <= 1);
    free(f);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }
}

static void resident(SimulationSettings *s) {
  name_solver(s, "resident");
}

// A solver for the test below. It computes the solution, but then reports SOLVER_LOST, as a solver on a GPU does if its
// thread blocks lose synchronisation. `sound` is the solver that it replaces.
static const SolverMethod *sound;
static bool solve_and_be_lost(Solver *solver, Stream stream, Error *error) {
  const bool ok = sound->solve(solver, stream, error) && stream_sync(stream, error);
  solver->report->end = SOLVER_LOST;
  return ok;
}

// If the solver reports SOLVER_LOST, the step fails with a message and leaves the state unchanged. The next step has
// the bits of an undisturbed run.
static void a_solver_that_is_lost_is_named(void **state) {
  (void)state;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    TetMesh mesh[2];
    Error error = { 0 };
    StepReport report;
    Simulation *simulation[2];
    for (int k = 0; k < 2; k++) simulation[k] = beam(&mesh[k], (Precision)precision, resident);
    const size_t size = sizeof(double[3]) * (size_t)mesh[0].node_count;
    double(*x)[3] = malloc(size), (*f)[3] = calloc(1, size);
    for (int a = 0; a < mesh[0].node_count; a++) f[a][0] = 5 * (mesh[0].X[a][2] > 0.7);
    for (int k = 0; k < 2; k++) {
      MUST(simulation_set_load(simulation[k], (const double(*)[3])f, &error));
      MUST(simulation_step(simulation[k], &report, &error));
    }
    get(simulation[0], x);
    SolverMethod lost = *simulation[0]->solver.method;
    lost.solve = solve_and_be_lost;
    lost.record = NULL;
    sound = simulation[0]->solver.method;
    simulation[0]->solver.method = &lost;
    assert_false(simulation_step(simulation[0], &report, &error));
    printf("  %s\n", error.message);
    assert_non_null(strstr(error.message, "solver resident: "));
    assert_non_null(strstr(error.message, "did not receive each other's data"));
    assert_int_equal(simulation_step_count(simulation[0]), 1);
    same_state(simulation[0], &mesh[0], x);
    simulation[0]->solver.method = sound;
    error = (Error){ 0 };
    for (int k = 0; k < 2; k++) MUST(simulation_step(simulation[k], &report, &error));
    get(simulation[1], x);
    same_state(simulation[0], &mesh[0], x);
    free(x);
    free(f);
    for (int k = 0; k < 2; k++) {
      simulation_destroy(simulation[k]);
      mesh_destroy(&mesh[k]);
    }
  }
}

// State of the callback `wish`, which the program polls for an interrupt. `wish` counts the polls in `asked`, and
// interrupts the program after `left` polls.
typedef struct Wish {
  int64_t asked, left;
} Wish;
static bool wish(void *context) {
  Wish *w = context;
  return ++w->asked > w->left;
}

static void extrapolated(SimulationSettings *s) {
  s->first_guess = FIRST_GUESS_EXTRAPOLATED;
}

// Interrupts a step at different polls. The step is then computed again and must have the bits of an undisturbed run.
static void interrupt_steps(bool free_body, int steps) {
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    TetMesh mesh[2];
    Error error = { 0 };
    StepReport report;
    Simulation *simulation[2];
    for (int k = 0; k < 2; k++) simulation[k] = beam(&mesh[k], (Precision)precision, free_body ? extrapolated : NULL);
    const size_t size = sizeof(double[3]) * (size_t)mesh[0].node_count;
    double(*x)[3] = malloc(size), (*f)[3] = calloc(1, size);
    for (int a = 0; a < mesh[0].node_count; a++) f[a][0] = 5 * (mesh[0].X[a][2] > 0.7);
    for (int k = 0; k < 2; k++) {
      MUST(simulation_set_load(simulation[k], (const double(*)[3])f, &error));
      if (free_body) MUST(simulation_set_pins(simulation[k], NULL, &error));
      for (int step = 0; step < steps; step++) MUST(simulation_step(simulation[k], &report, &error));
    }
    get(simulation[0], x);
    Wish w = { 0 };
    int interrupted = 0;
    for (w.left = 0;; w.left = 2 * w.left + 1, interrupted++) {
      w.asked = 0;
      interrupt_listen(wish, &w);
      const bool taken = simulation_step(simulation[0], &report, &error);
      interrupt_listen(NULL, NULL);
      if (taken) break;
      assert_int_equal(report.cause, NEWTON_STOPPED);
      assert_string_equal(error.message, "interrupted");
      error = (Error){ 0 };
      assert_int_equal(simulation_step_count(simulation[0]), steps);
      same_state(simulation[0], &mesh[0], x);
    }
    printf("  %s: interrupted at %d different polls; a whole step polls %lld times in %d CG iterations\n",
           precision_name((Precision)precision), interrupted, (long long)w.asked, report.cg_iterations);
    assert_true(interrupted > 1);
    if (device == DEVICE_CPU) assert_true(w.asked >= report.cg_iterations);

    // In the second simulation, a search for equilibrium is interrupted. This must not change momenta. A free body has
    // no equilibrium, so for it the search is left out.
    Wish soon = { .left = 3 };
    interrupt_listen(wish, &soon);
    if (!free_body) assert_false(simulation_equilibrium(simulation[1], &report, &error));
    interrupt_listen(NULL, NULL);
    error = (Error){ 0 };
    MUST(simulation_step(simulation[1], &report, &error));
    for (int k = 0; k < 2 && free_body; k++) MUST(simulation_step(simulation[k], &report, &error));
    get(simulation[1], x);
    same_state(simulation[0], &mesh[0], x);
    free(x);
    free(f);
    for (int k = 0; k < 2; k++) {
      simulation_destroy(simulation[k]);
      mesh_destroy(&mesh[k]);
    }
  }
}

static void an_interrupted_step_was_not_begun(void **state) {
  (void)state;
  interrupt_steps(false, 1);
  // for a free body, an interrupt must also preserve the moving origin and the data of the previous step
  interrupt_steps(true, 4);
}

static void one_iteration(SimulationSettings *s) {
  s->newton_max = 1;
  s->newton_relative = 1e-4;
  s->halvings_max = 1;
}

// A step with one Newton iteration may be divided into two halves, of which only the first does not converge. Whenever
// a step did not converge, its report must name a cause.
static void a_step_that_did_not_converge_has_a_cause(void **state) {
  (void)state;
  TetMesh mesh;
  Error error = { 0 };
  StepReport report;
  int unconverged = 0;
#ifdef __SANITIZE_ADDRESS__
  const double ratio = 8;
#else
  const double ratio = 2;
#endif
  for (double pull = 1e-3; pull < 1e3; pull *= ratio) {
    Simulation *simulation = beam(&mesh, PRECISION_F64, one_iteration);
    double(*f)[3] = calloc((size_t)mesh.node_count, sizeof *f);
    for (int a = 0; a < mesh.node_count; a++) f[a][0] = pull * (mesh.X[a][2] > 0.7);
    for (int step = 0; step < 12; step++) {
      if (step == 6) memset(f, 0, sizeof *f * (size_t)mesh.node_count);
      MUST(simulation_set_load(simulation, (const double(*)[3])f, &error));
      MUST(simulation_step(simulation, &report, &error));
      if (!report.converged) assert_int_not_equal(report.cause, NEWTON_CONVERGED);
      unconverged += !report.converged;
    }
    free(f);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }

  printf("  %d steps did not converge\n", unconverged);
  assert_true(unconverged > 0);
}

static void nearly_incompressible(SimulationSettings *s) {
  s->mu = 500;
  s->lambda = 1e12;
  s->newton_relative = 1e-6;
}

// In a trial state far from the solution, the internal forces are large. Their rounding error can exceed the initial
// residual. Newton's method must not accept such a state as converged up to rounding.
static void rounding_of_a_distant_state_is_not_convergence(void **state) {
  (void)state;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    TetMesh mesh;
    Error error = { 0 };
    StepReport report;
    Simulation *simulation = beam(&mesh, (Precision)precision, nearly_incompressible);
    double(*f)[3] = calloc((size_t)mesh.node_count, sizeof *f);
    for (int a = 0; a < mesh.node_count; a++) f[a][0] = 5 * (mesh.X[a][2] > 0.7);
    MUST(simulation_set_load(simulation, (const double(*)[3])f, &error));
    MUST(simulation_equilibrium(simulation, &report, &error));
    MUST(simulation_displacements(simulation, f, &error));
    printf("  %s: converged %d, residual %.3g, tolerance %.3g, %.3g m\n", precision_name((Precision)precision),
           report.converged, report.residual, report.tolerance, f[mesh.node_count - 1][0]);
    if (report.converged) assert_true(f[mesh.node_count - 1][0] > 0);
    free(f);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_force_that_overflows_stops_at_the_last_state),
    cmocka_unit_test(an_inverted_state_is_named),
    cmocka_unit_test(a_state_that_is_not_finite_is_refused),
    cmocka_unit_test(compression_makes_the_tangent_indefinite),
    cmocka_unit_test(messages_name_limits_that_are_too_low),
    cmocka_unit_test(a_step_that_did_not_converge_has_a_cause),
    cmocka_unit_test(rounding_of_a_distant_state_is_not_convergence),
    cmocka_unit_test(an_interrupted_step_was_not_begun),
    cmocka_unit_test(a_solver_that_is_lost_is_named),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
