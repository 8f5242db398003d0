// Tests vibration modes: their shapes are orthogonal, each vibrates at its frequency, and none is missing, also if
// frequencies coincide. Case 22 of `pliant verify` compares frequencies with closed forms.
#include "../sim_testing.h"

#include "mesh/grid.h"
#include "sim/modes.h"

static Simulation *simulation_of(const TetMesh *mesh, const uint8_t *pinned, MassKind mass) {
  Error error = { 0 };
  Simulation *w;
  SimulationSettings s = simulation_defaults();
  s.device = DEVICE_CPU;
  s.precision = PRECISION_F64;
  s.mass = mass;
  s.dt = 1.0 / 60;
  s.integrator = INTEGRATOR_MIDPOINT;
  s.newton_relative = 1e-10;
  s.cg_relative = 1e-12;
  snprintf(s.solver, sizeof s.solver, "cholmod");
  MUST(simulation_create(&w, mesh, &s, pinned, &error));
  return w;
}

// A free cube of hexahedra has six rigid motions. By the symmetries of the cube, other frequencies come in equal pairs
// and triples. A single Lanczos search finds only one frequency of each, so the program must search again.
static void multiple_frequencies_are_complete(void **state) {
  enum { COUNT = 24, MORE = 60 };
  Error error = { 0 };
  Modes modes, more;
  TetMesh mesh = { 0 };
  CellMesh cells = { 0 };
  const Grid grid = { .shape = CELL_HEX8, .cells = { 4, 4, 4 }, .size = { 1, 1, 1 } };
  (void)state;
  MUST(grid_make(&grid, &cells, &error) && cell_mesh_to_body(&cells, &mesh, &error));
  Simulation *w = simulation_of(&mesh, NULL, MASS_LUMPED);
  MUST(simulation_modes(w, COUNT, &modes, &error));
  MUST(simulation_modes(w, MORE, &more, &error));
  int equal = 0;
  assert_int_equal(modes.rigid, 6);
  for (int k = 0; k < COUNT; k++) {
    const double scale = fmax(modes.eigenvalue[COUNT - 1], 1);
    assert_true(fabs(modes.eigenvalue[k] - more.eigenvalue[k]) < 1e-7 * scale);
    if (k > 6) equal += fabs(modes.frequency[k] / modes.frequency[k - 1] - 1) < 1e-6;
  }

  assert_true(equal >= 6);
  modes_destroy(&modes);
  modes_destroy(&more);
  simulation_destroy(w);
  mesh_destroy(&mesh);
}

static void shapes_are_orthogonal_and_fractions_of_mass_add_up(void **state) {
  enum { COUNT = 8 };
  Error error = { 0 };
  Modes modes;
  TetMesh mesh = box(6, 2, 2, (double[3]){ 0.6, 0.2, 0.15 });
  (void)state;
  Simulation *w = simulation_of(&mesh, NULL, MASS_LUMPED);
  double *mass = malloc(sizeof *mass * (size_t)mesh.node_count), total[3] = { 0 };
  simulation_masses(w, mass);
  MUST(simulation_modes(w, COUNT, &modes, &error));
  for (int k = 0; k < COUNT; k++)
    for (int j = 0; j < k; j++) {
      double kj = 0, kk = 0, jj = 0;
      for (int a = 0; a < mesh.node_count; a++)
        for (int i = 0; i < 3; i++) {
          const double x = modes.shape[k * mesh.node_count + a][i], y = modes.shape[j * mesh.node_count + a][i];
          kj += mass[a] * x * y;
          kk += mass[a] * x * x;
          jj += mass[a] * y * y;
        }
      assert_true(fabs(kj) < 1e-8 * sqrt(kk * jj));
    }

  // for each direction, the effective masses, as fractions of the whole mass, add up to 1, since the rigid motions
  // carry the whole mass
  for (int k = 0; k < COUNT; k++)
    for (int i = 0; i < 3; i++) total[i] += modes.mass[k][i];
  for (int i = 0; i < 3; i++) assert_true(fabs(total[i] - 1) < 1e-6);
  free(mass);
  modes_destroy(&modes);
  simulation_destroy(w);
  mesh_destroy(&mesh);
}

// A body starts at rest in the shape of a mode. In each time step, the midpoint rule increases the phase of the
// vibration by 2 atan(omega dt / 2).
static void body_vibrates_at_the_frequency_of_its_mode(MassKind mass) {
  Error error = { 0 };
  Modes modes;
  TetMesh mesh = box(8, 2, 2, (double[3]){ 1, 0.2, 0.15 });
  const int nodes = mesh.node_count;
  uint8_t *pinned = calloc((size_t)nodes, 1);
  double(*x)[3] = malloc(sizeof *x * (size_t)nodes);
  for (int a = 0; a < nodes; a++) pinned[a] = mesh.X[a][0] == 0 ? PIN_ALL : 0;
  Simulation *w = simulation_of(&mesh, pinned, mass);
  MUST(simulation_modes(w, 2, &modes, &error));
  assert_int_equal(modes.rigid, 0);
  const double omega = 2 * acos(-1) * modes.frequency[0], turn = 2 * atan(omega / 120), amplitude = 1e-5;
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++) x[a][i] = mesh.X[a][i] + amplitude * modes.shape[a][i];
  MUST(simulation_set_state(w, (const double(*)[3])x, NULL, &error));
  for (int step = 1; step <= 10; step++) {
    StepReport report;
    double off = 0;
    MUST(simulation_step(w, &report, &error));
    MUST(simulation_displacements(w, x, &error));
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++) off = fmax(off, fabs(x[a][i] / amplitude - cos(turn * step) * modes.shape[a][i]));

    // bound of the difference, which is not zero because the body is not quite linear at this amplitude
    assert_true(off < 2e-3);
  }

  modes_destroy(&modes);
  simulation_destroy(w);
  mesh_destroy(&mesh);
  free(pinned);
  free(x);
}

static void bodies_vibrate_at_the_frequencies_of_their_modes(void **state) {
  (void)state;
  body_vibrates_at_the_frequency_of_its_mode(MASS_LUMPED);
  body_vibrates_at_the_frequency_of_its_mode(MASS_CONSISTENT);
}

static void invalid_input_is_refused(void **state) {
  Error error = { 0 };
  Modes modes;
  TetMesh mesh = box(1, 1, 1, (double[3]){ 1, 1, 1 });
  (void)state;
  Simulation *w = simulation_of(&mesh, NULL, MASS_LUMPED);
  assert_false(simulation_modes(w, 20, &modes, &error));
  assert_string_equal(error.message, "20 modes are too many for a body with 24 free unknowns; ask for fewer modes");
  simulation_destroy(w);
  mesh_destroy(&mesh);
}

int main(void) {
  if (modes_absence()) {
    printf("skipped: %s\n", modes_absence());
    return EXIT_SKIPPED;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(multiple_frequencies_are_complete),
    cmocka_unit_test(shapes_are_orthogonal_and_fractions_of_mass_add_up),
    cmocka_unit_test(bodies_vibrate_at_the_frequencies_of_their_modes),
    cmocka_unit_test(invalid_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
