// Tests obstacles that are surface meshes. They must push bodies without ever intersecting them, which exact predicates
// check after every step. Friction must obey Coulomb's law, and results must repeat bit for bit. argv[1]: the device;
// argv[2]: a pattern for the names of the tests to run.
#include "../obstacle_testing.h"

#include "base/parallel.h"
#include "sim/untangle.h"
#include "../work_budget.h"

// Surfaces of two obstacles: a square sheet of 2 m in the plane x = 0, and a spike, a tet with its tip at x = 0.4 m.
static double sheet_X[4][3] = { { 0, -1, -1 }, { 0, 1, -1 }, { 0, 1, 1 }, { 0, -1, 1 } };
static int sheet_triangles[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
static double spike_X[4][3] = { { 0.4, 0.01, 0.02 }, { 0, -0.1, -0.1 }, { 0, 0.15, -0.05 }, { 0, 0, 0.12 } };
static int spike_triangles[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 1 }, { 1, 3, 2 } };
static const ObstacleSurface sheet = { 4, 2, sheet_X, sheet_triangles };
static const ObstacleSurface spike = { 4, 4, spike_X, spike_triangles };

static Obstacle obstacle_of(const ObstacleSurface *surface, double friction) {
  return (Obstacle){ .kind = OBSTACLE_MESH,
                     .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                     .size = { 1 },
                     .surface = surface,
                     .friction = friction };
}

// Makes a ball with a diameter of 0.3 m around the origin. Returns settings with an obstacle that moves from x = -0.6 m
// towards the ball at 2 m/s for half a second.
static SimulationSettings pushed_ball(const ObstacleSurface *surface, Precision precision, TetMesh *mesh) {
  Error error = { 0 };
  static const double path[3][4] = { { 0.05, 0, 0, 0 }, { 0.55, 1, 0, 0 }, { 0.8, 0.8, 0, 0 } };
  MUST(mesh_make_shape("sphere", (double[3]){ 0.3, 0.3, 0.3 }, 4, mesh, &error));
  double low[3], high[3];
  mesh_bounds(mesh, low, high);
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) mesh->X[a][i] -= (low[i] + high[i]) / 2;
  SimulationSettings s = soft(1e5, precision);
  s.obstacle_count = 1;
  s.obstacles[0] = obstacle_of(surface, 0.3);
  s.obstacles[0].centre[0] = -0.6;
  s.obstacles[0].motion.point_count = 3;
  memcpy(s.obstacles[0].motion.path, path, sizeof path);
  return s;
}

static void nothing_goes_through_what_moves(void **state) {
  (void)state;
  enum { STEPS = 45 };
  const Integrator integrators[] = { INTEGRATOR_AUTO, INTEGRATOR_AUTO,     INTEGRATOR_AUTO,
                                     INTEGRATOR_AUTO, INTEGRATOR_MIDPOINT, INTEGRATOR_BDF2 };
  for (int k = 0; k < 6; k++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Watch watch;
    Walk walk = { 0 };
    Simulation *simulation;
    Energy energy;
    double behind = -HUGE_VAL;
    SimulationSettings s = pushed_ball(k % 2 ? &spike : &sheet, k / 2 ? PRECISION_F64 : PRECISION_F32, &mesh);
    s.integrator = integrators[k];
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    watch_start(&watch, &mesh, &s);
    for (int step = 0; step < STEPS; step++) {
      walk_step(&walk, simulation, &watch);
      double off[3];
      motion_offset(&s.obstacles[0].motion, simulation_time(simulation), off);
      for (int a = 0; a < mesh.node_count && k % 2 == 0; a++) behind = fmax(behind, off[0] - 0.6 - watch.x[a][0]);
    }
    MUST(simulation_energy(simulation, &energy, &error));
    const double mass = mass_of(&mesh, s.density);
    printf("  a %s in %s, integrator %s: %.1f Newton iterations and %.1f substeps per step, ball at %.2f m/s\n",
           k % 2 ? "spike" : "sheet", precision_name(s.precision), integrator_names[s.integrator],
           (double)walk.newton / STEPS, (double)walk.parts / STEPS, energy.linear[0] / mass);
    assert_int_equal(walk.crossed, 0);
    assert_int_equal(walk.unfinished, 0);
    if (k % 2 == 0) assert_true(behind < 0);

    // the ball must be about as fast as the obstacle that has pushed it, or faster after a rebound
    if (k % 2 == 0) assert_true(energy.linear[0] / mass > 1.9 && energy.linear[0] / mass < 3);
    if (k % 2 == 1) assert_true(energy.linear[0] / mass > 1.2);
    watch_end(&watch);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }
}

// A ball falls off-centre onto a spike and then onto a sheet below it. Its energy may never exceed the initial energy,
// with the integrators midpoint, euler and bdf2, and for soft and stiff balls. The stiffest ball runs only on a CPU,
// since synchronisations make it slow on a GPU.
static void a_ball_that_falls_on_a_mesh_gains_no_energy(void **state) {
  (void)state;
  enum { STEPS = 30 };
  double corner_X[8][3];
  int corner_triangles[6][3];
  for (int v = 0; v < 4; v++)
    for (int i = 0; i < 3; i++) {
      corner_X[v][(i + 2) % 3] = 2 * sheet_X[v][i] - (i == 0 ? 0.3 : 0);
      corner_X[4 + v][(i + 2) % 3] = spike_X[v][i];
    }
  for (int t = 0; t < 6; t++)
    for (int j = 0; j < 3; j++) corner_triangles[t][j] = t < 2 ? sheet_triangles[t][j] : 4 + spike_triangles[t - 2][j];
  const ObstacleSurface below = { 8, 6, corner_X, corner_triangles };
  const struct {
    Integrator integrator;
    double young;
  } cases[] = { { INTEGRATOR_MIDPOINT, 1e4 }, { INTEGRATOR_MIDPOINT, 1e6 }, { INTEGRATOR_MIDPOINT, 1e9 },
                { INTEGRATOR_EULER, 1e6 },    { INTEGRATOR_BDF2, 1e4 },     { INTEGRATOR_BDF2, 1e6 } };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double young = cases[k].young, fall = 0.3, g = 9.81;
    if (device == DEVICE_CUDA && young == 1e9) continue;
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Walk walk;
    double low[3], high[3], gained;
    MUST(mesh_make_shape("sphere", (double[3]){ 0.3, 0.3, 0.3 }, 3, &mesh, &error));
    mesh_bounds(&mesh, low, high);
    for (int a = 0; a < mesh.node_count; a++) {
      for (int i = 0; i < 3; i++) mesh.X[a][i] -= (low[i] + high[i]) / 2 - 0.03 * i;
      mesh.X[a][2] += 0.4 + 0.15 + 0.05;
    }
    SimulationSettings s = soft(young, PRECISION_F64);
    s.integrator = cases[k].integrator;
    s.gravity[2] = -g;
    s.obstacle_count = 1;
    s.obstacles[0] = obstacle_of(&below, k % 2 ? 0.4 : 0);
    walk_from_rest(&mesh, &s, STEPS, &walk, &gained);
    const double mass = mass_of(&mesh, s.density);
    printf("  E %.0e Pa, integrator %s: energy gained %.1e m g h, %d steps damped\n", young,
           integrator_names[s.integrator], gained / (mass * g * fall), walk.damped);
    assert_int_equal(walk.crossed, 0);
    assert_int_equal(walk.unfinished, 0);
    assert_true(gained < 1e-6 * mass * g * fall);
    mesh_destroy(&mesh);
  }
}

// Triangles of a box-shaped slab around the origin. make_slab(x, y, z) sets its edges to 2x, 2y and 2z, m.
static double slab_X[8][3];
static int slab_triangles[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                     { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
static const ObstacleSurface slab = { 8, 12, slab_X, slab_triangles };
static void make_slab(double x, double y, double z) {
  for (int v = 0; v < 8; v++) {
    slab_X[v][0] = v & 1 ? x : -x;
    slab_X[v][1] = v & 2 ? y : -y;
    slab_X[v][2] = v & 4 ? z : -z;
  }
}

// A paddle rotates about a vertical axis by 11 degrees per step and pushes a free ball along. The tip of the paddle
// moves 0.13 m per step, although the paddle is only 0.02 m thick.
static void a_paddle_pushes_bodies_in_its_path(void **state) {
  (void)state;
  enum { STEPS = 40 };
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Watch watch;
  Walk walk = { 0 };
  Simulation *simulation;
  Energy energy;
  SimulationSettings s = pushed_ball(&slab, PRECISION_F64, &mesh);
  make_slab(0.35, 0.01, 0.2);

  // The ball has a radius of 0.15 m, and its centre is 0.35 m from the axis of the rotation. The paddle starts a
  // quarter turn away from the ball.
  Obstacle *o = &s.obstacles[0];
  o->centre[0] = -0.35;
  o->centre[1] = 0;
  o->motion.point_count = 0;
  for (int i = 0; i < 3; i++) {
    o->motion.spin.axis[i] = i == 2;
    o->motion.spin.about[i] = i == 0 ? -0.35 : 0;
  }
  o->centre[1] = -0.35;  // the centre of the slab, whose long edge is parallel to y
  const double axis[3][3] = { { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } };
  memcpy(o->axis, axis, sizeof axis);
  o->motion.spin.speed = 660;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  watch_start(&watch, &mesh, &s);
  for (int step = 0; step < STEPS; step++) walk_step(&walk, simulation, &watch);
  MUST(simulation_energy(simulation, &energy, &error));
  const double mass = mass_of(&mesh, s.density);
  const double speed = hypot(energy.linear[0], energy.linear[1]) / mass;
  printf("  %.1f Newton iterations per step, ball at (%.2f, %.2f) m/s\n", (double)walk.newton / STEPS,
         energy.linear[0] / mass, energy.linear[1] / mass);
  assert_int_equal(walk.crossed, 0);
  assert_int_equal(walk.unfinished, 0);

  // lower bound: speed of the paddle at the side of the ball that is nearest to the axis; upper bound: speed of the
  // paddle's tip, plus a rebound
  assert_true(speed > 2 && speed < 16);
  watch_end(&watch);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

// A plate rotates under a box that stands on it, 0.3 m from the axis. At full speed the plate turns by 1.5 degrees per
// step. *speed and *mass receive the final speed of the box, m/s, and its mass, kg. *budget receives the work of the
// plate and the box's gain in energy. The gain must not exceed the work.
static void turntable(double friction, bool sticks, WorkBudget *budget, double *speed, double *mass) {
  enum { STEPS = 90 };
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  StepReport report;
  Energy energy;
  const double dt = 1.0 / 60;
  MUST(mesh_make_box(3, 3, 2, (double[3]){ 0.2, 0.2, 0.1 }, &mesh, &error));
  for (int a = 0; a < mesh.node_count; a++) {
    mesh.X[a][0] += 0.2;
    mesh.X[a][1] -= 0.1;
  }
  make_slab(1, 1, 0.1);
  SimulationSettings s = soft(1e6, PRECISION_F64);
  s.dt = dt;
  s.gravity[2] = -9.81;
  s.friction_sticks = sticks;
  s.newton_relative = 1e-6;
  s.obstacle_count = 1;
  s.obstacles[0] = obstacle_of(&slab, friction);
  Obstacle *o = &s.obstacles[0];
  o->centre[2] = o->motion.spin.about[2] = -0.1005;
  o->motion.spin.axis[2] = 1;

  // the plate rests for 0.25 s, accelerates for half a second, and then keeps its speed
  o->motion.spin.angle_count = MOTION_POINTS_MAX;
  for (int k = 0; k < MOTION_POINTS_MAX; k++) {
    const double at = k < 14 ? 0.5 * k / 13 : 0.5 + 2 * (k - 13);
    o->motion.spin.angles[k][0] = 0.25 + at;
    o->motion.spin.angles[k][1] = at < 0.5 ? 90 * at * at : 90 * (at - 0.25);
  }

  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  for (int step = 0; step < 15; step++) MUST(simulation_step(simulation, &report, &error));
  budget_start(budget, simulation, mesh.node_count);
  for (int step = 15; step < STEPS; step++) {
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.converged);
    budget_step(budget, simulation, o, dt, mesh.node_count);
  }

  MUST(simulation_energy(simulation, &energy, &error));
  *mass = mass_of(&mesh, s.density);
  *speed = hypot(energy.linear[0], energy.linear[1]) / *mass;
  printf(
      "  friction %.1f%s: the box gains %.4f J by %.4f J of work, in a step at most %.1e J above its work; "
      "at %.3f m/s\n",
      friction, sticks ? " with friction_sticks" : "", budget->gained, budget->worked, budget->maximum, *speed);
  budget_end(budget);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

// Without friction, a rotating plate does not move the box on it. With friction the box must reach the speed of the
// plate and gain energy, but not more than the work of the plate.
static void turning_obstacles_give_no_more_than_their_work(void **state) {
  (void)state;
  WorkBudget b;
  double speed, mass;
  turntable(0, false, &b, &speed, &mass);

  // kinetic energy, J, of a box that moves with the plate: 0.3 m from the axis, 90 degrees/s are 0.47 m/s
  const double kinetic = 0.5 * mass * 0.47 * 0.47;
  assert_true(speed < 1e-3 && fabs(b.worked) < 1e-3 * kinetic && b.gained < 1e-3 * kinetic);
  for (int sticks = 0; sticks < 2; sticks++) {
    turntable(0.5, sticks, &b, &speed, &mass);
    assert_true(fabs(speed - 0.47) < 0.03);
    assert_true(b.gained > 0.9 * kinetic && b.gained < 1.001 * b.worked && b.gained > 0.7 * b.worked);
    assert_true(b.maximum < 1e-3 * kinetic);
  }
}

static void the_bits_are_the_same_in_every_run(void **state) {
  (void)state;
  enum { BEFORE = 16, AFTER = 6 };  // contact begins at step 12
  Error error = { 0 };
  TetMesh mesh = { 0 }, again = { 0 };
  Simulation *a, *b, *c;
  StepReport report;
  const SimulationSettings s = pushed_ball(&spike, PRECISION_F32, &mesh);
  pushed_ball(&spike, PRECISION_F32, &again);
  const size_t bytes = sizeof(double) * 3 * (size_t)mesh.node_count;
  double *of_a = malloc(2 * bytes), *of_c = malloc(2 * bytes);
  const size_t n = 3 * (size_t)mesh.node_count;
  MUST(simulation_create(&a, &mesh, &s, NULL, &error));
  MUST(simulation_create(&b, &again, &s, NULL, &error));
  MUST(simulation_create(&c, &again, &s, NULL, &error));
  parallel_set_threads(1);
  for (int k = 0; k < BEFORE + AFTER; k++) MUST(simulation_step(a, &report, &error));
  parallel_set_threads(0);
  for (int k = 0; k < BEFORE; k++) MUST(simulation_step(b, &report, &error));
  for (int k = 0; k < 3; k++) MUST(simulation_step(c, &report, &error));
  copy_state(b, c);  // c took only three steps, so its obstacle was elsewhere; it now continues from the state of b
  for (int k = 0; k < AFTER; k++) MUST(simulation_step(c, &report, &error));
  MUST(simulation_state(a, (double(*)[3])of_a, (double(*)[3])(of_a + n), &error));
  MUST(simulation_state(c, (double(*)[3])of_c, (double(*)[3])(of_c + n), &error));
  assert_memory_equal(of_a, of_c, 2 * bytes);

  // after a reset, the repeated run must have the same bits
  MUST(simulation_reset(a, &error));
  for (int k = 0; k < BEFORE + AFTER; k++) MUST(simulation_step(a, &report, &error));
  MUST(simulation_state(a, (double(*)[3])of_c, (double(*)[3])(of_c + n), &error));
  assert_memory_equal(of_a, of_c, 2 * bytes);
  simulation_destroy(a);
  simulation_destroy(b);
  simulation_destroy(c);
  mesh_destroy(&mesh);
  mesh_destroy(&again);
  free(of_a);
  free(of_c);
}

// Returns the speed of a block, m/s, after 0.4 s on a sheet inclined by `degrees`. `friction` is the sheet's
// coefficient of friction. This coefficient must apply, although the settings have another one for the floor and
// bodies.
static double slide(double degrees, double friction) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  StepReport report;
  Energy energy;
  const double slope = degrees * acos(-1.0) / 180;
  MUST(mesh_make_shape("box", (double[3]){ 0.2, 0.2, 0.1 }, 2, &mesh, &error));
  for (int a = 0; a < mesh.node_count; a++) mesh.X[a][2] += 0.0003;
  SimulationSettings s = soft(1e6, PRECISION_F64);
  s.friction = 1;
  s.gravity[0] = 9.81 * sin(slope);
  s.gravity[2] = -9.81 * cos(slope);

  // rotates the sheet so that its normal, which is along x in the mesh, is along z
  Obstacle flat = obstacle_of(&sheet, friction);
  const double axis[3][3] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };
  memcpy(flat.axis, axis, sizeof axis);
  s.obstacle_count = 1;
  s.obstacles[0] = flat;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  for (int k = 0; k < 24; k++) MUST(simulation_step(simulation, &report, &error));
  MUST(simulation_energy(simulation, &energy, &error));
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  return energy.linear[0] / (0.2 * 0.2 * 0.1 * s.density);
}

// With the friction coefficient 0.5 a block rests on slopes of up to 26.57 degrees. On a steeper slope, a rigid block
// has the acceleration g (sin a - 0.5 cos a), where a is the angle of the slope.
static void friction_is_that_of_the_obstacle(void **state) {
  (void)state;
  const double pi = acos(-1.0), held = slide(20, 0.5), slides = slide(35, 0.5), slips = slide(20, 0);
  const double expected = 0.4 * 9.81 * (sin(35 * pi / 180) - 0.5 * cos(35 * pi / 180));
  printf(
      "  after 0.4 s: %.4f m/s at 20 degrees; %.3f m/s at 35 degrees, a rigid block %.3f; %.3f m/s at 20 degrees "
      "without friction, a rigid block %.3f\n",
      held, slides, expected, slips, 0.4 * 9.81 * sin(20 * pi / 180));
  assert_true(fabs(held) < 0.01);
  assert_true(fabs(slides - expected) < 0.06 * expected);
  assert_true(fabs(slips - 0.4 * 9.81 * sin(20 * pi / 180)) < 0.02);
}

// A ball that intersects a sheet is refused. On request the ball, not the sheet, is moved away, and is then accepted.
static void bodies_that_intersect_a_mesh_obstacle_are_moved_off(void **state) {
  (void)state;
  for (int held = 0; held < 2; held++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Simulation *simulation;
    double farthest, nearest = HUGE_VAL, sunk = -HUGE_VAL;
    SimulationSettings s = pushed_ball(&sheet, PRECISION_F64, &mesh);
    s.obstacles[0].centre[0] = -0.1;
    s.obstacles[0].motion.point_count = 0;
    uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
    pinned[0] = held ? PIN_ALL : 0;
    for (int a = 0; a < mesh.node_count; a++) sunk = fmax(sunk, -0.1 - mesh.X[a][0]);
    assert_false(simulation_create(&simulation, &mesh, &s, pinned, &error));
    assert_non_null(strstr(error.message, "the surface intersects an obstacle"));
    error = (Error){ 0 };
    assert_int_equal(bodies_untangle(&mesh, &s, pinned, &farthest, &error), !held);
    if (held)
      assert_string_equal(error.message,
                          "body 0 intersects obstacles entry 1, and pins hold the body; move one of them in the scene");
    for (int a = 0; a < mesh.node_count; a++) nearest = fmin(nearest, mesh.X[a][0] + 0.1);
    if (!held) {
      printf("  the ball moved by %.4f m, to %.4f m off the sheet\n", farthest, nearest);
      assert_true(sunk > 0.03 && nearest > 0 && nearest < 0.02 && fabs(farthest - (sunk + nearest)) < 1e-12);
      MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
      simulation_destroy(simulation);
    }
    free(pinned);
    mesh_destroy(&mesh);
  }
}

static void invalid_input_is_refused(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation = NULL;
  SimulationSettings s = pushed_ball(&sheet, PRECISION_F32, &mesh);
  s.obstacles[0].centre[0] = 0.03;
  assert_false(simulation_create(&simulation, &mesh, &s, NULL, &error));
  if (!strstr(error.message, "the surface intersects an obstacle")) fail_msg("%s", error.message);
  s.self_contact = false;
  error = (Error){ 0 };
  assert_false(simulation_create(&simulation, &mesh, &s, NULL, &error));
  if (!strstr(error.message, "obstacles entry 1 is a mesh, which only self_contact supports"))
    fail_msg("%s", error.message);

  // A moving obstacle cannot push a pinned body: the step fails with a message, and the state is unchanged.
  mesh_destroy(&mesh);
  s = pushed_ball(&sheet, PRECISION_F32, &mesh);
  error = (Error){ 0 };
  StepReport report;
  bool ok = true;
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  memset(pinned, PIN_ALL, (size_t)mesh.node_count);
  MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
  for (int k = 0; k < 45 && ok; k++) ok = simulation_step(simulation, &report, &error);
  assert_false(ok);
  if (!strstr(error.message, "a moving obstacle or pin, or a drag without \"stiffness\", would pass through a surface"))
    fail_msg("%s", error.message);
  assert_int_equal(report.cause, NEWTON_BLOCKED);
  simulation_destroy(simulation);
  free(pinned);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_goes_through_what_moves),
    cmocka_unit_test(a_ball_that_falls_on_a_mesh_gains_no_energy),
    cmocka_unit_test(a_paddle_pushes_bodies_in_its_path),
    cmocka_unit_test(turning_obstacles_give_no_more_than_their_work),
    cmocka_unit_test(the_bits_are_the_same_in_every_run),
    cmocka_unit_test(friction_is_that_of_the_obstacle),
    cmocka_unit_test(bodies_that_intersect_a_mesh_obstacle_are_moved_off),
    cmocka_unit_test(invalid_input_is_refused),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  if (count > 2) cmocka_set_test_filter(words[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
