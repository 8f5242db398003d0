// Tests blocks that slip on surfaces, with self-contact. argv[1]: the device; argv[2]: a pattern for the names of the
// tests to run.
#include "../obstacle_testing.h"

// A block of 0.2 x 0.2 x 0.1 m on a surface with the normal z, and its energies and momenta after the last step.
typedef struct Block {
  TetMesh mesh;
  SimulationSettings settings;
  Simulation *simulation;
  double mass;  // kg
  Energy energy;
} Block;

// Returns a block with Young's modulus `young`, Pa, with its lower face 0.3 mm above the plane z = 0, and settings with
// gravity. The caller completes the settings, and then calls start_block.
static Block make_block(double young, Precision precision) {
  Block b = { .mesh = box(4, 4, 2, (const double[3]){ 0.2, 0.2, 0.1 }) };
  for (int a = 0; a < b.mesh.node_count; a++) b.mesh.X[a][2] += 3e-4;
  b.settings = soft(young, precision);
  b.settings.gravity[2] = -9.81;
  b.mass = mass_of(&b.mesh, b.settings.density);
  return b;
}

static void start_block(Block *b, double speed) {
  Error error = { 0 };
  MUST(simulation_create(&b->simulation, &b->mesh, &b->settings, NULL, &error));
  throw_body(b->simulation, &b->mesh, (const double[3]){ speed, 0, 0 });
  MUST(simulation_energy(b->simulation, &b->energy, &error));
}

static void free_block(Block *b) {
  simulation_destroy(b->simulation);
  mesh_destroy(&b->mesh);
}

// Sets an obstacle with its upper face at z = 0: a box, whose surface is triangles, or a plane. It moves along x.
static void set_conveyor(SimulationSettings *s, ObstacleKind kind, double speed, double friction) {
  s->obstacle_count = 1;
  s->obstacles[0] = (Obstacle){ .kind = kind,
                                .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                                .size = { 40, 1, 0.1 },
                                .centre = { 0, 0, kind == OBSTACLE_BOX ? -0.1 : 0 },
                                .friction = friction };
  RigidMotion *motion = &s->obstacles[0].motion;
  motion->point_count = 2, motion->path[1][0] = 10, motion->path[1][1] = 10 * speed;
}

// A block that is put on a conveyor slips until it moves with the conveyor. A time step needs few Newton iterations,
// also the first one, in which the block is closer to the conveyor than in equilibrium.
static void a_block_on_a_conveyor_converges_fast(void **state) {
  (void)state;
  enum { STEPS = 60 };
  static const double speeds[] = { 0.1, 0.5, 1, 3 }, moduli[] = { 1e4, 1e5, 1e6 }, frictions[] = { 0.5, 0.2, 0.8 };
  double all = 0;
  for (int k = 0; k < 24; k++) {
    Error error = { 0 };
    StepReport report;
    const double speed = speeds[k / 2 % 4], young = moduli[k / 8], friction = frictions[k % 3];
    int newton = 0, largest = 0;
    Block b = make_block(young, k % 2 ? PRECISION_F32 : PRECISION_F64);
    set_conveyor(&b.settings, k / 4 % 2 ? OBSTACLE_PLANE : OBSTACLE_BOX, speed, friction);
    start_block(&b, 0);
    for (int step = 0; step < STEPS; step++) {
      MUST(simulation_step(b.simulation, &report, &error));
      assert_true(report.converged);
      newton += report.newton_iterations;
      largest = report.newton_iterations > largest ? report.newton_iterations : largest;
    }
    MUST(simulation_energy(b.simulation, &b.energy, &error));
    const double final = b.energy.linear[0] / b.mass;
    printf("  %g m/s, E %.0e Pa, friction %.1f, %s: %.1f Newton iterations per step, at most %d; block at %.4f m/s\n",
           speed, young, friction, precision_name(b.settings.precision), (double)newton / STEPS, largest, final);
    all += newton / (24.0 * STEPS);
    assert_true(newton < 18 * STEPS && largest < 150);
    // after 1 s, a rigid block with this friction has reached the speed of the conveyor, or 9.81 m/s^2 * friction * 1 s
    assert_true(final < speed * 1.02 && final > fmin(0.98 * speed, 0.98 * 9.81 * friction));
    free_block(&b);
  }
  printf("  all cases: %.1f Newton iterations per step\n", all);
  assert_true(all < 6);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_on_a_conveyor_converges_fast),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
