// Tests prescribed motions of nodes. With midpoint, euler and bdf2, nodes are on their prescribed path after each step.
// Displacements and reaction of a pulled bar have the values of a closed form. Nodes that are released keep their
// velocity, and nodes on a path take part in contact. argv[1]: the device; argv[2]: a pattern for the names of the
// tests to run.
#include "../sim_testing.h"

#include "mesh/join.h"

static Device device;

static SimulationSettings settings(void) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = PRECISION_F64;
  s.mu = 5e4;
  s.lambda = 7e4;
  s.density = 1000;
  s.dt = 1.0 / 60;
  memset(s.gravity, 0, sizeof s.gravity);
  return s;
}

// A bar of 1 m x 0.4 m x 0.4 m along x, with its end nodes marked.
typedef struct Bar {
  TetMesh mesh;
  uint8_t *pinned, *moved;  // [node_count], nonzero for nodes at x = 0 (pinned) and at x = 1 m (moved)
  double (*x)[3];           // [node_count], m, buffer for positions
  int id;                   // number of the grab that moves the end
} Bar;

static Bar make_bar(void) {
  Bar bar = { .mesh = box(5, 2, 2, (double[3]){ 1, 0.4, 0.4 }) };
  const size_t nodes = (size_t)bar.mesh.node_count;
  bar.pinned = calloc(nodes, 1);
  bar.moved = calloc(nodes, 1);
  bar.x = calloc(nodes, sizeof *bar.x);
  for (size_t a = 0; a < nodes; a++) {
    bar.pinned[a] = bar.mesh.X[a][0] < 1e-9 ? PIN_ALL : 0;
    bar.moved[a] = bar.mesh.X[a][0] > 1 - 1e-9;
  }
  return bar;
}

static void destroy_bar(Bar *bar) {
  mesh_destroy(&bar->mesh);
  free(bar->pinned);
  free(bar->moved);
  free(bar->x);
}

static Simulation *start(Bar *bar, const SimulationSettings *s, const uint8_t *pinned) {
  Error error = { 0 };
  Simulation *simulation;
  MUST(simulation_create(&simulation, &bar->mesh, s, pinned, &error));
  MUST(simulation_grab_nodes(simulation, bar->moved, 0, &bar->id, &error));
  return simulation;
}

static StepReport step_to(Simulation *simulation, const Bar *bar, const double offset[3]) {
  Error error = { 0 };
  StepReport report;
  MUST(simulation_drag(simulation, bar->id, offset, &error));
  MUST(simulation_step(simulation, &report, &error));
  assert_true(report.converged);
  return report;
}

// Returns the largest distance of the moved nodes from X + offset and of the pinned nodes from X, m.
static double largest_error(Simulation *simulation, const Bar *bar, const double offset[3]) {
  Error error = { 0 };
  double worst = 0;
  MUST(simulation_state(simulation, bar->x, NULL, &error));
  for (int a = 0; a < bar->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) {
      const double to = bar->mesh.X[a][i] + (bar->moved[a] ? offset[i] : 0);
      if (bar->moved[a] || bar->pinned[a]) worst = fmax(worst, fabs(bar->x[a][i] - to));
    }
  return worst;
}

static void moved_nodes_end_each_step_on_their_path(void **state) {
  (void)state;
  const Integrator integrators[] = { INTEGRATOR_MIDPOINT, INTEGRATOR_EULER, INTEGRATOR_BDF2 };
  const FirstGuess guesses[] = { FIRST_GUESS_STATE, FIRST_GUESS_VELOCITY, FIRST_GUESS_EXTRAPOLATED };
  Bar bar = make_bar();
  for (int k = 0; k < 18; k++) {
    SimulationSettings s = settings();
    s.integrator = integrators[k % 3];
    s.first_guess = guesses[k / 3 % 3];
    s.precision = k < 9 ? PRECISION_F64 : PRECISION_F32;
    const double tolerance = k < 9 ? 1e-15 : 6e-8;  // rounding of a position of 1.3 m
    Simulation *simulation = start(&bar, &s, bar.pinned);
    for (int step = 1; step <= 15; step++) {
      const double t = step / 60.0, offset[3] = { 0.4 * t, 0.2 * sin(9 * t), 0.1 * t * t };
      step_to(simulation, &bar, offset);
      const double error = largest_error(simulation, &bar, offset);
      if (!(error <= tolerance))
        fail_msg("case %d, step %d: a node is %.3g m away from its prescribed position", k, step, error);
    }
    simulation_destroy(simulation);
  }
  destroy_bar(&bar);
}

// The end of the bar moves so far that elements near it would be inverted if it moved the whole distance at once. So
// the time step must be divided into substeps, each with a part of the motion.
static void a_fast_motion_is_taken_in_parts_and_arrives(void **state) {
  (void)state;
  Bar bar = make_bar();
  SimulationSettings s = settings();
  const double offset[3] = { -0.3, 0, 0 };
  Simulation *simulation = start(&bar, &s, bar.pinned);
  const StepReport report = step_to(simulation, &bar, offset);
  assert_true(report.substeps > 1);
  assert_true(largest_error(simulation, &bar, offset) <= 1e-15);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// A neo-Hookean bar with lambda = 0 that is stretched along x by the factor t has the stress P11 = mu (t - 1/t). All
// other components of the stress are zero.
static void a_bar_is_stretched_to_the_closed_form(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  const double stretches[] = { 1.3, 0.8 };
  for (int k = 0; k < 2; k++) {
    SimulationSettings s = settings();
    StepReport report;
    double force[3];
    s.lambda = 0;
    s.newton_relative = 1e-12;
    s.cg_relative = 1e-10;
    s.newton_max = 100;
    Simulation *simulation = start(&bar, &s, bar.pinned);
    const double t = stretches[k];
    for (int part = 1; part <= 4; part++) {
      MUST(simulation_drag(simulation, bar.id, (double[3]){ part * (t - 1) / 4, 0, 0 }, &error));
      MUST(simulation_equilibrium(simulation, &report, &error));
      assert_true(report.converged);
    }
    MUST(simulation_state(simulation, bar.x, NULL, &error));
    for (int a = 0; a < bar.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        const double to = i == 0 ? t * bar.mesh.X[a][0] : bar.mesh.X[a][i];
        if (!(fabs(bar.x[a][i] - to) <= 1e-9))
          fail_msg("stretch %g: a coordinate of node %d is wrong by %.3g m", t, a, bar.x[a][i] - to);
      }
    const double closed = s.mu * (t - 1 / t) * 0.4 * 0.4;
    MUST(simulation_grab_force(simulation, bar.id, true, force, &error));
    if (!(fabs(force[0] - closed) <= 1e-7 * fabs(closed) && fabs(force[1]) + fabs(force[2]) <= 1e-7 * fabs(closed)))
      fail_msg("stretch %g: the reaction is (%.9g, %.3g, %.3g) N, expected (%.9g, 0, 0) N", t, force[0], force[1],
               force[2], closed);
    simulation_destroy(simulation);
  }
  destroy_bar(&bar);
}

// Moves the end of a free bar at a constant speed until all of the bar has that speed, and releases it.
static void released_nodes_keep_their_velocity(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  const MassKind masses[] = { MASS_LUMPED, MASS_CONSISTENT };
#ifdef __SANITIZE_ADDRESS__
  // only consistent masses with a sanitizer, since their case also runs the code for lumped masses
  const int first = 1;
#else
  const int first = 0;
#endif
  for (int k = first; k < 2; k++) {
    SimulationSettings s = settings();
    s.integrator = INTEGRATOR_EULER;
    s.mass = masses[k];
    s.newton_relative = 1e-10;
    s.cg_relative = 1e-9;
    const double speed = 0.5;
    Simulation *simulation = start(&bar, &s, NULL);
    StepReport report;
    for (int step = 1; step <= 200; step++) step_to(simulation, &bar, (double[3]){ speed * step / 60, 0, 0 });
    MUST(simulation_release(simulation, bar.id, &error));
    for (int step = 0; step < 10; step++) MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_velocities(simulation, bar.x, &error));
    for (int a = 0; a < bar.mesh.node_count; a++)
      if (!(fabs(bar.x[a][0] - speed) <= 1e-3 * speed && fabs(bar.x[a][1]) + fabs(bar.x[a][2]) <= 1e-3 * speed))
        fail_msg("mass kind %d: the velocity of node %d is (%.6g, %.3g, %.3g) m/s", k, a, bar.x[a][0], bar.x[a][1],
                 bar.x[a][2]);
    simulation_destroy(simulation);
  }
  destroy_bar(&bar);
}

// The support at one end of the bar is at rest, so it does no work on the bar. With backward Euler the energy must
// never increase, and with the midpoint rule by at most 1 %.
static void a_support_at_rest_feeds_no_energy(void **state) {
  (void)state;
  Bar bar = make_bar();
  const double moduli[] = { 5e3, 5e6 };
  for (int k = 0; k < 4; k++) {
    SimulationSettings s = settings();
    s.mu = moduli[k / 2];
    s.lambda = 1.4 * s.mu;
    s.newton_relative = 1e-9;
    s.cg_relative = 1e-8;
    s.newton_max = 100;
    s.integrator = k % 2 ? INTEGRATOR_MIDPOINT : INTEGRATOR_EULER;
    Simulation *simulation = start(&bar, &s, bar.pinned);
    for (int step = 1; step <= 10; step++) step_to(simulation, &bar, (double[3]){ 0, 0.002 * step, 0 });
    const double first = energy_of(simulation);
    double before = first;
    for (int step = 0; step < 60; step++) {
      step_to(simulation, &bar, (double[3]){ 0, 0.02, 0 });
      const double now = energy_of(simulation), most = k % 2 ? 1.01 * first : before * (1 + 1e-8);
      if (!(now <= most))
        fail_msg("case %d, step %d: the energy is %.9g J, and was %.9g J before the step", k, step, now, before);
      before = now;
    }
    simulation_destroy(simulation);
  }
  destroy_bar(&bar);
}

static void a_saved_state_goes_on_with_the_same_bits(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  const SimulationSettings s = settings();
  Simulation *one = start(&bar, &s, bar.pinned), *two;
  double(*y)[3] = calloc((size_t)bar.mesh.node_count, sizeof *y);
  for (int step = 1; step <= 5; step++) step_to(one, &bar, (double[3]){ 0.01 * step, 0, 0 });
  MUST(simulation_create(&two, &bar.mesh, &s, bar.pinned, &error));
  copy_state(one, two);
  for (int step = 6; step <= 10; step++) {
    step_to(one, &bar, (double[3]){ 0.01 * step, 0, 0 });
    step_to(two, &bar, (double[3]){ 0.01 * step, 0, 0 });
  }
  MUST(simulation_state(one, bar.x, NULL, &error) && simulation_state(two, y, NULL, &error));
  assert_memory_equal(bar.x, y, sizeof *y * (size_t)bar.mesh.node_count);
  simulation_destroy(one);
  simulation_destroy(two);
  free(y);
  destroy_bar(&bar);
}

// The end with a prescribed motion pushes the bar against a box that does not move. The bar is squeezed, and its
// surface stays outside the box.
static void moved_nodes_push_the_body_against_an_obstacle(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  SimulationSettings s = settings();
  s.self_contact = true;
  s.obstacle_count = 1;
  s.obstacles[0] = (Obstacle){ .kind = OBSTACLE_BOX,
                               .centre = { -0.3, 0.2, 0.2 },
                               .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                               .size = { 0.25, 0.5, 0.5 } };
  Simulation *simulation = start(&bar, &s, NULL);
  for (int step = 1; step <= 40; step++) step_to(simulation, &bar, (double[3]){ -0.005 * step, 0, 0 });
  MUST(simulation_state(simulation, bar.x, NULL, &error));
  double lowest = 1;
  for (int a = 0; a < bar.mesh.node_count; a++) {
    lowest = fmin(lowest, bar.x[a][0]);
    if (bar.moved[a] && !(fabs(bar.x[a][0] - 0.8) <= 1e-12))
      fail_msg("the moved end is at x = %.12g m, expected 0.8 m", bar.x[a][0]);
  }

  if (!(lowest > -0.05 && lowest < 0))
    fail_msg("the bar reaches x = %.6g m, expected more than -0.05 m, the face of the box, and less than 0", lowest);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// The end of a bar moves fast against a free block, which yields and is pushed along.
static void moved_nodes_push_a_free_body(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  TetMesh block = box(2, 2, 2, (double[3]){ 0.3, 0.5, 0.5 });
  const int first = bar.mesh.node_count;
  for (int a = 0; a < block.node_count; a++) {
    block.X[a][0] += 1.01;
    block.X[a][1] -= 0.05;
    block.X[a][2] -= 0.05;
  }

  MUST(mesh_join(&bar.mesh, &block, &error));
  const size_t nodes = (size_t)bar.mesh.node_count;
  bar.moved = realloc(bar.moved, nodes);
  bar.x = realloc(bar.x, nodes * sizeof *bar.x);
  memset(bar.moved + first, 0, nodes - (size_t)first);

  SimulationSettings s = settings();
  s.self_contact = true;
  Simulation *simulation = start(&bar, &s, NULL);
  for (int step = 1; step <= 20; step++) step_to(simulation, &bar, (double[3]){ 0.02 * step, 0, 0 });
  MUST(simulation_state(simulation, bar.x, NULL, &error));
  double nearest = HUGE_VAL;
  for (int a = 0; a < bar.mesh.node_count; a++) {
    if (a >= first) nearest = fmin(nearest, bar.x[a][0]);
    if (bar.moved[a] && !(fabs(bar.x[a][0] - 1.4) <= 1e-12))
      fail_msg("the moved end is at x = %.12g m, expected 1.4 m", bar.x[a][0]);
  }

  if (!(nearest > 1.4)) fail_msg("the block begins at x = %.9g m, but the bar ends at 1.4 m", nearest);
  simulation_destroy(simulation);
  mesh_destroy(&block);
  destroy_bar(&bar);
}

// An obstacle blocks the prescribed motion of the bar's end. The time step fails with a message and leaves the state
// unchanged.
static void a_motion_that_is_blocked_fails(void **state) {
  (void)state;
  Error error = { 0 };
  StepReport report;
  Bar bar = make_bar();
  SimulationSettings s = settings();
  s.self_contact = true;
  s.obstacle_count = 1;
  s.obstacles[0] = (Obstacle){ .kind = OBSTACLE_BOX,
                               .centre = { 1.3, 0.2, 0.2 },
                               .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                               .size = { 0.25, 0.5, 0.5 } };
  Simulation *simulation = start(&bar, &s, NULL);
  MUST(simulation_drag(simulation, bar.id, (double[3]){ 0.2, 0, 0 }, &error));
  assert_false(simulation_step(simulation, &report, &error));
  if (!strstr(error.message, "a drag without \"stiffness\", would")) fail_msg("%s", error.message);
  error = (Error){ 0 };
  assert_true(largest_error(simulation, &bar, (double[3]){ 0, 0, 0 }) <= 1e-15);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moved_nodes_end_each_step_on_their_path),
    cmocka_unit_test(a_fast_motion_is_taken_in_parts_and_arrives),
    cmocka_unit_test(a_bar_is_stretched_to_the_closed_form),
    cmocka_unit_test(released_nodes_keep_their_velocity),
    cmocka_unit_test(a_support_at_rest_feeds_no_energy),
    cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits),
    cmocka_unit_test(moved_nodes_push_the_body_against_an_obstacle),
    cmocka_unit_test(moved_nodes_push_a_free_body),
    cmocka_unit_test(a_motion_that_is_blocked_fails),
  };
  return cmocka_run_group_tests_name("constraint", tests, NULL, NULL);
}
