// Compares the two benchmark scenes, hand.json and hand_strict.json, with the results of a separate double-precision
// program: mean displacements of the loaded nodes to three significant digits, numbers of Newton iterations, and the
// energies of hand.json after 20 steps. Then compares the displacements of all nodes in hand.json with those that
// Pliant computes in double on the CPU.
// argv[1]: device and precision, for example "cpu-double". argv[2]: with "all", a CPU runs as many steps as a GPU.
#include "../testing.h"

#include "scene/session_script.h"

static const char *variant;
static bool all_steps;
// [hand_nodes], displacements in metres after compared_step() steps, written by hand_agrees_with_its_reference
static double (*hand_displacement)[3];
static int hand_nodes;

// Returns the step after which the displacements of all nodes are compared with those in double on the CPU. Tests of
// the CPU compare after fewer steps, since twenty steps take eight seconds there.
static int compared_step(void) {
  return strncmp(variant, "cuda", 4) == 0 ? 20 : 5;
}

// hand_steps returns the number of steps of hand.json to run: all 20, or 5 on a CPU.
// strict_steps returns the number of steps of hand_strict.json to run: all 10, or fewer on a CPU (5 in double, 1 in
// float).
static int hand_steps(void) {
  return all_steps ? 20 : 5;
}

static int strict_steps(void) {
  return all_steps ? 10 : strcmp(variant, "cpu-float") != 0 ? 5 : 1;
}

// Applies device and precision from a name such as "cuda-float" to the scene.
static void choose(Scene *scene, const char *what) {
  snprintf(scene->device, sizeof scene->device, "%s", strncmp(what, "cuda", 4) == 0 ? "cuda" : "cpu");
  scene->simulation.precision = strstr(what, "double") ? PRECISION_F64 : PRECISION_F32;
}

// Result of the separate program after time step number `step` (from 1): mean displacement of the loaded nodes
typedef struct Expected {
  int step;
  double displacement[3];
} Expected;

// Runs `steps` steps of a scene, and compares the mean displacement of the loaded nodes with expected [count], in units
// of `scale` m, and the Newton iterations of each step with newton [steps].
static void run(const char *scene_name, double scale, const Expected *expected, int count, const int *newton,
                int steps) {
  Error error = { 0 };
  static Scene scene;  // Scene and Session are too large for the stack
  static Session session;
  char path[SCENE_PATH_LENGTH];
  asset_path(scene_name, path);
  if (!scene_read(&scene, path, &error)) fail_msg("%s", error.message);
  choose(&scene, variant);
  if (!session_create(&session, &scene, &error)) fail_msg("%s", error.message);
  const int nodes = session.mesh.node_count;
  uint8_t *loaded = calloc((size_t)nodes, 1);
  double(*x)[3] = calloc((size_t)nodes, sizeof *x);
  const int loaded_count = session_region(&session, &scene.forces[0].region, loaded);
  assert_int_equal(loaded_count, 314);
  assert_int_equal(session_region(&session, &scene.pins[0].region, session.inside), 899);

  int next = 0;
  for (int step = 1; step <= steps; step++) {
    StepReport report;
    if (!session_step(&session, &report, &error)) fail_msg("step %d: %s", step, error.message);
    printf("  %s step %d: newton %d, cg %d, residual %.2e, tolerance %.2e\n", variant, step, report.newton_iterations,
           report.cg_iterations, report.residual, report.tolerance);
    assert_true(report.converged);
    if (report.newton_iterations != newton[step - 1])
      fail_msg("step %d: %d Newton iterations, expected %d", step, report.newton_iterations, newton[step - 1]);
    if (next == count || expected[next].step != step) continue;
    double mean[3] = { 0 };
    if (!simulation_state(session.simulation, x, NULL, &error)) fail_msg("%s", error.message);
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++) mean[i] += loaded[a] ? (x[a][i] - session.mesh.X[a][i]) / loaded_count / scale : 0;
    printf("  %s step %d: mean displacement (%.6f, %.6f, %.6f)\n", variant, step, mean[0], mean[1], mean[2]);
    for (int i = 0; i < 3; i++) {
      // three significant digits must agree; the results of the other program were printed with six decimals
      const double tolerance = 5e-4 * fabs(expected[next].displacement[i]) + 5e-7;
      if (!(fabs(mean[i] - expected[next].displacement[i]) <= tolerance))
        fail_msg("step %d, component %d: %.7f, expected %.6f", step, i, mean[i], expected[next].displacement[i]);
    }
    next++;
    if (strcmp(scene_name, "scenes/hand.json") == 0 && step == compared_step()) {
      hand_displacement = calloc((size_t)nodes, sizeof *hand_displacement);
      hand_nodes = nodes;
      for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++) hand_displacement[a][i] = x[a][i] - session.mesh.X[a][i];
    }
  }

  assert_int_equal(next, count);
  if (strcmp(scene_name, "scenes/hand.json") == 0 && steps == 20) {
    Energy energy;
    if (!simulation_energy(session.simulation, &energy, &error)) fail_msg("%s", error.message);
    printf("  %s kinetic %.4e elastic %.4e\n", variant, energy.kinetic, energy.elastic);
    assert_true(fabs(energy.kinetic - 9.238e-4) < 1e-6);
    assert_true(fabs(energy.elastic - 5.558e-4) < 1e-6);
  }

  free(x);
  free(loaded);
  session_destroy(&session);
}

// Simulates compared_step() steps of hand.json in double on the CPU. Returns the final displacements [node_count][3],
// which the caller frees.
static double (*reference_displacement(void))[3] {
  Error error = { 0 };
  static Scene scene;  // Scene and Session are too large for the stack
  static Session session;
  char path[SCENE_PATH_LENGTH];
  asset_path("scenes/hand.json", path);
  if (!scene_read(&scene, path, &error)) fail_msg("%s", error.message);
  choose(&scene, "cpu-double");
  if (!session_create(&session, &scene, &error)) fail_msg("%s", error.message);
  const int nodes = session.mesh.node_count;
  double(*u)[3] = malloc(sizeof *u * (size_t)nodes);
  for (int step = 0; step < compared_step(); step++) {
    StepReport report;
    if (!session_step(&session, &report, &error)) fail_msg("%s", error.message);
  }
  if (!simulation_state(session.simulation, u, NULL, &error)) fail_msg("%s", error.message);
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++) u[a][i] -= session.mesh.X[a][i];
  session_destroy(&session);
  return u;
}

static void displacements_agree_with_cpu_double(void **state) {
  (void)state;
  if (strcmp(variant, "cpu-double") == 0) {  // this variant is the reference
    free(hand_displacement);
    skip();
  }
  assert_non_null(hand_displacement);
  double(*u)[3] = hand_displacement, (*reference)[3] = reference_displacement(), difference = 0, norm = 0;
  for (int a = 0; a < hand_nodes; a++)
    for (int i = 0; i < 3; i++) {
      difference += (u[a][i] - reference[a][i]) * (u[a][i] - reference[a][i]);
      norm += reference[a][i] * reference[a][i];
    }
  printf("  %s: relative difference from cpu-double after %d steps %.2e\n", variant, compared_step(),
         sqrt(difference / norm));
  free(reference);
  free(hand_displacement);
  assert_true(sqrt(difference / norm) <= 1e-4);
}

static void hand_agrees_with_its_reference(void **state) {
  (void)state;
  static const Expected expected[] = { { 1, { 0.001973, 0.000587, 0.000016 } },
                                       { 5, { 0.043683, 0.013200, -0.000257 } },
                                       { 10, { 0.139345, 0.054371, -0.028470 } },
                                       { 20, { 0.228684, 0.117913, -0.124591 } } };
  static const int newton[20] = { 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 };
  const int steps = hand_steps();
  run("scenes/hand.json", 1, expected, steps == 20 ? 4 : 2, newton, steps);
}

static void strict_hand_agrees_with_its_reference(void **state) {
  (void)state;
  static const Expected expected[] = { { 1, { 0.008986, 0.002636, 0.000152 } },
                                       { 5, { 0.159811, 0.063229, -0.034769 } },
                                       { 10, { 0.248809, 0.130633, -0.143122 } } };
  static const int newton[10] = { 2, 3, 3, 3, 3, 3, 3, 3, 2, 2 };
  const int steps = strict_steps();
  run("scenes/hand_strict.json", 10, expected, steps == 10 ? 3 : steps == 5 ? 2 : 1, newton, steps);
}

int main(int count, char **words) {
  variant = count > 1 ? words[1] : "cpu-double";
  all_steps = strncmp(variant, "cuda", 4) == 0 || (count > 2 && strcmp(words[2], "all") == 0);
  if (strncmp(variant, "cuda", 4) == 0 && !device_present(DEVICE_CUDA)) {
    printf("skipped: %s\n", device_absence());
    return 77;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(hand_agrees_with_its_reference),
    cmocka_unit_test(strict_hand_agrees_with_its_reference),
    cmocka_unit_test(displacements_agree_with_cpu_double),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
