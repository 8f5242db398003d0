// Tests supports: pinned nodes that follow a prescribed rigid motion. Their positions are exact after steps and
// substeps, and saved states continue bit for bit. Also tests reactions, and the work of supports. argv[1]: the device;
// argv[2]: a pattern for the names of the tests to run.
#include "../sim_testing.h"

#include "mesh/join.h"
#include "mesh/separate.h"

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

// A bar of 1 m x 0.4 m x 0.4 m along x. The end at x = 1 m follows a motion, and the end at x = 0 is fixed.
typedef struct Bar {
  TetMesh mesh;
  uint8_t *pinned;
  uint16_t (*support)[3];  // [nodes], for each axis: 1 if the node follows the motion along the axis, otherwise 0
  // [nodes]: buffer for positions, m; positions before the last step, m
  double (*x)[3], (*before)[3];
} Bar;

static Bar make_bar(void) {
  Bar bar = { .mesh = box(5, 2, 2, (double[3]){ 1, 0.4, 0.4 }) };
  const size_t nodes = (size_t)bar.mesh.node_count;
  bar.pinned = calloc(nodes, 1);
  bar.support = calloc(nodes, sizeof *bar.support);
  bar.x = calloc(nodes, sizeof *bar.x);
  bar.before = calloc(nodes, sizeof *bar.before);
  for (size_t a = 0; a < nodes; a++) {
    const double x = bar.mesh.X[a][0];
    bar.pinned[a] = x < 1e-9 ? PIN_ALL : x > 1 - 1e-9 ? PIN_ALL | PIN_FOLLOWS : 0;
    for (int i = 0; i < 3; i++) bar.support[a][i] = x > 1 - 1e-9;
    memcpy(bar.before[a], bar.mesh.X[a], sizeof *bar.before);
  }
  return bar;
}

static void destroy_bar(Bar *bar) {
  mesh_destroy(&bar->mesh);
  free(bar->pinned);
  free(bar->support);
  free(bar->x);
  free(bar->before);
}

static Simulation *start(const Bar *bar, const SimulationSettings *s, const RigidMotion *motion) {
  Error error = { 0 };
  Simulation *simulation;
  MUST(simulation_create(&simulation, &bar->mesh, s, bar->pinned, &error));
  MUST(simulation_set_supports(simulation, motion, 1, (const uint16_t(*)[3])bar->support, bar->pinned, &error));
  return simulation;
}

static StepReport step(Simulation *simulation) {
  Error error = { 0 };
  StepReport report;
  MUST(simulation_step(simulation, &report, &error));
  assert_true(report.converged);
  return report;
}

// Returns a motion along a path of three points: 0.11 m away from the start, then nearly back. Meanwhile, the support
// rotates by 60 degrees about a skew axis.
static RigidMotion path_and_turn(void) {
  RigidMotion m = { .point_count = 3, .path = { { 0, 0, 0, 0 }, { 0.26, 0.1, 0.05, 0 }, { 0.5, 0, 0, 0.03 } } };
  m.spin = (Spin){ .axis = { 0.8, 0.6, 0 }, .about = { 1, 0.1, 0.2 }, .angle_count = 2, .angles = { { 0.05, 0 } } };
  m.spin.angles[1][0] = 0.5;
  m.spin.angles[1][1] = 60;
  return m;
}

// Returns the largest distance of pinned nodes from their prescribed positions, m.
static double largest_error(Simulation *simulation, const Bar *bar, const RigidMotion *motion) {
  Error error = { 0 };
  double worst = 0;
  MUST(simulation_state(simulation, bar->x, NULL, &error));
  for (int a = 0; a < bar->mesh.node_count; a++) {
    double u[3] = { 0, 0, 0 };
    if (bar->support[a][0]) motion_displacement(motion, simulation_time(simulation), bar->mesh.X[a], u);
    for (int i = 0; bar->pinned[a] && i < 3; i++) worst = fmax(worst, fabs(bar->x[a][i] - (bar->mesh.X[a][i] + u[i])));
  }
  return worst;
}

static void supports_end_each_step_on_their_motion(void **state) {
  (void)state;
  const Integrator integrators[] = { INTEGRATOR_MIDPOINT, INTEGRATOR_EULER, INTEGRATOR_BDF2, INTEGRATOR_EULER_SPIN };
  const FirstGuess guesses[] = { FIRST_GUESS_STATE, FIRST_GUESS_VELOCITY, FIRST_GUESS_EXTRAPOLATED };
  Bar bar = make_bar();
  const RigidMotion motion = path_and_turn();
  for (int k = 0; k < 24; k++) {
    SimulationSettings s = settings();
    s.integrator = integrators[k % 4];
    s.first_guess = guesses[k / 4 % 3];
    s.precision = k < 12 ? PRECISION_F64 : PRECISION_F32;
    const double tolerance = k < 12 ? 1e-15 : 6e-8;  // rounding of a position of 1.3 m
    Simulation *simulation = start(&bar, &s, &motion);
    for (int n = 1; n <= 36; n++) {
      step(simulation);
      const double error = largest_error(simulation, &bar, &motion);
      if (!(error <= tolerance))
        fail_msg("case %d, step %d: a node is %.3g m away from its prescribed position", k, n, error);
    }
    simulation_destroy(simulation);
  }
  destroy_bar(&bar);
}

// If the end of the bar moved the whole distance at once, elements near it would be inverted. So the time step is
// divided into substeps, each with a part of the motion.
static void a_fast_motion_is_taken_in_parts_and_arrives(void **state) {
  (void)state;
  Bar bar = make_bar();
  const SimulationSettings s = settings();
  const RigidMotion motion = { .point_count = 2, .path = { { 0, 0, 0, 0 }, { 1.0 / 60, -0.3, 0, 0 } } };
  Simulation *simulation = start(&bar, &s, &motion);
  assert_true(step(simulation).substeps > 1);
  assert_true(largest_error(simulation, &bar, &motion) <= 1e-15);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// A saved state does not contain the motion, because the position of a support depends only on the time. A simulation
// that restores the state must continue with the same bits.
static void a_saved_state_goes_on_with_the_same_bits(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  const RigidMotion motion = path_and_turn();
  const Integrator integrators[] = { INTEGRATOR_MIDPOINT, INTEGRATOR_BDF2 };
  for (int k = 0; k < 2; k++) {
    SimulationSettings s = settings();
    s.integrator = integrators[k];
    Simulation *one = start(&bar, &s, &motion), *two = start(&bar, &s, &motion);
    for (int n = 0; n < 10; n++) step(one);
    copy_state(one, two);
    for (int n = 0; n < 10; n++) {
      step(one);
      step(two);
    }
    MUST(simulation_state(one, bar.x, NULL, &error) && simulation_state(two, bar.before, NULL, &error));
    assert_memory_equal(bar.x, bar.before, sizeof *bar.x * (size_t)bar.mesh.node_count);
    simulation_destroy(one);
    simulation_destroy(two);
  }
  destroy_bar(&bar);
}

// The end of the bar is pinned along x and y, and follows its path only along x. So along y it is fixed, and along z it
// is free.
static void supports_may_follow_along_single_axes(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  const SimulationSettings s = settings();
  const RigidMotion motion = { .point_count = 2, .path = { { 0, 0, 0, 0 }, { 0.5, 0.2, 0.2, 0.2 } } };
  for (int a = 0; a < bar.mesh.node_count; a++) {
    if (!bar.support[a][0]) continue;
    bar.pinned[a] = PIN_X | PIN_Y | PIN_FOLLOWS;
    bar.support[a][1] = bar.support[a][2] = 0;
  }

  Simulation *simulation = start(&bar, &s, &motion);
  for (int n = 0; n < 30; n++) step(simulation);
  MUST(simulation_displacements(simulation, bar.x, &error));
  double across = 0;
  for (int a = 0; a < bar.mesh.node_count; a++) {
    if (!bar.support[a][0]) continue;
    assert_true(fabs(bar.x[a][0] - 0.2) <= 1e-15);
    assert_true(bar.x[a][1] == 0);
    across = fmax(across, fabs(bar.x[a][2]));
  }

  assert_true(across > 1e-3);  // the stretched bar contracts sideways
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// If the flag PIN_FOLLOWS is removed from all pins of a running simulation, they must hold their nodes at the present
// positions.
static void pins_without_the_flag_hold_nodes_in_place(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  const SimulationSettings s = settings();
  const RigidMotion motion = { .point_count = 2, .path = { { 0, 0, 0, 0 }, { 1, 0.2, 0, 0 } } };
  Simulation *simulation = start(&bar, &s, &motion);
  for (int n = 0; n < 6; n++) step(simulation);
  for (int a = 0; a < bar.mesh.node_count; a++) bar.pinned[a] &= ~PIN_FOLLOWS;
  MUST(simulation_set_pins(simulation, bar.pinned, &error));
  for (int n = 0; n < 6; n++) step(simulation);
  MUST(simulation_displacements(simulation, bar.x, &error));
  for (int a = 0; a < bar.mesh.node_count; a++)
    if (bar.support[a][0] && !(fabs(bar.x[a][0] - 0.02) <= 1e-15))
      // six steps of 1/60 s at 0.2 m/s
      fail_msg("the displacement along x of a pinned node is %.17g m, expected 0.02 m", bar.x[a][0]);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// Sums the reactions of the nodes with this pin: both parts, `force` and `inertia` of Reactions. force [3] receives the
// total force, N, and moment [3] the total moment about the origin, N m.
static void sum_reactions(Simulation *simulation, const Bar *bar, int pin, double force[3], double moment[3]) {
  Error error = { 0 };
  Reactions r;
  MUST(simulation_reactions(simulation, &r, &error));
  MUST(simulation_state(simulation, bar->x, NULL, &error));
  memset(force, 0, 3 * sizeof *force);
  memset(moment, 0, 3 * sizeof *moment);
  for (int a = 0; a < bar->mesh.node_count; a++)
    for (int i = 0; bar->pinned[a] == pin && i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      force[i] += r.force[a][i] + r.inertia[a][i];
      moment[i] += bar->x[a][j] * r.force[a][k] - bar->x[a][k] * r.force[a][j];
      moment[i] += r.from[a][j] * r.inertia[a][k] - r.from[a][k] * r.inertia[a][j];
    }
  reactions_destroy(&r);
}

// All nodes of a body are supports that rotate at 90 degrees per second, so they exert the centripetal force on the
// body. In a step, a node moves along a chord of its arc. Its momentum changes from one chord to the next. So the force
// has the direction at the start of the step, and the size m r (2 sin(omega dt / 2) / dt)^2, nearly m r omega^2.
static void a_body_on_a_turning_support_needs_the_centripetal_force(void **state) {
  (void)state;
  Bar bar = make_bar();
  const SimulationSettings s = settings();
  const double omega = acos(-1.0) / 2, half = omega * s.dt / 2, mass = 1000 * 0.16;
  const double arm[3] = { 0.5, 0.2, 0 };  // from the axis to the body's centre, m
  const RigidMotion motion = { .spin = { .axis = { 0, 0, 1 }, .speed = 90 } };
  for (int a = 0; a < bar.mesh.node_count; a++)
    for (int i = 0; i < 3; i++) {
      bar.pinned[a] = PIN_ALL | PIN_FOLLOWS;
      bar.support[a][i] = 1;
    }
  Simulation *simulation = start(&bar, &s, &motion);
  for (int n = 0; n < 20; n++) step(simulation);
  double force[3], moment[3], at[3];
  sum_reactions(simulation, &bar, PIN_ALL | PIN_FOLLOWS, force, moment);
  turn_about(motion.spin.axis, omega * 19 * s.dt, arm, at);
  const double factor = -mass * pow(2 * sin(half) / s.dt, 2);
  for (int i = 0; i < 3; i++)
    if (!(fabs(force[i] - factor * at[i]) <= 1e-8 * mass))
      fail_msg("a component of the reaction is %.12g N, expected %.12g N", force[i], factor * at[i]);
  assert_true(fabs(moment[2]) <= 1e-8 * mass);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// A bar is held at both ends. In equilibrium, the reactions balance its weight. A pressure on one held end then changes
// the reaction of this end by its force, although no further equilibrium is computed.
static void reactions_balance_weight_pressure_and_damping(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  SimulationSettings s = settings();
  StepReport report;
  s.gravity[2] = -9.81;
  s.newton_relative = 1e-11;
  s.cg_relative = 1e-10;
  const RigidMotion motion = { .point_count = 1 };
  Simulation *simulation = start(&bar, &s, &motion);
  MUST(simulation_equilibrium(simulation, &report, &error));
  double one[3], other[3], moment[3];
  sum_reactions(simulation, &bar, PIN_ALL, one, moment);
  sum_reactions(simulation, &bar, PIN_ALL | PIN_FOLLOWS, other, moment);
  const double weight = 160 * 9.81;  // N; the bar has 160 kg
  if (!(fabs(one[2] + other[2] - weight) <= 1e-8 * weight && fabs(one[0] + other[0]) <= 1e-8 * weight))
    fail_msg("both ends carry %.12g N, expected the weight %.12g N", one[2] + other[2], weight);

  // a pressure of 500 Pa on the end at x = 1 m
  BoundaryFaces faces;
  uint8_t *end = calloc((size_t)bar.mesh.node_count, 1);
  double pressure[32], *area = calloc((size_t)bar.mesh.node_count, sizeof *area), push = 0;
  assert_true(end && area);
  for (int a = 0; a < bar.mesh.node_count; a++) end[a] = bar.support[a][0] != 0;
  MUST(boundary_faces_find(&faces, &bar.mesh, end, &error));
  MUST(boundary_faces_areas(&faces, &bar.mesh, area, &error));
  assert_true(faces.count > 0 && faces.count <= 32);
  for (int k = 0; k < faces.count; k++) pressure[k] = 500;
  for (int a = 0; a < bar.mesh.node_count; a++) push += 500 * area[a];
  MUST(simulation_set_pressure(simulation, &(PressureLoad){ &faces, pressure, NULL }, &error));
  double loaded[3];
  sum_reactions(simulation, &bar, PIN_ALL | PIN_FOLLOWS, loaded, moment);
  if (!(fabs(loaded[0] - other[0] - push) <= 1e-8 * push))
    fail_msg("the pressure changes the reaction by %.12g N, expected %.12g N", loaded[0] - other[0], push);
  boundary_faces_destroy(&faces);
  free(end);
  free(area);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// The ends of a bar are pulled apart and twisted. In equilibrium, the reactions of the two ends are opposite, in force
// and moment.
static void action_and_reaction_are_equal_in_equilibrium(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = make_bar();
  SimulationSettings s = settings();
  StepReport report;
  s.newton_relative = 1e-11;
  s.cg_relative = 1e-10;
  const RigidMotion still = { .point_count = 1 };
  Simulation *simulation = start(&bar, &s, &still);
  for (int k = 1; k <= 4; k++) {
    const RigidMotion motion = {
      .point_count = 1,
      .path = { { 0, 0.03 * k, 0.02 * k, 0 } },
      .spin = { .axis = { 1, 0, 0 }, .about = { 1, 0.2, 0.2 }, .angle_count = 1, .angles = { { 0, 10 * k } } }
    };
    MUST(simulation_set_supports(simulation, &motion, 1, (const uint16_t(*)[3])bar.support, bar.pinned, &error));
    MUST(simulation_equilibrium(simulation, &report, &error));
    assert_true(report.converged);
    assert_true(largest_error(simulation, &bar, &motion) <= 1e-15);
  }

  double force[2][3], moment[2][3];
  sum_reactions(simulation, &bar, PIN_ALL, force[0], moment[0]);
  sum_reactions(simulation, &bar, PIN_ALL | PIN_FOLLOWS, force[1], moment[1]);
  const double size = fabs(force[1][0]);
  for (int i = 0; i < 3; i++)
    if (!(fabs(force[0][i] + force[1][i]) <= 1e-8 * size && fabs(moment[0][i] + moment[1][i]) <= 1e-8 * size))
      fail_msg(
          "axis %d: the reactions of the ends are %.12g and %.12g N, %.12g and %.12g N m, expected opposite numbers", i,
          force[0][i], force[1][i], moment[0][i], moment[1][i]);
  simulation_destroy(simulation);
  destroy_bar(&bar);
}

// Energies, J, summed over steps of backward Euler.
typedef struct Balance {
  double work;     // work of the supports, with the forces at the end of each step
  double damping;  // energy that damping has removed
  double taken;    // energy that backward Euler has removed from the motion of free nodes and from elastic energy
} Balance;

// Adds the energies of the last step to the balance. v0 [node_count], m/s: velocities before the step; receives those
// after it.
static void add_step(Simulation *simulation, const Bar *bar, double (*v0)[3], double elastic_gain, Balance *b) {
  Error error = { 0 };
  const SimulationSettings *s = simulation_settings(simulation);
  const int nodes = bar->mesh.node_count;
  Reactions r;
  double(*v)[3] = calloc((size_t)nodes, sizeof *v), (*f)[3] = calloc((size_t)nodes, sizeof *f);
  double *mass = calloc((size_t)nodes, sizeof *mass);
  MUST(simulation_reactions(simulation, &r, &error));
  MUST(simulation_state(simulation, bar->x, NULL, &error));
  MUST(simulation_velocities(simulation, v, &error));
  MUST(simulation_internal_force(simulation, f, &error));
  simulation_masses(simulation, mass);
  b->taken -= elastic_gain;
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++) {
      const double moved = bar->x[a][i] - bar->before[a][i], change = v[a][i] - v0[a][i];
      if (bar->pinned[a]) b->work += r.force[a][i] * moved + 0.5 * mass[a] * change * (v[a][i] + v0[a][i]);
      if (!bar->pinned[a]) b->taken += 0.5 * mass[a] * change * change;
      b->taken += f[a][i] * moved;
      b->damping += s->damping * mass[a] * v[a][i] * moved;
    }
  memcpy(bar->before, bar->x, sizeof *bar->x * (size_t)nodes);
  memcpy(v0, v, sizeof *v * (size_t)nodes);
  reactions_destroy(&r);
  free(v);
  free(f);
  free(mass);
}

// The work of the supports must equal the gain of energy plus the energy that damping and backward Euler remove.
static void work_is_energy_and_dissipation(void **state) {
  (void)state;
  Error error = { 0 };
  const double moduli[] = { 5e3, 5e6 };
  const RigidMotion motion = path_and_turn();
  for (int k = 0; k < 2; k++) {
    Bar bar = make_bar();
    SimulationSettings s = settings();
    s.mu = moduli[k];
    s.lambda = 1.4 * s.mu;
    s.integrator = INTEGRATOR_EULER;
    s.damping = 2;
    s.newton_relative = 1e-11;
    s.cg_relative = 1e-10;
    s.newton_max = 100;
    Simulation *simulation = start(&bar, &s, &motion);
    double(*v0)[3] = calloc((size_t)bar.mesh.node_count, sizeof *v0);
    Balance balance = { 0 };
    Energy energy, before = { 0 };
    for (int n = 0; n < 36; n++) {
      assert_int_equal(step(simulation).substeps, 1);
      MUST(simulation_energy(simulation, &energy, &error));
      add_step(simulation, &bar, v0, energy.elastic - before.elastic, &balance);
      before = energy;
    }
    const double gain = energy.kinetic + energy.elastic, spent = gain + balance.damping + balance.taken;
    if (!(fabs(balance.work - spent) <= 1e-8 * balance.work))
      fail_msg("mu %g Pa: work %.12g J, expected the sum of gain, damping and loss by Euler: %.12g + %.12g + %.12g J",
               s.mu, balance.work, gain, balance.damping, balance.taken);
    assert_true(balance.taken > 0 && balance.damping > 0);
    free(v0);
    simulation_destroy(simulation);
    destroy_bar(&bar);
  }
}

// A block lies on a slab. All nodes of the slab are pinned. The reactions of the pins carry the weight of the slab and,
// through contact, the weight of the block.
static void reactions_include_contact(void **state) {
  (void)state;
  Error error = { 0 };
  Bar bar = { .mesh = box(2, 2, 1, (double[3]){ 0.4, 0.4, 0.1 }) };
  TetMesh block = box(1, 1, 1, (double[3]){ 0.2, 0.2, 0.2 });
  const int first = bar.mesh.node_count;
  for (int a = 0; a < block.node_count; a++) {
    block.X[a][0] += 0.1;
    block.X[a][1] += 0.1;
    block.X[a][2] += 0.102;
  }

  MUST(mesh_join(&bar.mesh, &block, &error));
  const size_t nodes = (size_t)bar.mesh.node_count;
  bar.pinned = calloc(nodes, 1);
  bar.x = calloc(nodes, sizeof *bar.x);
  for (int a = 0; a < first; a++) bar.pinned[a] = PIN_ALL;
  SimulationSettings s = settings();
  s.self_contact = true;
  s.gravity[2] = -9.81;
  s.damping = 20;
  s.newton_relative = 1e-8;
  Simulation *simulation;
  MUST(simulation_create(&simulation, &bar.mesh, &s, bar.pinned, &error));
  for (int n = 0; n < 120; n++) step(simulation);
  double force[3], moment[3];
  sum_reactions(simulation, &bar, PIN_ALL, force, moment);
  const double weight = 1000 * (0.016 + 0.008) * 9.81;  // N; volumes of slab and block, m^3
  if (!(fabs(force[2] - weight) <= 1e-4 * weight))
    fail_msg("the pins of the slab carry %.9g N, expected %.9g N", force[2], weight);
  simulation_destroy(simulation);
  mesh_destroy(&block);
  destroy_bar(&bar);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(supports_end_each_step_on_their_motion),
    cmocka_unit_test(a_fast_motion_is_taken_in_parts_and_arrives),
    cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits),
    cmocka_unit_test(supports_may_follow_along_single_axes),
    cmocka_unit_test(pins_without_the_flag_hold_nodes_in_place),
    cmocka_unit_test(a_body_on_a_turning_support_needs_the_centripetal_force),
    cmocka_unit_test(reactions_balance_weight_pressure_and_damping),
    cmocka_unit_test(action_and_reaction_are_equal_in_equilibrium),
    cmocka_unit_test(work_is_energy_and_dissipation),
    cmocka_unit_test(reactions_include_contact),
  };
  return cmocka_run_group_tests_name("supports", tests, NULL, NULL);
}
