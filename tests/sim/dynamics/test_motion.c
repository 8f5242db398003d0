// Tests whole time steps: the order of convergence of Newton's method, conservation of momenta, and results that repeat
// bit for bit. No motion of the mouse may invert a tet. argv[1]: the device; argv[2]: a pattern for the names of the
// tests to run.
#include "../sim_testing.h"

#include "base/parallel.h"
#include "scene/session.h"

static Device device;

static TetMesh beam(void) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  const double size[3] = { 0.2, 0.3, 1 };
  MUST(mesh_make_box(2, 3, 10, size, &mesh, &error));
  return mesh;
}

static uint8_t *pin_below(const TetMesh *mesh, double z) {
  uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
  for (int a = 0; a < mesh->node_count; a++) pinned[a] = mesh->X[a][2] < z;
  return pinned;
}

// Sets a load on the nodes at the upper end of the beam: the mass of each node times `acceleration`, m/s^2.
static void push(Simulation *simulation, const TetMesh *mesh, const double acceleration[3]) {
  Error error = { 0 };
  double *mass = malloc(sizeof *mass * (size_t)mesh->node_count);
  double(*force)[3] = calloc((size_t)mesh->node_count, sizeof *force);
  mesh_lumped_mass(mesh, simulation_settings(simulation)->density, mass);
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) force[a][i] = mesh->X[a][2] > 0.8 ? mass[a] * acceleration[i] : 0;
  MUST(simulation_set_load(simulation, (const double(*)[3])force, &error));
  free(mass);
  free(force);
}

static SimulationSettings settings(Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.mu = 5;
  s.lambda = 2;
  s.density = 1;
  s.dt = 0.05;
  return s;
}

static void newton_converges_quadratically(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  uint8_t *pinned = pin_below(&mesh, 0.05);
  double residual[8];
  int count = 0;

  // computes the first step several times, stopped after 1, 2, ... 6 Newton iterations
  for (int iterations = 1; iterations <= 6; iterations++) {
    SimulationSettings s = settings(PRECISION_F64);
    s.dt = 0.2;
    s.newton = NEWTON_PLAIN;
    s.newton_max = iterations;
    s.newton_relative = 1e-14;
    s.cg_relative = 1e-14;
    Simulation *simulation;
    StepReport report;
    MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
    push(simulation, &mesh, (double[3]){ 6, 2, 0 });
    MUST(simulation_step(simulation, &report, &error));
    printf("  after %d iterations: residual %.3e\n", report.newton_iterations, report.residual);
    if (report.newton_iterations == iterations) residual[count++] = report.residual;
    simulation_destroy(simulation);
  }

  // Convergence must be quadratic: above rounding errors, each residual is about a constant times the square of the
  // previous one.
  assert_true(count >= 4);
  int checked = 0;
  for (int k = 1; k + 1 < count && residual[k + 1] > 1e-15; k++, checked++) {
    const double order = log(residual[k + 1] / residual[k]) / log(residual[k] / residual[k - 1]);
    printf("  order %.2f\n", order);
    assert_true(order > 1.7);
  }

  assert_true(checked >= 1);
  free(pinned);
  mesh_destroy(&mesh);
}

static double length3(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// A force off the axis pushes a free body for five steps. The body then moves, rotates and vibrates without forces, and
// must conserve its linear and angular momenta.
static void free_body_keeps_its_momenta(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    SimulationSettings s = settings((Precision)precision);
    const bool exact = precision == PRECISION_F64;
    s.newton_relative = exact ? 1e-10 : 1e-5;
    s.cg_relative = exact ? 1e-8 : 1e-4;
    Simulation *simulation;
    StepReport report;
    Energy first, last = { 0 };
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    push(simulation, &mesh, (double[3]){ 4, 2, 1 });
    for (int k = 0; k < 5; k++) MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_set_load(simulation, NULL, &error));
    MUST(simulation_energy(simulation, &first, &error));
    double linear = 0, angular = 0, allowed = 0, energy_low = HUGE_VAL, energy_high = 0;
    for (int k = 0; k < 600; k++) {
      MUST(simulation_step(simulation, &report, &error));
      assert_true(report.converged);
      MUST(simulation_energy(simulation, &last, &error));
      allowed += report.tolerance;
      energy_low = fmin(energy_low, last.kinetic + last.elastic);
      energy_high = fmax(energy_high, last.kinetic + last.elastic);
      double dl[3], da[3];
      for (int i = 0; i < 3; i++) {
        dl[i] = last.linear[i] - first.linear[i];
        da[i] = last.angular[i] - first.angular[i];
      }
      linear = fmax(linear, length3(dl));
      angular = fmax(angular, length3(da));
    }
    printf("  %s: momentum changes by %.3e of %.3e kg m/s, angular by %.3e of %.3e kg m^2/s, energy %.6e to %.6e J\n",
           precision_name((Precision)precision), linear, length3(first.linear), angular, length3(first.angular),
           energy_low, energy_high);
    assert_true(length3(first.angular) > 1e-4);

    // Each step may leave a residual whose norm is Newton's tolerance. This residual changes the momentum by its sum
    // over the nodes, which is at most the tolerance times the square root of the number of nodes. It changes the
    // angular momentum by at most this sum times `distance`, an upper bound on the distance of a node from the origin.
    // It is 1 m plus the path of the body in 50 s at its speed, momentum / 0.06 kg; the run simulates only 30 s.
    const double nodes = sqrt(mesh.node_count), distance = length3(first.linear) / 0.06 * 50 + 1;
    assert_true(linear <= allowed * nodes);
    assert_true(angular <= allowed * nodes * distance);
    if (exact) assert_true(linear <= 1e-9 * length3(first.linear) && angular <= 1e-6 * length3(first.angular));
    assert_true(energy_high < 1.2 * energy_low);  // with the midpoint rule the energy oscillates without drift
    simulation_destroy(simulation);
  }
  mesh_destroy(&mesh);
}

// Compares a free body's momentum after ten steps with the integrator's formula, with and without damping.
static void damping_removes_momentum_by_the_formula(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  for (int euler = 0; euler < 2; euler++)
    for (double damping = 0; damping <= 5; damping += 5) {
      SimulationSettings s = settings(PRECISION_F64);
      s.integrator = euler ? INTEGRATOR_EULER : INTEGRATOR_MIDPOINT;
      s.damping = damping;
      s.newton_relative = 1e-12;
      const double lost = damping * s.dt;
      const double kept = euler ? 1 / (1 + lost) : (1 - lost / 2) / (1 + lost / 2);
      Simulation *simulation;
      StepReport report;
      Energy first, energy;
      MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
      throw_body(simulation, &mesh, (double[3]){ 1, 2, -3 });
      MUST(simulation_energy(simulation, &first, &error));
      for (int k = 0; k < 10; k++) MUST(simulation_step(simulation, &report, &error));
      MUST(simulation_energy(simulation, &energy, &error));
      for (int i = 0; i < 3; i++)
        if (!(fabs(energy.linear[i] / first.linear[i] / pow(kept, 10) - 1) < 1e-9))
          fail_msg("%s, damping %g: momentum %g of %g, expected %g", euler ? "euler" : "midpoint", damping,
                   energy.linear[i], first.linear[i], first.linear[i] * pow(kept, 10));
      simulation_destroy(simulation);
    }
  mesh_destroy(&mesh);
}

// The tangent includes the springs of a grab. So Newton's method needs few iterations, also if the grab is stiff.
static void stiff_grab_takes_few_iterations(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  SimulationSettings s = settings(PRECISION_F64);
  s.newton = NEWTON_PLAIN;
  s.newton_relative = 1e-9;
  s.cg_relative = 1e-10;
  for (double stiffer = 1; stiffer <= 1e4; stiffer *= 100) {
    Simulation *simulation;
    StepReport report;
    int id;
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    const double stiffness = stiffer * simulation_mouse_stiffness(simulation, -1);
    MUST(simulation_grab(simulation, (double[3]){ 0.1, 0.15, 1 }, 0.2, stiffness, &id, &error));
    MUST(simulation_drag(simulation, id, (double[3]){ 0.02, 0.01, 0 }, &error));
    MUST(simulation_step(simulation, &report, &error));
    printf("  a spring of %.3g N/m: %d iterations\n", stiffness, report.newton_iterations);
    assert_true(report.converged);
    assert_in_range(report.newton_iterations, 1, 8);
    simulation_destroy(simulation);
  }
  mesh_destroy(&mesh);
}

// A beam of 0.06 kg (0.2 x 0.3 x 1 m, 1 kg/m^3) falls freely. Its nodes fall by g t^2 / 2, which the midpoint rule
// computes exactly. It is not deformed, so it has no elastic energy.
static void gravity_makes_a_parabola(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  SimulationSettings s = settings(PRECISION_F64);
  s.gravity[2] = -9.81;
  s.newton_relative = 1e-10;
  Simulation *simulation;
  StepReport report;
  Energy energy;
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  for (int k = 0; k < 20; k++) MUST(simulation_step(simulation, &report, &error));
  MUST(simulation_state(simulation, x, NULL, &error));
  MUST(simulation_energy(simulation, &energy, &error));
  const double t = simulation_time(simulation);
  for (int a = 0; a < mesh.node_count; a++) assert_true(fabs(x[a][2] - mesh.X[a][2] + 9.81 / 2 * t * t) < 1e-9);
  assert_true(fabs(energy.linear[2] + 0.06 * 9.81 * t) < 1e-9);
  assert_true(energy.elastic < 1e-15);
  free(x);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

// Simulates a beam that is pinned at its bottom, loaded at its top and dragged by a grab. x [node_count] receives the
// final positions, m.
static void run_wobble(const TetMesh *mesh, SimulationSettings s, int steps, double (*x)[3]) {
  Error error = { 0 };
  uint8_t *pinned = pin_below(mesh, 0.05);
  Simulation *simulation;
  StepReport report;
  int id;
  MUST(simulation_create(&simulation, mesh, &s, pinned, &error));
  push(simulation, mesh, (double[3]){ 3, 1, 0 });
  MUST(simulation_grab(simulation, (double[3]){ 0.1, 0.15, 1 }, 0.2, simulation_mouse_stiffness(simulation, -1), &id,
                       &error));
  for (int k = 0; k < steps; k++) {
    MUST(simulation_drag(simulation, id, (double[3]){ 0.3 * sin(0.3 * k), 0.1, 0 }, &error));
    MUST(simulation_step(simulation, &report, &error));
  }
  MUST(simulation_state(simulation, x, NULL, &error));
  simulation_destroy(simulation);
  free(pinned);
}

static void same_run_gives_the_same_bits(void **state) {
  (void)state;
  TetMesh mesh = beam();
  const size_t bytes = sizeof(double[3]) * (size_t)mesh.node_count;
  double(*x)[3] = malloc(bytes), (*again)[3] = malloc(bytes);
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    run_wobble(&mesh, settings((Precision)precision), 40, x);
    run_wobble(&mesh, settings((Precision)precision), 40, again);
    assert_memory_equal(x, again, bytes);
  }
  free(x);
  free(again);
  mesh_destroy(&mesh);
}

// The motion must have the same bits with any number of threads. The body is so large that each parallel loop has
// several pieces. Three sets of assembly, matrix format and solver are tested.
static void same_bits_with_any_number_of_threads(void **state) {
  (void)state;
  if (device != DEVICE_CPU) skip();
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_box(9, 9, 13, (double[3]){ 0.2, 0.3, 1 }, &mesh, &error));
  const size_t bytes = sizeof(double[3]) * (size_t)mesh.node_count;
  double(*one)[3] = malloc(bytes), (*many)[3] = malloc(bytes);
  static const char *const stages[][3] = { { "cpu_simd", "dbcsr", "fused" },
                                           { "cpu", "dhyb", "dcg" },
                                           { "cpu_opt", "coo", "dcg" } };
  for (int k = 0; k < 3; k++) {
    SimulationSettings s = settings(k == 1 ? PRECISION_F64 : PRECISION_F32);
    strcpy(s.assembly, stages[k][0]);
    strcpy(s.matrix, stages[k][1]);
    strcpy(s.solver, stages[k][2]);
    parallel_set_threads(1);
    run_wobble(&mesh, s, 2, one);
    for (int threads = 2; threads <= 7; threads += 5) {
      parallel_set_threads(threads);
      run_wobble(&mesh, s, 2, many);
      assert_memory_equal(one, many, bytes);
    }
  }

  parallel_set_threads(0);
  free(one);
  free(many);
  mesh_destroy(&mesh);
}

// Pins, forces, grabs and positions use the node numbers of the mesh, whatever the internal order of nodes. The setting
// `supplemental` selects if a tet stores nine or six constants of its rest shape. No order and no choice changes the
// motion.
static void same_motion_in_every_order_and_with_either_supplemental(void **state) {
  (void)state;
  TetMesh mesh = beam();
  const size_t count = 3 * (size_t)mesh.node_count;
  double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
  SimulationSettings s = settings(PRECISION_F64);
  s.order = ORDER_FILE;
  run_wobble(&mesh, s, 20, (double(*)[3])x);
  for (int order = ORDER_METIS; order <= ORDER_BISECTION; order++)
    for (int supplemental = SUPPLEMENTAL_FULL; supplemental <= SUPPLEMENTAL_QR; supplemental++) {
      double difference = 0, moved = 0;
      s.order = (MeshOrder)order;
      s.supplemental = (Supplemental)supplemental;
      run_wobble(&mesh, s, 20, (double(*)[3])y);
      for (size_t i = 0; i < count; i++) {
        difference = fmax(difference, fabs(x[i] - y[i]));
        moved = fmax(moved, fabs(x[i] - mesh.X[i / 3][i % 3]));
      }
      assert_true(moved > 0.05);
      if (!(difference < 1e-7 * moved))
        fail_msg("order %d, supplemental %d: error %g m of %g m", order, supplemental, difference, moved);
    }
  free(x);
  free(y);
  mesh_destroy(&mesh);
}

// Returns the smallest det F over the tets for node positions x [node_count][3].
static double smallest_J(const TetMesh *mesh, const double (*x)[3]) {
  TetMesh moved = *mesh;
  double low = HUGE_VAL;
  moved.X = (double(*)[3])x;
  for (int e = 0; e < mesh->tet_count; e++) {
    const double J = mesh_tet_volume(&moved, e) / mesh_tet_volume(mesh, e);
    if (!(J >= low)) low = J == J ? J : -HUGE_VAL;
  }
  return low;
}

// Moves a fingertip far and fast by a grab, as the mouse does, with the time step of the window. No tet may invert, and
// no value may become NaN. `jumps`: every five steps the target of the grab jumps by up to the size of the hand.
// Otherwise the target moves at the maximum speed that the window allows.
static void shake(bool jumps, int steps) {
  Error error = { 0 };
  static Scene scene;  // Scene and Session are too large for the stack
  static Session session;
  char path[SCENE_PATH_LENGTH];
  asset_path(device == DEVICE_CUDA ? "scenes/hand.json" : "scenes/hand_coarse.json", path);
  MUST(scene_read(&scene, path, &error));
  snprintf(scene.device, sizeof scene.device, "%s", device_name(device));
  scene.simulation.newton = NEWTON_ROBUST;
  scene.simulation.newton_absolute = 0;
  scene.simulation.newton_relative = 1e-3;
  scene.simulation.dt = 1.0 / 60;
  scene.force_count = scene.drag_count = 0;
  MUST(session_create(&session, &scene, &error));
  double(*x)[3] = malloc(sizeof *x * (size_t)session.mesh.node_count), reach = 0, lowest = HUGE_VAL;
  int top = 0, id, halved = 0, damped = 0, unconverged = 0, backtracks = 0, newton = 0;
  for (int a = 0; a < session.mesh.node_count; a++)
    if (session.mesh.X[a][2] > session.mesh.X[top][2]) top = a;
  MUST(simulation_grab(session.simulation, session.mesh.X[top], 0.06,
                       simulation_mouse_stiffness(session.simulation, -1), &id, &error));
  uint64_t seed = 6;
  double offset[3] = { 0 }, goal[3] = { 0 };
  for (int k = 0; k < steps; k++) {
    const double step = jumps ? HUGE_VAL : simulation_mouse_speed(session.simulation, -1) * scene.simulation.dt;
    if (k % (jumps ? 5 : 30) == 0)
      for (int i = 0; i < 3; i++) goal[i] = 0.8 * random_unit(&seed);
    double displacement = 0;
    for (int i = 0; i < 3; i++) displacement += (goal[i] - offset[i]) * (goal[i] - offset[i]);
    for (int i = 0; i < 3; i++) offset[i] += (goal[i] - offset[i]) * fmin(1, step / fmax(sqrt(displacement), 1e-9));
    MUST(simulation_drag(session.simulation, id, offset, &error));
    StepReport report;
    MUST(session_step(&session, &report, &error));
    MUST(simulation_state(session.simulation, x, NULL, &error));
    const double J = smallest_J(&session.mesh, (const double(*)[3])x);
    lowest = fmin(lowest, J);
    halved += report.substeps > 1;
    damped += report.damped > 0;
    unconverged += !report.converged;
    backtracks += report.backtracks;
    newton += report.newton_iterations;
    if (!(J > 0))
      fail_msg("step %d: smallest J %g (newton %d, cg %d, substeps %d)", k + 1, J, report.newton_iterations,
               report.cg_iterations, report.substeps);
    for (int i = 0; i < 3; i++) reach = fmax(reach, fabs(x[top][i] - session.mesh.X[top][i]));
  }

  printf(
      "  the fingertip moved %.3f m; smallest J %.1e, %d steps divided, %d damped, %d not converged, %d backtracks, %d "
      "Newton iterations\n",
      reach, lowest, halved, damped, unconverged, backtracks, newton);
  assert_true(reach > 0.4);  // the fingertip has moved far
  free(x);
  session_destroy(&session);
}

static void shaken_finger_does_not_burst(void **state) {
  (void)state;
  shake(true, device == DEVICE_CUDA ? 300 : 30);
}

// This long test runs only if argv[2] selects it.
static void long_shaken_finger_does_not_burst(void **state) {
  (void)state;
  shake(true, 300);
}

static void finger_shaken_by_the_mouse_does_not_burst(void **state) {
  (void)state;
  shake(false, device == DEVICE_CUDA ? 300 : 150);
}

static void long_finger_shaken_by_the_mouse_does_not_burst(void **state) {
  (void)state;
  shake(false, 300);
}

// With a large dt of 0.2 s, Newton's method succeeds with the setting "robust" and fails with the setting "plain".
static void robust_newton_succeeds_with_steps_too_large_for_plain_newton(void **state) {
  (void)state;
  Error error = { 0 };
  static Scene scene;  // Scene and Session are too large for the stack
  static Session session;
  char path[SCENE_PATH_LENGTH];
  asset_path("scenes/hand_coarse.json", path);
  for (int robust = 0; robust < 2; robust++) {
    MUST(scene_read(&scene, path, &error));
    snprintf(scene.device, sizeof scene.device, "%s", device_name(device));
    scene.simulation.newton = robust ? NEWTON_ROBUST : NEWTON_PLAIN;
    scene.simulation.newton_absolute = 0;
    scene.simulation.newton_relative = 1e-3;
    scene.simulation.dt = 0.2;
    MUST(session_create(&session, &scene, &error));
    double(*x)[3] = malloc(sizeof *x * (size_t)session.mesh.node_count);
    int failed = 0, halved = 0, damped = 0;
    for (int k = 0; k < (device == DEVICE_CUDA ? 25 : 4) && !failed; k++) {
      StepReport report;
      Error why = { 0 };
      failed = !session_step(&session, &report, &why);
      if (failed) printf("  plain, step %d: %s\n", k + 1, why.message);
      halved += report.substeps > 1;
      damped += report.damped > 0;
      MUST(simulation_state(session.simulation, x, NULL, &error));
      const double J = smallest_J(&session.mesh, (const double(*)[3])x);
      if (robust) assert_true(J > 0);
      if (!robust && !(J > 0)) failed = 1;
      assert_true(J == J && J > -HUGE_VAL);  // the state never contains NaN
    }
    printf("  %s: %s, %d steps divided, %d damped\n", robust ? "robust" : "plain", failed ? "failed" : "succeeded",
           halved, damped);
    assert_int_equal(failed, !robust);
    free(x);
    session_destroy(&session);
  }
}

// The default tolerances are relative. A body is scaled by 1024, with 1024^2 times the stiffness and 1024^4 times the
// forces. Its positions, divided by 1024, must have the bits of the unscaled run, since powers of two cause no
// rounding.
static void defaults_do_not_depend_on_units(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  const size_t bytes = sizeof(double[3]) * (size_t)mesh.node_count;
  double(*x[2])[3] = { malloc(bytes), malloc(bytes) };
  int iterations[2] = { 0 };
  for (int large = 0; large < 2; large++) {
    const double factor = large ? 1024 : 1;
    SimulationSettings s = settings(PRECISION_F32);
    s.mu *= factor * factor;
    s.lambda *= factor * factor;
    uint8_t *pinned = pin_below(&mesh, 0.05);
    Simulation *simulation;
    StepReport report;
    TetMesh scaled = mesh;
    scaled.X = malloc(bytes);
    memcpy(scaled.X, mesh.X, bytes);
    mesh_scale(&scaled, factor);
    MUST(simulation_create(&simulation, &scaled, &s, pinned, &error));
    double(*force)[3] = calloc((size_t)mesh.node_count, sizeof *force);
    for (int a = 0; a < mesh.node_count; a++) force[a][0] = mesh.X[a][2] > 0.8 ? 0.001 * pow(factor, 4) : 0;
    MUST(simulation_set_load(simulation, (const double(*)[3])force, &error));
    for (int k = 0; k < 20; k++) {
      MUST(simulation_step(simulation, &report, &error));
      assert_true(report.converged && report.substeps == 1);
      iterations[large] += report.newton_iterations + 1000 * report.cg_iterations;
    }
    MUST(simulation_state(simulation, x[large], NULL, &error));
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) x[large][a][i] /= factor;
    simulation_destroy(simulation);
    free(force);
    free(scaled.X);
    free(pinned);
  }

  assert_int_equal(iterations[0], iterations[1]);
  assert_true(fabs(x[0][mesh.node_count - 1][0] - mesh.X[mesh.node_count - 1][0]) > 0.01);
  assert_memory_equal(x[0], x[1], bytes);
  free(x[0]);
  free(x[1]);
  mesh_destroy(&mesh);
}

// Settings are changed during the motion of one simulation. Its next steps must have the bits of a second simulation,
// which is created with the changed settings and continues from the same state.
static void adjusted_settings_act_as_initial_ones(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  StepReport report;
  Simulation *changed, *made;
  uint8_t *pinned = pin_below(&mesh, 0.05);
  SimulationSettings first = settings(PRECISION_F32), second = first, bad = first;
  second.mu = 9;
  second.lambda = 30;
  second.dt = 0.02;
  second.damping = 0.4;
  second.gravity[1] = -3;
  second.newton_relative = 1e-6;
  bad.mu = -1;
  MUST(simulation_create(&changed, &mesh, &first, pinned, &error));
  push(changed, &mesh, (double[3]){ 4, 2, 1 });
  for (int k = 0; k < 5; k++) MUST(simulation_step(changed, &report, &error));
  assert_false(simulation_adjust(changed, &bad, &error));
  assert_non_null(strstr(error.message, "mu is -1 Pa"));
  error = (Error){ 0 };

  // copies the state of the first simulation to the second one, bit for bit
  char *bytes;
  size_t size;
  FILE *memory = open_memstream(&bytes, &size);
  MUST(simulation_save(changed, memory, &error));
  fclose(memory);
  MUST(simulation_create(&made, &mesh, &second, pinned, &error));
  push(made, &mesh, (double[3]){ 4, 2, 1 });
  Bytes whole = { .at = (unsigned char *)bytes, .end = (unsigned char *)bytes + size };
  MUST(simulation_restore(made, &whole, &error));
  MUST(simulation_adjust(changed, &second, &error));
  double(*x[2])[3], (*p[2])[3];
  for (int k = 0; k < 2; k++) {
    Simulation *one = k ? made : changed;
    x[k] = malloc(sizeof *x[k] * (size_t)mesh.node_count);
    p[k] = malloc(sizeof *p[k] * (size_t)mesh.node_count);
    for (int s = 0; s < 5; s++) MUST(simulation_step(one, &report, &error));
    MUST(simulation_state(one, x[k], p[k], &error));
  }

  assert_memory_equal(x[0], x[1], sizeof *x[0] * (size_t)mesh.node_count);
  assert_memory_equal(p[0], p[1], sizeof *p[0] * (size_t)mesh.node_count);
  assert_true(fabs(simulation_time(changed) - (5 * 0.05 + 5 * 0.02)) < 1e-12);
  MUST(simulation_reset(changed, &error));
  assert_true(simulation_time(changed) == 0);
  for (int k = 0; k < 2; k++) {
    free(x[k]);
    free(p[k]);
  }
  free(bytes);
  free(pinned);
  simulation_destroy(changed);
  simulation_destroy(made);
  mesh_destroy(&mesh);
}

// Given loads, an array on the simulation's device, act in addition to those of simulation_set_load. So a body moves as
// if all loads were set by simulation_set_load, also after the other loads change, and after the given loads are
// removed. All loads are multiples of 2^-10 N, so their sums have no rounding errors.
static void given_loads_add_to_other_loads(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  const int nodes = mesh.node_count;
  const size_t bytes = 3 * sizeof(double) * (size_t)nodes;
  double(*force)[3] = malloc(bytes), (*given)[3] = malloc(bytes), (*both)[3] = malloc(bytes);
  double(*x[2])[3] = { malloc(bytes), malloc(bytes) };
  float *single = malloc(3 * sizeof *single * (size_t)nodes);
  for (int k = 0; k < 3 * nodes; k++) {
    single[k] = (float)(k % 5) / 1024;
    force[k / 3][k % 3] = k % 7 / 1024.0;
    given[k / 3][k % 3] = single[k];
    both[k / 3][k % 3] = force[k / 3][k % 3] + given[k / 3][k % 3];
  }

  for (int p = PRECISION_F32; p <= PRECISION_F64; p++) {
    Simulation *simulation[2];  // with given loads, and with all loads by simulation_set_load
    StepReport report;
    const SimulationSettings s = settings((Precision)p);
    for (int k = 0; k < 2; k++) MUST(simulation_create(&simulation[k], &mesh, &s, NULL, &error));
    const Precision given_as = p == PRECISION_F32 ? PRECISION_F64 : PRECISION_F32;
    const void *values = given_as == PRECISION_F64 ? (const void *)given : single;
    void *there = device_clone(device, values, given_as == PRECISION_F64 ? bytes : bytes / 2, &error);
    assert_non_null(there);
    for (int part = 0; part < 3; part++) {
      const double(*other)[3] = (const double(*)[3])(part == 1 ? NULL : force);
      const double(*all)[3] = (const double(*)[3])(part == 0 ? both : part == 1 ? given : force);
      if (part == 0) MUST(simulation_give_load(simulation[0], there, given_as, &error));
      if (part == 2) MUST(simulation_give_load(simulation[0], NULL, given_as, &error));
      MUST(simulation_set_load(simulation[0], other, &error));
      MUST(simulation_set_load(simulation[1], all, &error));
      for (int k = 0; k < 2; k++) {
        for (int step = 0; step < 3; step++) MUST(simulation_step(simulation[k], &report, &error));
        MUST(simulation_state(simulation[k], x[k], NULL, &error));
      }
      assert_memory_equal(x[0], x[1], bytes);
      assert_int_equal(simulation_has_given_load(simulation[0]), part < 2);
      if (part < 2) MUST(simulation_given_load(simulation[0], x[0], &error));
      if (part < 2) assert_memory_equal(x[0], given, bytes);
      assert_false(simulation_has_given_load(simulation[1]));
    }
    for (int k = 0; k < 2; k++) simulation_destroy(simulation[k]);
    device_free(device, there);
  }

  free(force);
  free(given);
  free(both);
  free(x[0]);
  free(x[1]);
  free(single);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  if (count < 3) cmocka_set_skip_filter("long_*");
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(newton_converges_quadratically),
    cmocka_unit_test(adjusted_settings_act_as_initial_ones),
    cmocka_unit_test(free_body_keeps_its_momenta),
    cmocka_unit_test(given_loads_add_to_other_loads),
    cmocka_unit_test(gravity_makes_a_parabola),
    cmocka_unit_test(damping_removes_momentum_by_the_formula),
    cmocka_unit_test(stiff_grab_takes_few_iterations),
    cmocka_unit_test(same_run_gives_the_same_bits),
    cmocka_unit_test(same_bits_with_any_number_of_threads),
    cmocka_unit_test(same_motion_in_every_order_and_with_either_supplemental),
    cmocka_unit_test(defaults_do_not_depend_on_units),
    cmocka_unit_test(shaken_finger_does_not_burst),
    cmocka_unit_test(long_shaken_finger_does_not_burst),
    cmocka_unit_test(long_finger_shaken_by_the_mouse_does_not_burst),
    cmocka_unit_test(finger_shaken_by_the_mouse_does_not_burst),
    cmocka_unit_test(robust_newton_succeeds_with_steps_too_large_for_plain_newton),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
