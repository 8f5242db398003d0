// Tests blocks that slip on surfaces, with self-contact. argv[1]: the device; argv[2]: a pattern for the names of the
// tests to run.
#include "../obstacle_testing.h"

#include "mesh/join.h"

// A block of 0.2 x 0.2 x 0.1 m on a surface with the normal z, and its energies and momenta after the last step.
typedef struct Block {
  TetMesh mesh;
  SimulationSettings settings;
  Simulation *simulation;
  uint8_t *pinned;  // [mesh.node_count], NULL: no node is pinned
  double mass;      // kg
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

// Creates the simulation. The nodes of the block get the velocity (speed, 0, -fall), m/s.
static void start_block(Block *b, double speed, double fall) {
  Error error = { 0 };
  MUST(simulation_create(&b->simulation, &b->mesh, &b->settings, b->pinned, &error));
  double(*v)[3] = calloc((size_t)b->mesh.node_count, sizeof *v);
  for (int a = 0; a < b->mesh.node_count; a++)
    if (!b->pinned || !b->pinned[a]) {
      v[a][0] = speed;
      v[a][2] = -fall;
    }
  MUST(simulation_set_velocities(b->simulation, (const double(*)[3])v, &error));
  free(v);
  MUST(simulation_energy(b->simulation, &b->energy, &error));
}

static void free_block(Block *b) {
  simulation_destroy(b->simulation);
  mesh_destroy(&b->mesh);
  free(b->pinned);
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
  motion->point_count = 2;
  motion->path[1][0] = 10;
  motion->path[1][1] = 10 * speed;
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
    start_block(&b, 0, 0);
    for (int step = 0; step < STEPS; step++) {
      MUST(simulation_step(b.simulation, &report, &error));

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

typedef enum Ground { ON_FLOOR, ON_BOX, ON_BODY } Ground;

// Puts the floor, an obstacle or a pinned body under the block. Its upper face is at z = 0, or 3.5 mm lower for the
// body, whose size makes the default contact distance larger.
static void put_on(Ground ground, double friction, Block *b) {
  Error error = { 0 };
  TetMesh plate = { 0 };
  b->settings.friction = friction;
  b->settings.has_floor = ground == ON_FLOOR;
  if (ground == ON_BOX) set_conveyor(&b->settings, OBSTACLE_BOX, 0, friction);
  if (ground != ON_BODY) return;
  const int nodes = b->mesh.node_count;
  MUST(mesh_make_box(12, 3, 1, (const double[3]){ 2.4, 0.6, 0.1 }, &plate, &error));
  for (int a = 0; a < plate.node_count; a++) {
    plate.X[a][0] -= 0.21;
    plate.X[a][1] -= 0.19;
    plate.X[a][2] -= 0.1035;
  }
  MUST(mesh_join(&b->mesh, &plate, &error));
  mesh_destroy(&plate);
  b->pinned = calloc((size_t)b->mesh.node_count, 1);
  for (int a = nodes; a < b->mesh.node_count; a++) b->pinned[a] = PIN_ALL;
}

// Takes a time step. Returns the friction impulse along -x, divided by the coefficient of friction times the normal
// impulse; 1 if the block was hardly pressed to the ground. Both impulses follow from the change of momentum.
static double friction_ratio(Block *b, StepReport *report) {
  Error error = { 0 };
  const Energy before = b->energy;
  const double weight = b->mass * 9.81 * b->settings.dt;
  MUST(simulation_step(b->simulation, report, &error));
  assert_true(report->converged);
  MUST(simulation_energy(b->simulation, &b->energy, &error));
  const double normal = b->energy.linear[2] - before.linear[2] + weight;
  return normal > 0.02 * weight ? (before.linear[0] - b->energy.linear[0]) / (b->settings.friction * normal) : 1;
}

// A block slides fast. A limit of Newton iterations makes steps fail, so that they are divided into parts of different
// durations. In each divided step, and in a step after a divided one, the friction impulse is the coefficient of
// friction times the normal impulse.
static void divided_steps_follow_coulombs_law(void **state) {
  (void)state;
  enum { STEPS = 15 };
  const struct {
    Ground ground;
    Integrator integrator;
    double young, friction, fall, dt;
    int newton_max;
    bool sticks;
  } cases[] = {
    { ON_FLOOR, INTEGRATOR_AUTO, 1e5, 0.3, 0, 1.0 / 60, 4, false },
    { ON_FLOOR, INTEGRATOR_MIDPOINT, 1e5, 0.3, 0.5, 1.0 / 60, 5, true },
    { ON_FLOOR, INTEGRATOR_AUTO, 1e6, 0.1, 2, 1.0 / 240, 6, false },
    { ON_BOX, INTEGRATOR_BDF2, 1e5, 0.3, 0.5, 1.0 / 60, 6, false },
    { ON_BOX, INTEGRATOR_EULER, 1e4, 0.1, 0.5, 1.0 / 60, 5, false },
    { ON_BOX, INTEGRATOR_AUTO, 1e5, 0.5, 0, 1.0 / 60, 5, true },
    { ON_BODY, INTEGRATOR_AUTO, 1e5, 0.3, 0, 1.0 / 60, 4, false },
    { ON_BODY, INTEGRATOR_MIDPOINT_ENERGY, 1e5, 0.5, 0, 1.0 / 60, 5, true },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    StepReport report;
    double least = HUGE_VAL, largest = -HUGE_VAL;
    int divided = 0, newton = 0;
    bool follows = false;
    Block b = make_block(cases[k].young, k % 2 ? PRECISION_F32 : PRECISION_F64);
    b.settings.integrator = cases[k].integrator;
    b.settings.newton_max = cases[k].newton_max;
    b.settings.dt = cases[k].dt;
    b.settings.friction_sticks = cases[k].sticks;
    put_on(cases[k].ground, cases[k].friction, &b);
    start_block(&b, 5, cases[k].fall);
    for (int step = 0; step < STEPS; step++) {
      const double ratio = friction_ratio(&b, &report);
      if (report.substeps > 1 || follows) {
        least = fmin(least, ratio);
        largest = fmax(largest, ratio);
      }
      follows = report.substeps > 1;
      divided += report.substeps > 1;
      newton += report.newton_iterations;
    }
    printf("  case %d, integrator %s: %d of %d steps divided, %.0f Newton iterations per step, ratio %.4f to %.4f\n",
           (int)k, integrator_names[cases[k].integrator], divided, STEPS, (double)newton / STEPS, least, largest);
    assert_true(divided >= 4);

    // Between two bodies, the normal forces of a few pairs at edges are oblique.
    const double bound = cases[k].ground == ON_BODY ? 0.02 : 0.005;
    assert_true(least > 1 - bound && largest < 1 + bound);
    free_block(&b);
  }
}

// The friction of a step after a divided one follows from the state, also if another simulation continues from it.
static void the_step_after_a_divided_one_follows_from_the_state(void **state) {
  (void)state;
  enum { STEPS = 8 };
  Error error = { 0 };
  StepReport report;
  double worst = 0;
  Block a = make_block(1e5, PRECISION_F64), b = make_block(1e5, PRECISION_F64);
  put_on(ON_FLOOR, 0.3, &a);
  put_on(ON_FLOOR, 0.3, &b);
  a.settings.newton_max = 4;  // the steps of `b` have a larger limit, so that they are not divided
  start_block(&a, 5, 0);
  start_block(&b, 5, 0);
  for (int step = 0; step < STEPS; step++) {
    friction_ratio(&a, &report);
    assert_true(report.substeps > 1);
    copy_state(a.simulation, b.simulation);
    MUST(simulation_energy(b.simulation, &b.energy, &error));
    worst = fmax(worst, fabs(friction_ratio(&b, &report) - 1));
    assert_int_equal(report.substeps, 1);
  }

  printf("  the ratio differs from 1 by up to %.4f\n", worst);
  assert_true(worst < 0.005);
  free_block(&a);
  free_block(&b);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_on_a_conveyor_converges_fast),
    cmocka_unit_test(divided_steps_follow_coulombs_law),
    cmocka_unit_test(the_step_after_a_divided_one_follows_from_the_state),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
