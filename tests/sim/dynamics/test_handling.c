// Tests user actions and displayed quantities: pins that are set during the motion, the force of a grab, a floor with
// friction, and fields at nodes. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../sim_testing.h"

#include "mesh/shapes.h"
#include "sim/field/nodal_field.h"
#include "sim/report/tet_stress.h"
#include "sim/force/grabs.h"

static Device device;

static TetMesh make(const char *shape, double x, double y, double z, int cells) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_shape(shape, (double[3]){ x, y, z }, cells, &mesh, &error));
  return mesh;
}

static SimulationSettings settings(Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.mu = 4e3;
  s.lambda = 8e3;
  s.density = 1000;
  s.dt = 1.0 / 120;
  s.newton_relative = precision == PRECISION_F64 ? 1e-8 : 1e-4;
  return s;
}

static void run(Simulation *simulation, int steps) {
  Error error = { 0 };
  StepReport report;
  for (int k = 0; k < steps; k++) {
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.min_J > 0);
  }
}

// A soft ball falls and bounces. After 30 steps its heights must agree with those in double on the CPU. The ball must
// not sink deep into the floor, and must not gain energy.
static void ball_bounces(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = make("sphere", 0.5, 0.5, 0.5, 6);
  double low[3], high[3];
  mesh_bounds(&mesh, low, high);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count),
  (*reference)[3] = malloc(sizeof *x * (size_t)mesh.node_count);

  // round 0 computes the reference, in double on the CPU
  for (int round = 0; round < 3; round++) {
    SimulationSettings s = settings(round == 1 ? PRECISION_F32 : PRECISION_F64);
    if (round == 0) s.device = DEVICE_CPU;
    s.integrator = INTEGRATOR_MIDPOINT;
    s.newton_relative = round == 1 ? 1e-6 : 1e-10;
    s.gravity[2] = -9.81;
    s.has_floor = true;
    s.floor_height = low[2] - 0.1;
    Simulation *simulation;
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    Energy energy;
    MUST(simulation_energy(simulation, &energy, &error));
    const double at_rest = energy.kinetic + energy.elastic + energy.potential;
    double lowest = HUGE_VAL, rebound = -HUGE_VAL, gained = 0, falling = 0;
    for (int k = 0; k < 60; k++) {
      run(simulation, 1);
      MUST(simulation_energy(simulation, &energy, &error));
      MUST(simulation_state(simulation, x, NULL, &error));
      falling = fmin(falling, energy.linear[2]);
      rebound = fmax(rebound, energy.linear[2]);
      gained = fmax(gained, energy.kinetic + energy.elastic + energy.potential - at_rest);
      for (int a = 0; a < mesh.node_count; a++) lowest = fmin(lowest, x[a][2] - s.floor_height);
      if (k == 29 && round == 0) memcpy(reference, x, sizeof *x * (size_t)mesh.node_count);
      double difference = 0;
      for (int a = 0; k == 29 && a < mesh.node_count; a++)
        difference = fmax(difference, fabs(x[a][2] - reference[a][2]));

      // bounds on the difference from the reference, since the collision amplifies rounding errors
      assert_true(difference <= (round == 1 ? 1e-3 : 1e-6));
    }
    printf("  %s on %s: sinks in by %.4f m, gains %.3g J (squared momentum %.3g), momentum %.3g, then %.3g kg m/s\n",
           precision_name(s.precision), device_name(s.device), -lowest, gained, falling * falling, falling, rebound);
    assert_true(falling < -50 && rebound > 0.3 * -falling);
    assert_true(lowest < 0 && lowest > -0.03);  // m, height of the lowest node above the floor
    // 1e-3 of the kinetic energy p^2 / (2 m), with m = 65 kg
    assert_true(gained < 1e-3 * falling * falling / (2 * 65));
    simulation_destroy(simulation);
  }

  free(x);
  free(reference);
  mesh_destroy(&mesh);
}

// A sliding block decelerates by friction * g until it stops.
static void block_slides_and_stops(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = make("box", 0.4, 0.3, 0.1, 2);
  const double mass = 12, speed = 1.5, friction = 0.4;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    SimulationSettings s = settings((Precision)precision);
    s.mu = 4e5;
    s.lambda = 8e5;
    s.gravity[2] = -9.81;
    s.has_floor = true;
    s.floor_height = 0;
    s.friction = friction;
    Simulation *simulation;
    Energy energy, then;
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));

    // strong damping first removes the vibration of the block on the floor
    s.damping = 30;
    MUST(simulation_adjust(simulation, &s, &error));
    run(simulation, 200);
    s.damping = 0;
    MUST(simulation_adjust(simulation, &s, &error));
    throw_body(simulation, &mesh, (double[3]){ speed, 0, 0 });
    run(simulation, 6);
    MUST(simulation_energy(simulation, &energy, &error));
    run(simulation, 30);
    MUST(simulation_energy(simulation, &then, &error));
    const double slowed = (energy.linear[0] - then.linear[0]) / mass / (30 * s.dt);
    run(simulation, 80);
    MUST(simulation_energy(simulation, &then, &error));
    printf("  %s: deceleration %.3f m/s^2, friction * g %.3f m/s^2; final speed %.4f m/s\n",
           precision_name(s.precision), slowed, friction * 9.81, then.linear[0] / mass);
    assert_true(fabs(slowed / (friction * 9.81) - 1) < 0.15);
    assert_true(fabs(then.linear[0] / mass) < 0.05 * speed);
    simulation_destroy(simulation);
  }
  mesh_destroy(&mesh);
}

// Pulls a body for one second by a grab with a moving target, in `steps` steps. Returns the x coordinate of a node, m.
static double pulled_to(const TetMesh *mesh, int steps) {
  Error error = { 0 };
  SimulationSettings s = settings(PRECISION_F64);
  s.dt = 1.0 / steps;
  s.newton_relative = 1e-9;
  s.cg_relative = 1e-9;
  uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh->node_count), far[3] = { 0.1, 0.1, 0.4 };
  for (int a = 0; a < mesh->node_count; a++) pinned[a] = mesh->X[a][2] < 1e-9 ? PIN_ALL : 0;
  Simulation *simulation;
  int id;
  MUST(simulation_create(&simulation, mesh, &s, pinned, &error));
  MUST(simulation_grab(simulation, far, 0.08, 200, &id, &error));
  for (int k = 1; k <= steps; k++) {
    // displacement of the target, as a fraction of 0.1 m; its initial speed is zero
    const double t = (double)k / steps, displacement = sin(3 * t) * sin(3 * t);
    MUST(simulation_drag(simulation, id, (double[3]){ 0.1 * displacement, 0, 0 }, &error));
    run(simulation, 1);
  }

  MUST(simulation_state(simulation, x, NULL, &error));
  const double at = x[mesh_nearest_node(mesh, far)][0];
  simulation_destroy(simulation);
  free(pinned);
  free(x);
  return at;
}

// A step evaluates the moving target of a grab at the same time as all other forces. So the time integration stays of
// second order: halving dt divides the error by 4.
static void a_moving_target_is_of_second_order(void **state) {
  (void)state;
  TetMesh mesh = make("box", 0.2, 0.2, 0.4, 1);
  const double at[3] = { pulled_to(&mesh, 60), pulled_to(&mesh, 120), pulled_to(&mesh, 240) };
  const double ratio = (at[0] - at[1]) / (at[1] - at[2]);
  printf("  %.6f, %.6f, %.6f m: halving dt divides the error by %.2f\n", at[0], at[1], at[2], ratio);
  assert_true(ratio > 3.3 && ratio < 4.7);
  mesh_destroy(&mesh);
}

// Targets of single nodes need a grab without springs. The message names the reason: no grab, or a grab with springs.
static void targets_of_single_nodes_need_a_grab_without_springs(void **state) {
  (void)state;
  const int node = 0;
  TetMesh mesh = make("box", 0.2, 0.2, 0.4, 1);
  const double x[1][3] = { { mesh.X[0][0], mesh.X[0][1], mesh.X[0][2] } };
  SimulationSettings s = settings(PRECISION_F32);
  Simulation *simulation;
  Error error = { 0 };
  int id;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_grab(simulation, x[0], 0.08, 200, &id, &error));
  assert_false(simulation_drag_nodes(simulation, id, &node, 1, x, &error));
  assert_non_null(strstr(error.message, "springs pull this group of nodes"));
  error = (Error){ 0 };
  MUST(simulation_release(simulation, id, &error));
  assert_false(simulation_drag_nodes(simulation, id, &node, 1, x, &error));
  assert_non_null(strstr(error.message, "no group of nodes (a grab) has the number 1"));
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

// Pins are set and released during the motion. A pinned node must stay at the position where it was pinned, to the bit.
static void pins_hold_nodes_at_their_present_position(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = make("box", 0.2, 0.2, 1, 2);
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  const size_t bytes = sizeof(double[3]) * (size_t)mesh.node_count;
  double(*caught)[3] = malloc(bytes), (*x)[3] = malloc(bytes);
  SimulationSettings s = settings(PRECISION_F32);
  s.gravity[0] = 9.81;
  Simulation *simulation;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  run(simulation, 10);
  for (int a = 0; a < mesh.node_count; a++) pinned[a] = mesh.X[a][2] < 0.1 ? PIN_ALL : 0;
  MUST(simulation_set_pins(simulation, pinned, &error));
  MUST(simulation_state(simulation, caught, NULL, &error));
  run(simulation, 20);
  MUST(simulation_state(simulation, x, NULL, &error));
  double moved = 0;
  for (int a = 0; a < mesh.node_count; a++) {
    if (pinned[a]) assert_memory_equal(x[a], caught[a], sizeof *x);
    if (mesh.X[a][2] > 0.95) moved = fmax(moved, x[a][0] - caught[a][0]);
  }
  assert_true(caught[0][0] - mesh.X[0][0] > 0.01 && moved > 0.05);
  MUST(simulation_set_pins(simulation, NULL, &error));
  run(simulation, 20);
  double left = HUGE_VAL;
  MUST(simulation_state(simulation, x, NULL, &error));
  for (int a = 0; a < mesh.node_count; a++)
    if (pinned[a]) left = fmin(left, x[a][0] - caught[a][0]);
  assert_true(left > 0.01);
  simulation_destroy(simulation);
  free(pinned);
  free(caught);
  free(x);
  mesh_destroy(&mesh);
}

// A body hangs from a grab, whose force must equal the body's weight.
// A free body without gravity: the impulse of the grab, which has springs and dampers, is the body's momentum.
static void grab_forces_change_the_momentum(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = make("box", 0.2, 0.2, 0.4, 2);
  SimulationSettings s = settings(PRECISION_F64);
  s.mu = 4e4;
  s.lambda = 8e4;
  s.gravity[2] = 0;
  s.damping = 0;
  s.integrator = INTEGRATOR_EULER;
  s.newton_relative = 1e-10;
  s.cg_relative = 1e-6;
  Simulation *simulation;
  Energy energy;
  double impulse[3] = { 0 }, springs = 0;
  int id;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_grab(simulation, (double[3]){ 0.1, 0.1, 0.4 }, 0.12, 5e3, &id, &error));
  for (int step = 1; step <= 20; step++) {
    double force[3], of_springs[3];
    MUST(simulation_drag(simulation, id, (double[3]){ 0.002 * step, 0.001 * step, 0.003 * step }, &error));
    run(simulation, 1);
    MUST(simulation_grab_force(simulation, id, true, force, &error));
    MUST(simulation_grab_force(simulation, id, false, of_springs, &error));
    for (int i = 0; i < 3; i++) impulse[i] += s.dt * force[i];
    springs += s.dt * of_springs[2];
  }

  MUST(simulation_energy(simulation, &energy, &error));
  for (int i = 0; i < 3; i++)
    if (!(fabs(impulse[i] - energy.linear[i]) <= 1e-7 * fabs(energy.linear[2])))
      fail_msg("axis %d: impulse %.9g, momentum %.9g kg m/s", i, impulse[i], energy.linear[i]);
  assert_true(springs > 1.05 * impulse[2]);  // dampers matter
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

static void grab_carries_the_weight(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = make("box", 0.2, 0.2, 0.4, 2);
  SimulationSettings s = settings(PRECISION_F64);
  s.mu = 4e4;
  s.lambda = 8e4;
  s.gravity[2] = -9.81;
  s.damping = 20;
  Simulation *simulation;
  double force[3], nothing[3];
  int id;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_grab(simulation, (double[3]){ 0.1, 0.1, 0.4 }, 0.12, 5e3, &id, &error));
  run(simulation, 1500);
  MUST(simulation_grab_force(simulation, id, true, force, &error));
  printf("  force of the grab %g N, weight of the body %g N\n", force[2], 0.016 * 1000 * 9.81);
  assert_true(fabs(force[2] / (0.016 * 1000 * 9.81) - 1) < 1e-3 && fabs(force[0]) + fabs(force[1]) < 0.2);
  MUST(simulation_grab_force(simulation, id + 1, true, nothing, &error));
  assert_true(nothing[0] == 0 && nothing[1] == 0 && nothing[2] == 0);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

// Moves the target of a grab several times while the device is busy. Each move updates the list of the grab's springs.
// The host must not wait for the device, and the device must receive the new values.
static void a_drag_does_not_wait_for_the_device(void **state) {
  (void)state;
  enum { MOVES = 5, COPIES = 60 };
  Error error = { 0 };
  TetMesh mesh = make("box", 1, 1, 1, 8);
  Space space = { 0 };
  MUST(space_create(&space, &mesh, 3, &error));
  const int n = space.node_count;
  double *mass = malloc(sizeof *mass * (size_t)n), (*u)[3] = calloc((size_t)n, sizeof *u);
  for (int a = 0; a < n; a++) mass[a] = 1;
  Stream stream;
  Grabs grabs;
  int id, count;
  MUST(stream_create(device, &stream, &error));
  MUST(grabs_create(&grabs, device, n, &error));
  MUST(grabs_add(&grabs, &space, mass, (const double(*)[3])u, (double[3]){ 0.5, 0.5, 1 }, 0.6, -1, 7, &id, &error));
  MUST(grabs_list(&grabs, 1, stream, &count, &error));  // allocates memory, and therefore waits for the device
  assert_true(count > 20);
  const size_t value_bytes = sizeof(double[SPRING_VALUES]) * (size_t)count, node_bytes = sizeof(int) * (size_t)count;
  const size_t busy_bytes = device == DEVICE_CUDA ? (size_t)256 << 20 : 4096;
  char *busy = device_alloc(device, 2 * busy_bytes, &error);
  double(*kept)[SPRING_VALUES] = device_alloc(device, MOVES * value_bytes, &error);
  int *nodes = device_alloc(device, MOVES * node_bytes, &error);
  assert_true(busy && kept && nodes);
  for (int move = 0; move < MOVES; move++) {
    bool done = false;

    // some 10 ms of work on an H100
    for (int k = 0; k < COPIES; k++) MUST(device_copy(stream, busy, busy + busy_bytes, busy_bytes, &error));
    grabs_move(&grabs, id, (double[3]){ 1.0 + move, 0, 0.5 * move });
    MUST(grabs_list(&grabs, 1, stream, &count, &error));
    if (device == DEVICE_CUDA) {
      MUST(stream_done(stream, &done, &error));
      assert_false(done);
    }
    MUST(device_copy(stream, kept + move * count, grabs.list.value_dev, value_bytes, &error));
    MUST(device_copy(stream, nodes + move * count, grabs.list.node_dev, node_bytes, &error));
  }

  double(*value)[SPRING_VALUES] = malloc(MOVES * value_bytes);
  int *node = malloc(MOVES * node_bytes);
  MUST(device_download(stream, value, kept, MOVES * value_bytes, &error));
  MUST(device_download(stream, node, nodes, MOVES * node_bytes, &error));
  MUST(stream_sync(stream, &error));
  for (int move = 0; move < MOVES; move++) {
    double spring = 0, pull[3] = { 0 };
    for (int k = move * count; k < (move + 1) * count; k++) {
      assert_int_equal(node[k], grabs.grab[0].node[k % count]);
      spring += value[k][0];
      for (int i = 0; i < 3; i++) pull[i] += value[k][2 + i];
    }

    // the weights of the springs add up to 1 and the stiffness is 7; the targets start at the nodes' positions
    assert_true(fabs(spring - 7) < 1e-12 && fabs(pull[0] - 7 * (1.0 + move)) < 1e-11);
    assert_true(pull[1] == 0 && fabs(pull[2] - 7 * 0.5 * move) < 1e-11);
  }

  device_free(device, busy);
  device_free(device, kept);
  device_free(device, nodes);
  grabs_destroy(&grabs);
  stream_destroy(&stream);
  space_destroy(&space);
  free(value);
  free(node);
  free(mass);
  free(u);
  mesh_destroy(&mesh);
}

// The largest principal stress is the largest root s of det(sigma - s) = 0, for random stresses and for double and
// triple roots.
static void largest_principal_stress_is_an_eigenvalue(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int round = 0; round < 200; round++) {
    double t[6];
    for (int k = 0; k < 6; k++) t[k] = 100 * random_unit(&seed) * (round % 3 == 1 && k >= 3 ? 0 : 1);
    if (round % 5 == 0) t[1] = t[0];
    if (round == 7) {
      t[0] = t[1] = t[2] = 40;
      t[3] = t[4] = t[5] = 0;
    }
    const double s = largest_principal(t), a = t[0] - s, b = t[1] - s, c = t[2] - s;
    const double det = a * (b * c - t[4] * t[4]) - t[3] * (t[3] * c - t[4] * t[5]) + t[5] * (t[3] * t[4] - b * t[5]);
    assert_true(fabs(det) < 1e-5 * 1e6);

    // sigma - s must be negative semidefinite: then no eigenvalue is larger than s
    assert_true(a < 1e-6 && b < 1e-6 && c < 1e-6);
    assert_true(a * b - t[3] * t[3] > -1e-3 && b * c - t[4] * t[4] > -1e-3 && a * c - t[5] * t[5] > -1e-3);
  }
  assert_true(fabs(von_mises((double[6]){ 7, 0, 0, 0, 0, 0 }) - 7) < 1e-12);
  assert_true(fabs(largest_principal((double[6]){ -3, -5, -4, 0, 0, 0 }) + 3) < 1e-9);
}

// Each value of a nodal field is an average over the node's tets, weighted by volume, of stress or det F. The test
// computes these averages in double. Fields use the node numbers of the mesh, whatever the internal order.
static void fields_are_averages_of_tets(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = make("sphere", 1, 1.2, 0.9, 5);
  mesh.stiffness = malloc(sizeof(double) * (size_t)mesh.tet_count);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count), (*u)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  double *sum = malloc(sizeof *sum * (size_t)mesh.node_count), *volume = malloc(sizeof *sum * (size_t)mesh.node_count);
  uint64_t seed = 5;
  for (int e = 0; e < mesh.tet_count; e++) mesh.stiffness[e] = (float)(2 + random_unit(&seed));
  for (int a = 0; a < mesh.node_count; a++) {
    const double *X = mesh.X[a];
    const double bent[3] = { 0.2 * X[2] * X[2] + 0.1 * X[1], 0.1 * X[0], 0.15 * X[2] - 0.1 * X[0] };
    for (int i = 0; i < 3; i++) {
      u[a][i] = (float)(bent[i] + 0.01 * random_unit(&seed));
      x[a][i] = X[i] + u[a][i];
    }
  }

  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    SimulationSettings s = settings((Precision)precision);
    Simulation *simulation;
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
    const size_t count = (size_t)mesh.node_count + FIELD_EXTRA;
    float *values = malloc(sizeof *values * count);
    float *memory = device_alloc(device, sizeof *values * count, &error);
    assert_non_null(memory);
    for (int kind = FIELD_VON_MISES; kind <= FIELD_J; kind++) {
      MUST(simulation_write_field(simulation, (FieldKind)kind, memory, &error));
      MUST(device_download(simulation_stream(simulation), values, memory, sizeof *values * count, &error));
      MUST(stream_sync(simulation_stream(simulation), &error));
      for (int a = 0; a < mesh.node_count; a++) sum[a] = volume[a] = 0;
      for (int e = 0; e < mesh.tet_count; e++) {
        double sigma[6];
        const double V = mesh_tet_volume(&mesh, e);
        const double J = tet_cauchy_stress(&mesh, (const double(*)[3])u, e, &s, sigma);
        const double f = kind == FIELD_J ? J : kind == FIELD_VON_MISES ? von_mises(sigma) : largest_principal(sigma);
        assert_true(J > 0);
        for (int a = 0; a < 4; a++) {
          sum[mesh.tet[e][a]] += V * f;
          volume[mesh.tet[e][a]] += V;
        }
      }
      double difference = 0, largest = 0, low = HUGE_VAL, high = -HUGE_VAL;
      for (int a = 0; a < mesh.node_count; a++) {
        const double right = sum[a] / volume[a];
        difference = fmax(difference, fabs(values[a] - right));
        largest = fmax(largest, fabs(right));
        low = fmin(low, values[a]);
        high = fmax(high, values[a]);
      }
      printf("  %s, field %d: error %.2e, largest value %.4g\n", precision_name(s.precision), kind, difference,
             largest);
      assert_true(largest > 0.5 && difference <= (precision == PRECISION_F32 ? 3e-5 : 2e-7) * largest);
      const float *extra = values + mesh.node_count;
      double mean = 0, squares = 0;
      for (int a = 0; a < mesh.node_count; a++) mean += values[a] / (double)mesh.node_count;
      for (int a = 0; a < mesh.node_count; a++) squares += (values[a] - mean) * (values[a] - mean);
      assert_true(extra[FIELD_SMALLEST] == (float)low && extra[FIELD_LARGEST] == (float)high && high > low);
      assert_true(fabs(extra[FIELD_MEAN] - mean) < 1e-5 * largest);
      assert_true(fabs(extra[FIELD_SPREAD] - sqrt(squares / mesh.node_count)) < 1e-5 * largest);
    }
    device_free(device, memory);
    free(values);
    simulation_destroy(simulation);
  }

  free(x);
  free(u);
  free(sum);
  free(volume);
  mesh_destroy(&mesh);
}

// The displayed velocities are the momenta divided by the masses, and zero at pinned nodes. The displayed force at a
// node is its weight plus its load and, if it is below the floor, the force of the floor. Both fields use the node
// numbers of the mesh.
static void vectors_are_those_of_the_state(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = make("sphere", 1, 1.2, 0.9, 5);
  const int n = mesh.node_count;
  const size_t bytes = sizeof(float[3]) * (size_t)n;
  double low[3], high[3], *mass = malloc(sizeof *mass * (size_t)n);
  double(*p)[3] = malloc(sizeof *p * (size_t)n), (*load)[3] = malloc(sizeof *load * (size_t)n);
  float(*v)[3] = malloc(bytes);
  uint8_t *pinned = calloc((size_t)n, 1);
  uint64_t seed = 9;
  mesh_bounds(&mesh, low, high);
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    SimulationSettings s = settings((Precision)precision);
    Simulation *simulation;
    s.gravity[2] = -9.81;
    s.has_floor = true;
    s.floor_height = low[2] + 0.2 * (high[2] - low[2]);
    mesh_lumped_mass(&mesh, s.density, mass);
    for (int a = 0; a < n; a++) {
      pinned[a] = mesh.X[a][2] > 0.8 * high[2] ? PIN_ALL : 0;
      for (int i = 0; i < 3; i++) {
        load[a][i] = random_unit(&seed);
        p[a][i] = pinned[a] ? 0 : mass[a] * random_unit(&seed);
      }
    }
    MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
    MUST(simulation_set_load(simulation, (const double(*)[3])load, &error));
    MUST(simulation_set_state(simulation, (const double(*)[3])mesh.X, (const double(*)[3])p, &error));
    float *memory = device_alloc(device, bytes, &error);
    assert_non_null(memory);
    int below = 0, above = 0, held = 0;
    for (int kind = VECTORS_VELOCITY; kind <= VECTORS_FORCE; kind++) {
      MUST(simulation_write_vectors(simulation, (VectorKind)kind, memory, &error));
      MUST(device_download(simulation_stream(simulation), v, memory, bytes, &error));
      MUST(stream_sync(simulation_stream(simulation), &error));
      for (int a = 0; a < n; a++) {
        const bool sinks = mesh.X[a][2]<s.floor_height - 1e-6, free = mesh.X[a][2]> s.floor_height + 1e-6;
        for (int i = 0; i < 3; i++) {
          const double weight = mass[a] * s.gravity[i] + load[a][i];
          const double right = kind == VECTORS_VELOCITY ? p[a][i] / mass[a] : weight;

          // the floor pushes only nodes that are below the floor
          if (kind == VECTORS_FORCE && i == 2 && sinks) {
            assert_true(v[a][i] > weight);
            below++;
          } else if (kind == VECTORS_VELOCITY || free) {
            assert_true(fabs(v[a][i] - right) < 2e-5 * (1 + fabs(right)));
            above++;
          }
          held += kind == VECTORS_VELOCITY && pinned[a] && v[a][i] == 0;
        }
      }
    }
    assert_true(below > 5 && above > 3 * n && held > 10);
    device_free(device, memory);
    simulation_destroy(simulation);
  }

  free(mass);
  free(p);
  free(load);
  free(v);
  free(pinned);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ball_bounces),
    cmocka_unit_test(block_slides_and_stops),
    cmocka_unit_test(a_moving_target_is_of_second_order),
    cmocka_unit_test(targets_of_single_nodes_need_a_grab_without_springs),
    cmocka_unit_test(pins_hold_nodes_at_their_present_position),
    cmocka_unit_test(grab_forces_change_the_momentum),
    cmocka_unit_test(grab_carries_the_weight),
    cmocka_unit_test(a_drag_does_not_wait_for_the_device),
    cmocka_unit_test(largest_principal_stress_is_an_eigenvalue),
    cmocka_unit_test(fields_are_averages_of_tets),
    cmocka_unit_test(vectors_are_those_of_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
