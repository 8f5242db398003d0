// Tests the integrator midpoint_energy: it conserves the energy of bodies that vibrate and rotate strongly, and the
// momenta of free bodies. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../obstacle_testing.h"

// A beam, and bounds `gain` and `loss` on the changes of its energy, relative to the largest sum of kinetic and elastic
// energy.
typedef struct Swing {
  double young;
  Precision precision;
  bool pinned;  // one end of the beam is pinned, and the beam falls under gravity; otherwise it is free and spins
  int steps;    // number of time steps
  double gain, loss;
} Swing;

// Simulates a beam of 1 m with a time step of 1/60 s. *gain and *loss receive the largest gain and loss of its energy,
// relative to the largest sum of kinetic and elastic energy.
static void swing(const Swing *b, Integrator integrator, double *gain, double *loss) {
  Error error = { 0 };
  TetMesh mesh = box(10, 2, 2, (const double[3]){ 1, 0.2, 0.2 });
  Simulation *simulation;
  SimulationSettings s = soft(b->young, b->precision);
  s.self_contact = false;
  s.integrator = integrator;
  s.gravity[2] = b->pinned ? -9.81 : 0;
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity);
  for (int a = 0; a < mesh.node_count; a++) {
    pinned[a] = b->pinned && mesh.X[a][0] < 1e-9 ? PIN_ALL : 0;
    velocity[a][0] = b->pinned ? 0 : 1 - 10 * mesh.X[a][1];
    velocity[a][1] = b->pinned ? 0 : 10 * (mesh.X[a][0] - 0.5);
  }

  MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
  MUST(simulation_set_velocities(simulation, velocity, &error));

  Energy first, now;
  double largest = 0, low = 0, high = 0;
  MUST(simulation_energy(simulation, &first, &error));
  const double start = first.kinetic + first.elastic + first.potential;
  for (int step = 0; step < b->steps; step++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_energy(simulation, &now, &error));
    const double change = now.kinetic + now.elastic + now.potential - start;
    largest = fmax(largest, now.kinetic + now.elastic);
    low = fmin(low, change);
    high = fmax(high, change);
  }

  *gain = high / largest;
  *loss = -low / largest;

  if (!b->pinned) {
    const double bound = b->precision == PRECISION_F64 ? 1e-10 : 1e-4, spin = fabs(first.angular[2]);
    for (int i = 0; i < 3; i++) {
      assert_true(fabs(now.linear[i] - first.linear[i]) < bound * mass_of(&mesh, s.density));

      // the bound allows for Newton's tolerance; the correction of the energy does not change the angular momentum
      assert_true(fabs(now.angular[i] - first.angular[i]) < 1e-2 * spin);
    }
  }

  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(pinned);
  free(velocity);
}

static void energy_stays(void **state) {
  (void)state;

  // Columns: Young's modulus, Pa; precision; pinned; time steps; bounds of gain and loss of energy
  const Swing swings[] = {
    { 1e5, PRECISION_F64, true, 300, 1e-12, 1e-12 }, { 1e5, PRECISION_F64, true, 4000, 1e-4, 1e-4 },
    { 1e5, PRECISION_F32, true, 300, 1e-5, 1e-4 },   { 1e6, PRECISION_F64, true, 300, 1e-12, 1e-2 },
    { 1e9, PRECISION_F64, true, 300, 1e-3, 1e-3 },   { 1e5, PRECISION_F64, false, 300, 1e-5, 1e-5 },
    { 1e6, PRECISION_F32, false, 300, 1e-5, 1e-3 }
  };
  for (size_t k = 0; k < sizeof swings / sizeof *swings; k++) {
    const Swing *b = &swings[k];
    double gain, loss, plain_gain, plain_loss;
    swing(b, INTEGRATOR_MIDPOINT, &plain_gain, &plain_loss);
    swing(b, INTEGRATOR_MIDPOINT_ENERGY, &gain, &loss);
    printf("  E %.0e in %s, %s: gain %.1e and loss %.1e of the energy; with midpoint %.1e and %.1e\n", b->young,
           precision_name(b->precision), b->pinned ? "pinned" : "free", gain, loss, plain_gain, plain_loss);
    assert_true(gain < b->gain);
    assert_true(loss < b->loss);
    if (b->young == 1e5) assert_true(fmax(plain_gain, plain_loss) > 10 * fmax(gain, loss));
  }
}

// A plate spins about its longest axis, and its time steps are divided into about eight parts. The errors that the
// corrections of the parts leave have the same sign, but they must not add up.
static void errors_of_parts_do_not_add_up(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = box(12, 6, 2, (const double[3]){ 0.6, 0.3, 0.1 });
  Simulation *simulation;
  Energy first, now;
  int parts = 0;
  double gain = 0;
  SimulationSettings s = soft(1e6, PRECISION_F64);
  s.self_contact = false;
  s.integrator = INTEGRATOR_MIDPOINT_ENERGY;
  double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity);
  for (int a = 0; a < mesh.node_count; a++) {
    velocity[a][1] = -10 * (mesh.X[a][2] - 0.05);
    velocity[a][2] = 10 * (mesh.X[a][1] - 0.15);
  }
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_set_velocities(simulation, velocity, &error));
  MUST(simulation_energy(simulation, &first, &error));
  for (int step = 0; step < 100; step++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_energy(simulation, &now, &error));
    gain = fmax(gain, (now.kinetic + now.elastic) / first.kinetic - 1);
    parts += report.substeps;
  }

  printf("  spinning plate: gain %.1e of the energy in 100 steps with %d parts\n", gain, parts);
  assert_true(parts > 400);
  assert_true(gain < 4e-5);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(velocity);
}

// The integrator midpoint_energy corrects only the error of the midpoint rule, not the work of damping and forces. So
// with a small time step, the energy at the end is nearly that of the integrator midpoint.
static void work_is_not_corrected(void **state) {
  (void)state;
  Error error = { 0 };
  double end[2];
  for (int k = 0; k < 2; k++) {
    TetMesh mesh = box(10, 2, 2, (const double[3]){ 1, 0.2, 0.2 });
    Simulation *simulation;
    SimulationSettings s = soft(1e6, PRECISION_F64);
    s.self_contact = false;
    s.gravity[2] = -9.81;
    s.damping = 2;
    s.dt = 1.0 / 240;
    s.integrator = k ? INTEGRATOR_MIDPOINT_ENERGY : INTEGRATOR_MIDPOINT;
    uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
    for (int a = 0; a < mesh.node_count; a++) pinned[a] = mesh.X[a][0] < 1e-9 ? PIN_ALL : 0;
    MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
    for (int step = 0; step < 120; step++) {
      StepReport report;
      MUST(simulation_step(simulation, &report, &error));
    }
    Energy energy;
    MUST(simulation_energy(simulation, &energy, &error));
    end[k] = energy.kinetic + energy.elastic + energy.potential;
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
    free(pinned);
  }

  printf("  energy with damping: %.6f J by midpoint, %.6f J by midpoint_energy\n", end[0], end[1]);
  assert_true(end[0] < -1);
  assert_true(fabs(end[1] / end[0] - 1) < 1e-3);
}

int main(int argc, char **argv) {
  if (!choose_device(argc, argv, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = { cmocka_unit_test(energy_stays), cmocka_unit_test(errors_of_parts_do_not_add_up),
                                      cmocka_unit_test(work_is_not_corrected) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
