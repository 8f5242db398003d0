// Tests values near the limits of float and double. A change of units does not change a body. So results must scale
// with the units, or the program must refuse the body with a message that contains figures. No value may underflow or
// overflow without a message. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "sim_testing.h"

static Device device;

#ifdef __SANITIZE_ADDRESS__
enum { TRIALS = 400 };  // with the sanitizer, trials take ten times as long; these are enough to run all code
#else
enum { TRIALS = 3000 };
#endif
enum { STEPS = 3, STAGES = 8 };

// Simulates a box that stands on pinned nodes, under gravity, in units of 2^length m, 2^mass kg and 2^time s. The bits
// of `stages`, 0 to STAGES - 1, select the constants of tets, the solver and, on a CPU, the assembly. *u receives the
// displacements [*count][3] in the unit of length; the caller frees them. Returns false if the creation or a step is
// refused.
static bool hang(Precision precision, int stages, int length, int mass, int time, double (**u)[3], int *count,
                 Error *error) {
  TetMesh mesh;
  StepReport report;
  Simulation *simulation = NULL;
  assert_true(mesh_make_box(2, 2, 2, (double[3]){ 1, 1, 1 }, &mesh, error));
  mesh_scale(&mesh, ldexp(1, length));
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  for (int a = 0; a < mesh.node_count; a++) pinned[a] = mesh.X[a][2] == 0;
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.supplemental = stages & 1 ? SUPPLEMENTAL_QR : SUPPLEMENTAL_FULL;
  snprintf(s.solver, sizeof s.solver, "%s", stages & 2 ? "cg" : device == DEVICE_CPU ? "fused" : "dcg");
  if (device == DEVICE_CPU) snprintf(s.assembly, sizeof s.assembly, "%s", stages & 4 ? "cpu" : "cpu_simd");
  s.mu = ldexp(500, mass - length - 2 * time);
  s.lambda = ldexp(200, mass - length - 2 * time);
  s.density = ldexp(10, mass - 3 * length);
  s.gravity[2] = ldexp(-9.8, length - 2 * time);
  s.dt = ldexp(1.0 / 64, time);
  s.cg_max = 300;
  s.halvings_max = 0;
  bool ok = simulation_create(&simulation, &mesh, &s, pinned, error);
  for (int k = 0; ok && k < STEPS; k++)
    ok = simulation_step(simulation, &report, error) && (report.converged || error_set(error, "did not converge"));
  *count = mesh.node_count;
  *u = malloc(sizeof **u * (size_t)mesh.node_count);
  ok = ok && simulation_state(simulation, *u, NULL, error);
  Energy energy;
  ok = ok && simulation_energy(simulation, &energy, error);
  if (ok && !(isfinite(energy.elastic) && energy.elastic > 0 && isfinite(energy.kinetic)))
    fail_msg("units 2^%d m, 2^%d kg, 2^%d s: elastic energy %g J, kinetic %g J", length, mass, time, energy.elastic,
             energy.kinetic);
  for (int a = 0; ok && a < mesh.node_count; a++)
    for (int i = 0; i < 3; i++) (*u)[a][i] = ldexp((*u)[a][i] - mesh.X[a][i], -length);
  free(pinned);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  return ok;
}

static void a_change_of_units_changes_nothing_or_is_refused(void **state) {
  (void)state;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    // units are powers of two with random exponents from -far to far
    const int far = precision == PRECISION_F32 ? 60 : 200, trials = device == DEVICE_CUDA ? 300 : TRIALS;
    double(*expected[STAGES])[3], (*u)[3];
    int count, done = 0, refused = 0;
    uint64_t seed = 14;
    Error error = { 0 };
    for (int k = 0; k < STAGES; k++) MUST(hang((Precision)precision, k, 0, 0, 0, &expected[k], &count, &error));
    for (int k = 0; k < trials; k++) {
      const int length = (int)(far * random_unit(&seed)), mass = (int)(far * random_unit(&seed)),
                time = (int)(far * random_unit(&seed));
      Error why = { 0 };
      if (hang((Precision)precision, k % STAGES, length, mass, time, &u, &count, &why)) {
        const double difference = relative_l2(&u[0][0], &expected[k % STAGES][0][0], 3 * count);
        if (!(difference < 1e-2))
          fail_msg("%s, units 2^%d m, 2^%d kg, 2^%d s: relative error %.3g", precision_name((Precision)precision),
                   length, mass, time, difference);
        done++;
      } else {
        if (!strstr(why.message, "outside the range") && !strstr(why.message, "expected more than 0"))
          fail_msg("2^%d m, 2^%d kg, 2^%d s: %s", length, mass, time, why.message);
        refused += strstr(why.message, "outside the range") != NULL;
      }
      free(u);
    }
    printf("  %s: %d of %d runs computed, %d refused\n", precision_name((Precision)precision), done, trials, refused);
    assert_true(done > trials / 10 && refused > trials / 10);
    for (int k = 0; k < STAGES; k++) free(expected[k]);
  }
}

// Multiplies by `factor` the setting whose index is `which`. Settings are numbered as in `names` below.
static void stretch(SimulationSettings *s, int which, double factor) {
  double *const all[] = { &s->mu,      &s->density,         &s->dt,          &s->gravity[2],
                          &s->damping, &s->newton_relative, &s->cg_relative, &s->newton_absolute };
  *all[which] *= factor;
  if (which == 0) s->lambda *= factor;
}

static void extreme_settings_are_refused_or_give_finite_results(void **state) {
  (void)state;
  static const char *const names[] = { "modulus", "density",         "dt",          "gravity",
                                       "damping", "newton_relative", "cg_relative", "newton_absolute" };
  Error error = { 0 };
  TetMesh mesh;
  MUST(mesh_make_box(2, 2, 2, (double[3]){ 1, 1, 1 }, &mesh, &error));
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  for (int a = 0; a < mesh.node_count; a++) pinned[a] = mesh.X[a][2] == 0;
  int done = 0;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int which = 0; which < 8; which++)
      for (int k = -304; k <= 304; k += 19) {
        StepReport report;
        Energy energy;
        Error why = { 0 };
        Simulation *simulation = NULL;
        SimulationSettings s = simulation_defaults();
        s.device = device;
        s.precision = (Precision)precision;
        s.gravity[2] = -9.8;
        s.damping = 1;
        s.newton_absolute = 1e-9;
        s.cg_max = 300;
        s.newton_max = 5;
        s.halvings_max = 0;
        stretch(&s, which, pow(10, k));
        bool ok = simulation_create(&simulation, &mesh, &s, pinned, &why);
        for (int n = 0; ok && n < STEPS; n++)
          ok = simulation_step(simulation, &report, &why) && (report.converged || error_set(&why, "did not converge"));
        if (ok) {
          MUST(simulation_energy(simulation, &energy, &error));
          if (!isfinite(energy.elastic) || !isfinite(energy.kinetic) || !(energy.kinetic > 0))
            fail_msg("%s times 1e%d in %s: elastic energy %g J, kinetic %g J", names[which], k,
                     precision_name((Precision)precision), energy.elastic, energy.kinetic);
          done++;
        } else if (!why.message[0]) {
          fail_msg("%s times 1e%d in %s fails without a message", names[which], k,
                   precision_name((Precision)precision));
        }
        simulation_destroy(simulation);
      }
  printf("  %d of %d runs computed\n", done, 2 * 8 * 33);
  assert_true(done > 100);
  free(pinned);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_change_of_units_changes_nothing_or_is_refused),
    cmocka_unit_test(extreme_settings_are_refused_or_give_finite_results),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
