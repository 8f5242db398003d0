// Whatever tolerance is asked for, a freely vibrating beam keeps its energy: a tolerance below what rounding allows must
// not send a step to backward Euler, which damps. argv[1]: the device; argv[2]: how many cells the thickest
// beam is thick, 2 unless told.
#include "sim_testing.h"

#include "mesh/shapes.h"

static Device device;
static int cells_max = 2;

// a beam held at its bottom that swings sideways, 400 steps: the largest change of its energy over the energy
static double energy_lost(int cells, Precision precision, double tolerance, StepReport *sum) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  MUST(mesh_make_shape("box", (double[3]){ 0.1, 0.1, 0.3 }, cells, &mesh, &error));
  const size_t n = (size_t)mesh.node_count;
  uint8_t *pinned = calloc(n, 1);
  double *mass = malloc(sizeof *mass * n), (*p)[3] = calloc(n, sizeof *p);
  SimulationSettings s = simulation_defaults();
  s.device = device, s.precision = precision, s.newton_relative = tolerance, s.cg_relative = 1e-6;
  mesh_lumped_mass(&mesh, s.density, mass);
  for (int a = 0; a < mesh.node_count; a++) {
    pinned[a] = mesh.X[a][2] < 1e-9 ? PIN_ALL : 0;
    p[a][0] = pinned[a] ? 0 : 0.2 * mass[a] * mesh.X[a][2];
  }
  MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
  MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
  Energy energy;
  MUST(simulation_energy(simulation, &energy, &error));
  const double at_start = energy.kinetic + energy.elastic;
  double worst = 0;
  *sum = (StepReport){ .converged = true };
  for (int k = 0; k < 400; k++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    sum->damped += report.damped, sum->rounded += report.rounded, sum->substeps += report.substeps > 1;
    sum->newton_iterations += report.newton_iterations, sum->backtracks += report.backtracks;
    sum->converged = sum->converged && report.converged;
    MUST(simulation_energy(simulation, &energy, &error));
    worst = fmax(worst, fabs(energy.kinetic + energy.elastic - at_start) / at_start);
  }
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(pinned), free(mass), free(p);
  return worst;
}

static void no_tolerance_costs_energy(void **state) {
  (void)state;
  const double tolerances[] = { 1e-3, 1e-5, 1e-9, 1e-13, 1e-15 };
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int cells = 2; cells <= cells_max; cells *= 2)
      for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
        StepReport sum;
        const double lost = energy_lost(cells, (Precision)precision, tolerances[k], &sum);
        printf("  %s, %d cells, %.0e: energy within %.1e; %d Newton iterations, %d backtracks, %d at rounding, %d damped\n",
               precision_name((Precision)precision), cells, tolerances[k], lost, sum.newton_iterations, sum.backtracks,
               sum.rounded, sum.damped);
        assert_true(lost < 1e-3);
        assert_true(sum.damped == 0 && sum.substeps == 0 && sum.converged);
      }
}

int main(int count, char **words) {
  if (!choose_device(count < 2 ? count : 2, words, &device)) return EXIT_SKIPPED;
  if (count > 2) cells_max = atoi(words[2]);
  const struct CMUnitTest tests[] = { cmocka_unit_test(no_tolerance_costs_energy) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
