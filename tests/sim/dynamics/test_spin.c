// Tests angular momentum: a free body conserves it, two colliding bodies conserve their total, and a ball rolls like a
// rigid ball. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../obstacle_testing.h"

#include "mesh/boundary_faces.h"
#include "mesh/join.h"
#include "sim/contact/nearest.h"

// Makes a ball with a diameter of 0.5 m around `centre`.
static void make_ball(TetMesh *mesh, int cells, const double centre[3]) {
  Error error = { 0 };
  double low[3], high[3];
  MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, cells, mesh, &error));
  mesh_bounds(mesh, low, high);
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) mesh->X[a][i] += centre[i] - (low[i] + high[i]) / 2;
}

// Sets the velocities v + w x (x - centre) of the nodes first to last - 1.
static void set_motion(const TetMesh *mesh, int first, int last, const double centre[3], const double v[3],
                       const double w[3], double (*velocity)[3]) {
  for (int a = first; a < last; a++)
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      velocity[a][i] = v[i] + w[j] * (mesh->X[a][k] - centre[k]) - w[k] * (mesh->X[a][j] - centre[j]);
    }
}

// Settings of a run with a free, spinning body, and a bound on its error.
typedef struct Spinning {
  double young;
  Precision precision;
  Integrator integrator;
  bool tumbles;  // true: the body is an ellipsoid that rotates about no principal axis; false: a ball
  int steps;
  double changed;  // bound on the relative change of the angular momentum about the centre
  double gained;   // bound on the gain of energy, as a fraction of the energy at the start
} Spinning;

// Computes the angular momentum of a body about its centre, kg m^2/s.
static void find_spin(const BodyMotion *b, double out[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = b->angular[i] - (b->centre[j] * b->linear[k] - b->centre[k] * b->linear[j]);
  }
}

static double distance3(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Simulates a free body that moves and spins in a scene with self-contact. Its momenta must be conserved.
static void run_spin(const Spinning *spin) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  BodyMotion before, after;
  const double centre[3] = { 0.3, -0.2, 0.5 }, stretch[3] = { 1.5, 0.7, 1 }, none[3] = { 0, 0, 0 };
  const double v[3] = { 1, 2, 0 }, w[3] = { spin->tumbles ? 0.5 : 0, spin->tumbles ? 0.5 : 0, 10 };
  make_ball(&mesh, 4, centre);
  for (int a = 0; spin->tumbles && a < mesh.node_count; a++)
    for (int i = 0; i < 3; i++) mesh.X[a][i] = centre[i] + stretch[i] * (mesh.X[a][i] - centre[i]);
  SimulationSettings s = soft(spin->young, spin->precision);
  s.integrator = spin->integrator;
  s.self_contact = true;
  double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity);
  set_motion(&mesh, 0, mesh.node_count, centre, v, w, velocity);
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_set_velocities(simulation, velocity, &error));
  MUST(simulation_bodies(simulation, &before, &error));

  double peak = 0, L0[3], L1[3];
  for (int step = 0; step < spin->steps; step++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_bodies(simulation, &after, &error));
    peak = fmax(peak, (after.kinetic + after.elastic) / (before.kinetic + before.elastic));
  }

  find_spin(&before, L0);
  find_spin(&after, L1);
  const double changed = distance3(L0, L1) / distance3(L0, none);
  const double energy = (after.kinetic + after.elastic) / (before.kinetic + before.elastic);
  printf("  E %.0e in %s%s: angular momentum changed by %.1e, energy %.5f of the start, at most %.6f\n", spin->young,
         precision_name(spin->precision), spin->tumbles ? ", tumbling" : "", changed, energy, peak);
  assert_true(changed < spin->changed);
  assert_true(distance3(before.linear, after.linear) < spin->changed * distance3(before.linear, none));
  assert_true(peak < 1 + spin->gained);
  assert_true(energy > (spin->young < 1e5 ? 0.9 : 0.995));
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(velocity);
}

static void a_free_body_keeps_its_rotation(void **state) {
  (void)state;
  const Integrator euler_spin = INTEGRATOR_EULER_SPIN, midpoint = INTEGRATOR_MIDPOINT;
  const Precision f32 = PRECISION_F32, f64 = PRECISION_F64;
  // Columns: Young's modulus, Pa; precision; integrator; tumbles; steps; bounds on the relative changes of the angular
  // momentum and of the energy. With the midpoint rule, the energy of soft bodies oscillates.
  const Spinning spins[] = {
    { 1e4, f32, euler_spin, false, 120, 1e-6, 1e-2 }, { 1e4, f64, euler_spin, true, 120, 1e-10, 1e-5 },
    { 1e6, f32, euler_spin, true, 120, 1e-6, 1e-2 },  { 1e6, f64, euler_spin, false, 120, 1e-10, 1e-5 },
    { 1e9, f32, euler_spin, false, 120, 1e-5, 1e-2 }, { 1e9, f64, euler_spin, true, 120, 1e-10, 1e-5 },
    { 1e5, f32, midpoint, true, 60, 1e-5, 5e-2 },     { 1e5, f64, midpoint, true, 60, 1e-10, 5e-2 },
  };
  for (size_t k = 0; k < sizeof spins / sizeof *spins; k++) run_spin(&spins[k]);
}

// Returns the number of Newton iterations in 12 steps of a stiff ellipsoid that tumbles, about an axis that is no
// principal axis, by 0.17 rad a step. u [3] receives the final displacement of node 0, m.
static int count_iterations(double young, Precision precision, FirstGuess guess, bool self_contact, double *u) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  const double centre[3] = { 0 }, v[3] = { 1, 2, 0 }, w[3] = { 3, 5, 8 };
  int iterations = 0;
  make_ball(&mesh, 4, centre);
  for (int a = 0; a < mesh.node_count; a++) {
    mesh.X[a][0] *= 1.5;
    mesh.X[a][1] *= 0.7;
  }
  SimulationSettings s = soft(young, precision);
  s.integrator = INTEGRATOR_EULER_SPIN;
  s.first_guess = guess;
  s.self_contact = self_contact;
  double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity);
  set_motion(&mesh, 0, mesh.node_count, centre, v, w, velocity);
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_set_velocities(simulation, velocity, &error));
  for (int step = 0; step < 12; step++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.converged);
    iterations += report.newton_iterations;
  }

  MUST(simulation_displacements(simulation, velocity, &error));
  for (int i = 0; i < 3; i++) u[i] = velocity[0][i];
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(velocity);
  return iterations;
}

// If the first guess is a rigid motion, Newton's method needs at most three iterations a step. With the guess "auto",
// which tries the current state before a rigid motion, it needs one more. Without a guess it would need up to 190.
// In single precision, the rounding errors of the forces of these stiff bodies exceed their momenta. The bodies must
// keep their momenta and their energy all the same, with each integrator.
static void rounding_does_not_stop_stiff_bodies(void **state) {
  enum { STEPS = 24 };
  static const struct {
    double young, speed, spin;
  } cases[] = { { 1e10, 0.5, 0 }, { 1e9, 0, 10 }, { 3e9, 0, 3 }, { 1e9, 0.2, 1 } };
  static const Integrator integrators[] = { INTEGRATOR_EULER_SPIN, INTEGRATOR_MIDPOINT, INTEGRATOR_BDF2 };
  static const char *const names[] = { "euler_spin", "midpoint", "bdf2" };
  const double centre[3] = { 0, 0, 0 }, none[3] = { 0, 0, 0 };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
      Error error = { 0 };
      TetMesh mesh = { 0 };
      Simulation *simulation;
      BodyMotion before, after;
      int iterations = 0;
      double L[2][3];
      make_ball(&mesh, 5, centre);
      SimulationSettings s = soft(cases[k].young, PRECISION_F32);
      s.integrator = integrators[i];
      double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity);
      set_motion(&mesh, 0, mesh.node_count, centre, (double[3]){ cases[k].speed, 0, 0 },
                 (double[3]){ 0, 0, cases[k].spin }, velocity);
      MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
      MUST(simulation_set_velocities(simulation, velocity, &error));
      MUST(simulation_bodies(simulation, &before, &error));
      for (int step = 0; step < STEPS; step++) {
        StepReport report;
        MUST(simulation_step(simulation, &report, &error));
        assert_true(report.converged);
        iterations += report.newton_iterations;
      }
      MUST(simulation_bodies(simulation, &after, &error));
      find_spin(&before, L[0]);
      find_spin(&after, L[1]);
      const double p = distance3(before.linear, after.linear), p_all = distance3(before.linear, none);
      const double l = distance3(L[0], L[1]), l_all = distance3(L[0], none), energy = after.kinetic / before.kinetic;
      printf(
          "  E %.0e, %.1f m/s, %.0f rad/s, %s: momentum changed by %.1e kg m/s, angular momentum by %.1e kg m^2/s, "
          "kinetic energy %.4f of the start, %.1f iterations per step\n",
          cases[k].young, cases[k].speed, cases[k].spin, names[i], p, l, energy, (double)iterations / STEPS);
      assert_true(p < 0.01 * p_all + 1e-3 && l < 0.01 * l_all + 1e-3 && fabs(energy - 1) < 0.05);
      assert_true(iterations < 60 * STEPS);
      simulation_destroy(simulation);
      mesh_destroy(&mesh);
      free(velocity);
    }
}

// A ball of 40 mm falls beside a ball of 0.5 m that flies fast. Its motion must be that of free fall, although its
// momenta are smaller than the tolerance that Newton's method has for the momenta of the large ball.
static void a_light_body_moves_beside_a_heavy_one(void **state) {
  enum { STEPS = 12 };
  static const Integrator integrators[] = { INTEGRATOR_EULER_SPIN, INTEGRATOR_MIDPOINT };
  (void)state;
  for (int k = 0; k < 4; k++) {
    Error error = { 0 };
    TetMesh mesh = { 0 }, small = { 0 };
    Simulation *simulation;
    const Precision precision = k < 2 ? PRECISION_F32 : PRECISION_F64;
    make_ball(&mesh, 4, (double[3]){ 0, 0, 0 });
    const int large = mesh.node_count;
    MUST(mesh_make_shape("sphere", (double[3]){ 0.04, 0.04, 0.04 }, 3, &small, &error));
    for (int a = 0; a < small.node_count; a++) small.X[a][0] += 2;
    MUST(mesh_join(&mesh, &small, &error));
    mesh_destroy(&small);
    SimulationSettings s = soft(1e5, precision);
    s.integrator = integrators[k % 2];
    s.gravity[2] = -1;
    double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity), sum[3] = { 0, 0, 0 }, mass = 0;
    double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count), (*p)[3] = malloc(sizeof *p * (size_t)mesh.node_count);
    double *masses = malloc(sizeof *masses * (size_t)mesh.node_count);
    for (int a = 0; a < mesh.node_count; a++) {
      velocity[a][0] = a < large ? 0 : 0.1;
      velocity[a][1] = a < large ? 5 : 0;
    }
    mesh_lumped_mass(&mesh, s.density, masses);
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    MUST(simulation_set_velocities(simulation, velocity, &error));
    for (int step = 0; step < STEPS; step++) {
      StepReport report;
      MUST(simulation_step(simulation, &report, &error));
      assert_true(report.converged && report.newton_iterations < 20);
    }
    MUST(simulation_state(simulation, x, p, &error));
    for (int a = large; a < mesh.node_count; a++) {
      mass += masses[a];
      for (int i = 0; i < 3; i++) sum[i] += p[a][i];
    }
    printf("  %s in %s: velocity of the light ball (%.5f, %.1e, %.5f) m/s, in free fall (0.1, 0, %.5f)\n",
           k % 2 ? "midpoint" : "euler_spin", precision_name(precision), sum[0] / mass, sum[1] / mass, sum[2] / mass,
           -STEPS * s.dt);
    assert_true(fabs(sum[0] / mass - 0.1) < 1e-3 && fabs(sum[1] / mass) < 1e-3);
    assert_true(fabs(sum[2] / mass + STEPS * s.dt) < 1e-3);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
    free(velocity);
    free(x);
    free(p);
    free(masses);
  }
}

static void a_stiff_body_that_spins_takes_few_iterations(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    const Precision precision = k % 2 ? PRECISION_F64 : PRECISION_F32;
    const bool self_contact = k / 2 % 2;
    const double young = k / 4 ? 1e9 : 1e7;
    double by_rigid[3], by_auto[3];
    const int rigid = count_iterations(young, precision, FIRST_GUESS_RIGID, self_contact, by_rigid);
    const int automatic = count_iterations(young, precision, FIRST_GUESS_AUTO, self_contact, by_auto);
    printf("  E %.0e in %s%s: %.1f iterations a step from the rigid guess, %.1f with auto\n", young,
           precision_name(precision), self_contact ? ", self-contact" : "", rigid / 12.0, automatic / 12.0);
    assert_true(rigid <= 3 * 12);
    assert_true(automatic <= 4 * 12);
    assert_true(distance3(by_rigid, by_auto) < 1e-5);
  }
}

// A bar of length L that spins about its middle is stretched by the centrifugal forces: in a bar of density rho, their
// stress is rho w^2 (L^2/4 - x^2)/2, so the whole bar becomes longer by rho w^2 L^3 / (12 E).
static void a_spinning_bar_is_stretched(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Error error = { 0 };
    const double L = 1, size[3] = { L, 0.1, 0.1 }, centre[3] = { L / 2, 0.05, 0.05 }, none[3] = { 0 };
    const double w = 5, young = 1e6;
    TetMesh mesh = box(20, 1, 1, size);
    Simulation *simulation;
    double(*x)[3] = calloc((size_t)mesh.node_count, sizeof *x), end[2][3] = { { 0 } };
    SimulationSettings s = soft(young, k % 2 ? PRECISION_F64 : PRECISION_F32);
    s.integrator = INTEGRATOR_EULER_SPIN;
    s.dt = k / 2 ? 1.0 / 240 : 1.0 / 60;
    set_motion(&mesh, 0, mesh.node_count, centre, none, (const double[3]){ 0, 0, w }, x);
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    MUST(simulation_set_velocities(simulation, x, &error));
    for (int step = 0; step < (k / 2 ? 160 : 40); step++) {
      StepReport report;
      MUST(simulation_step(simulation, &report, &error));
    }
    MUST(simulation_displacements(simulation, x, &error));
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        if (mesh.X[a][0] < 1e-9) end[0][i] += (mesh.X[a][i] + x[a][i]) / 4;
        if (mesh.X[a][0] > L - 1e-9) end[1][i] += (mesh.X[a][i] + x[a][i]) / 4;
      }
    const double stretch = (distance3(end[0], end[1]) - L) / (s.density * w * w * L * L * L / (12 * young));
    printf("  dt %.4f s in %s: %.3f of the centrifugal stretch\n", s.dt, precision_name(s.precision), stretch);
    assert_true(fabs(stretch - 1) < 0.05);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
    free(x);
  }
}

// A soft body spins while it becomes longer and shorter. Its energy must not grow in any step.
static void a_body_that_contracts_while_it_spins_gains_no_energy(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    Error error = { 0 };
    const double size[3] = { 1, 0.3, 0.3 }, centre[3] = { 0.5, 0.15, 0.15 }, none[3] = { 0 };
    TetMesh mesh = box(6, 2, 2, size);
    Simulation *simulation;
    Energy energy;
    SimulationSettings s = soft(1e4, PRECISION_F64);
    s.integrator = INTEGRATOR_EULER_SPIN;
    s.dt = k ? 1.0 / 240 : 1.0 / 60;
    double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity), before, first, largest = -HUGE_VAL;
    set_motion(&mesh, 0, mesh.node_count, centre, none, (const double[3]){ 0, 1, 8 }, velocity);
    for (int a = 0; a < mesh.node_count; a++) velocity[a][0] += 4 * (mesh.X[a][0] - centre[0]);
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    MUST(simulation_set_velocities(simulation, velocity, &error));
    MUST(simulation_energy(simulation, &energy, &error));
    first = before = energy.kinetic + energy.elastic;
    for (int step = 0; step < (k ? 240 : 60); step++) {
      StepReport report;
      MUST(simulation_step(simulation, &report, &error));
      MUST(simulation_energy(simulation, &energy, &error));
      largest = fmax(largest, energy.kinetic + energy.elastic - before);
      before = energy.kinetic + energy.elastic;
    }
    printf("  dt %.4f s: the energy ends at %.3f of the start; its largest change in a step is %.1e of the start\n",
           s.dt, before / first, largest / first);
    assert_true(largest < 1e-6 * first);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
    free(velocity);
  }
}

// Twists a free ball so strongly that the line search shortens Newton steps; the ball does not rotate as a whole.
// Returns the number of trials that the line search refused. *guessed is increased by the steps that started from a
// guess. u [count] receives the final displacements, m.
static int count_shortened(FirstGuess guess, bool self_contact, int *guessed, double (*u)[3], int count) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  const double centre[3] = { 0 };
  int shortened = 0;
  make_ball(&mesh, 4, centre);
  assert_int_equal(mesh.node_count, count);
  SimulationSettings s = soft(1e5, PRECISION_F64);
  s.integrator = INTEGRATOR_EULER_SPIN;
  s.first_guess = guess;
  s.self_contact = self_contact;
  for (int a = 0; a < count; a++) {
    // the upper and the lower half rotate in opposite directions, so the total angular momentum is 0
    u[a][0] = -3000 * mesh.X[a][2] * mesh.X[a][1];
    u[a][1] = 3000 * mesh.X[a][2] * mesh.X[a][0];
    u[a][2] = 0;
  }

  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_set_velocities(simulation, (const double(*)[3])u, &error));
  for (int step = 0; step < 6; step++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    shortened += report.backtracks;
    *guessed += report.guessed;
  }

  MUST(simulation_displacements(simulation, u, &error));
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  return shortened;
}

// If the guess of a rigid motion is no better than the state at the start of the step, the guess is rejected. The step
// then has the bits of a step without a guess.
static void a_refused_guess_changes_nothing(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  const double centre[3] = { 0 };
  make_ball(&mesh, 4, centre);
  const int count = mesh.node_count;
  double(*u)[2][3] = calloc((size_t)count, sizeof *u);
  double(*without)[3] = &u[0][0], (*with)[3] = without + count;
  for (int self_contact = 0; self_contact < 2; self_contact++) {
    int none = 0, guessed = 0;
    const int before = count_shortened(FIRST_GUESS_STATE, self_contact, &none, without, count);
    const int after = count_shortened(FIRST_GUESS_AUTO, self_contact, &guessed, with, count);
    printf("  %d shortened Newton steps, %d steps from a rigid guess\n", before, guessed);
    assert_true(before > 0);
    assert_int_equal(guessed, 0);
    assert_int_equal(before, after);
    assert_memory_equal(with, without, sizeof *with * (size_t)count);
  }
  mesh_destroy(&mesh);
  free(u);
}

// A collision of two balls that move along x. cells: number of cells across a ball. aside: m, offset of each centre
// along y. changed: bound on the relative change of the angular momentum.
typedef struct BallPair {
  double young, friction, aside;
  int cells;
  Precision precision;
  double changed;
} BallPair;

// Simulates a collision. The total momenta are conserved, and no step gains energy.
static void collide(const BallPair *c) {
  Error error = { 0 };
  TetMesh mesh = { 0 }, other = { 0 };
  Simulation *simulation;
  Energy before, after;
  const double left[3] = { -0.3, -c->aside, 0 }, right[3] = { 0.3, c->aside, 0.02 }, none[3] = { 0, 0, 0 };
  make_ball(&mesh, c->cells, left);
  const int half = mesh.node_count;
  make_ball(&other, c->cells, right);
  MUST(mesh_join(&mesh, &other, &error));
  SimulationSettings s = soft(c->young, c->precision);
  s.friction = c->friction;
  s.integrator = INTEGRATOR_EULER_SPIN;
  double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity);
  set_motion(&mesh, 0, half, left, (const double[3]){ 2, 0, 0 }, none, velocity);
  set_motion(&mesh, half, mesh.node_count, right, (const double[3]){ -2, 0, 0 }, none, velocity);
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_set_velocities(simulation, velocity, &error));
  MUST(simulation_energy(simulation, &before, &error));

  double rise = 0, total = before.kinetic;
  for (int step = 0; step < 40; step++) {
    StepReport report;
    const double at_start = total;
    MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_energy(simulation, &after, &error));
    total = after.kinetic + after.elastic + after.potential;
    rise = fmax(rise, (total - at_start) / before.kinetic);
  }

  const double changed = distance3(after.angular, before.angular) / distance3(before.angular, none);
  const double moved = distance3(after.linear, before.linear) / (2 * mass_of(&mesh, s.density) / 2);
  printf(
      "  E %.0e in %s, friction %g: relative change of angular momentum %.1e, of momentum %.1e; energy %.3f of the "
      "start, largest gain in a step %.1e of the start\n",
      c->young, precision_name(c->precision), c->friction, changed, moved, total / before.kinetic, rise);
  assert_true(changed < c->changed);
  assert_true(moved < (c->precision == PRECISION_F64 ? 1e-10 : 1e-6));
  assert_true(rise < 1e-5);
  assert_true((after.kinetic + after.elastic) / before.kinetic < 0.9);  // the balls have collided
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(velocity);
}

static void colliding_balls_keep_their_momenta(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    const double young = (const double[]){ 1e4, 1e5, 1e6, 1e7 }[k % 4];
    collide(&(BallPair){ young, k < 4 ? 0 : 0.5, 0.15, 5, k % 3 ? PRECISION_F64 : PRECISION_F32, 1e-3 });
  }

  // In single precision, the forces of these stiff balls have large rounding errors. A step must not end while the
  // errors of contact are larger than rounding errors.
  collide(&(BallPair){ 1e9, 0, 0.15, 5, PRECISION_F32, 1e-3 });
  collide(&(BallPair){ 1e9, 0.5, 0.15, 5, PRECISION_F32, 1e-3 });
  collide(&(BallPair){ 1e8, 0, 0.05, 4, PRECISION_F32, 1e-3 });
  collide(&(BallPair){ 1e9, 0, 0.05, 4, PRECISION_F32, 1e-3 });
}

// A ball of `cells` cells across rolls down a slope of 15 degrees. A rigid ball has the acceleration 5/7 g sin(15
// degrees). The ball is slower, because it falls from face to face and becomes flat at the slope
// (docs/explanation/integrators.md, Rolling). speed_low and distance_low are lower bounds, relative to a rigid ball.
// `box`: the slope is a box, not the floor.
static void roll(int cells, double young, bool box, double dt, double speed_low, double distance_low) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  BodyMotion before, after;
  const double slope = 15 * acos(-1) / 180, g = 9.81, duration = 1.5;
  make_ball(&mesh, cells, (const double[3]){ 0, 0, 0.252 });
  SimulationSettings s = soft(young, PRECISION_F64);
  s.friction = 0.5;
  s.integrator = INTEGRATOR_EULER_SPIN;
  s.dt = dt;
  s.gravity[0] = g * sin(slope);
  s.gravity[2] = -g * cos(slope);
  s.has_floor = !box;
  s.obstacle_count = box;
  s.obstacles[0] = (Obstacle){ .kind = OBSTACLE_BOX,
                               .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                               .size = { 10, 1, 0.5 },
                               .centre = { 8, 0, -0.5 },
                               .friction = 0.5 };
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  MUST(simulation_bodies(simulation, &before, &error));
  for (int step = 0; step < (int)(duration / dt + 0.5); step++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
  }
  MUST(simulation_bodies(simulation, &after, &error));
  const double rigid = g * sin(slope) / 1.4 * duration, speed = after.linear[0] / after.mass / rigid;
  const double distance = (after.centre[0] - before.centre[0]) / (rigid * duration / 2);
  printf("  %d cells, E %.0e on a %s: %.3f of the rigid speed, %.3f of the distance\n", cells, young,
         box ? "box" : "floor", speed, distance);
  assert_true(speed > speed_low && speed < 1.01);
  assert_true(distance > distance_low && distance < 1.01);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

static void a_ball_rolls(void **state) {
  (void)state;
  roll(8, 1e6, false, 1.0 / 60, 0.95, 0.96);
  roll(8, 1e6, true, 1.0 / 60, 0.95, 0.96);
  roll(12, 1e6, false, 1.0 / 240, 0.98, 0.985);
}

// A body that lies on the floor, under gravity only, stays there: after 7 s, its displacements do not change by a bit.
static void rest_stays(void **state) {
  (void)state;
  Error error = { 0 };
  const double size[3] = { 0.4, 0.3, 0.2 };
  TetMesh mesh = box(3, 2, 2, size);
  Simulation *simulation;
  for (int a = 0; a < mesh.node_count; a++) mesh.X[a][2] += 0.001;
  SimulationSettings s = soft(1e6, PRECISION_F32);
  s.integrator = INTEGRATOR_EULER_SPIN;
  s.friction = 0.5;
  s.gravity[2] = -9.81;
  s.has_floor = true;
  double(*x)[2][3] = calloc((size_t)mesh.node_count, sizeof *x);
  double(*now)[3] = &x[0][0], (*then)[3] = now + mesh.node_count;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  for (int step = 0; step < 480; step++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    if (step == 420) MUST(simulation_displacements(simulation, then, &error));
  }

  SpinBalance balance;
  MUST(simulation_spin_balance(simulation, &balance, &error));
  assert_true(balance.known);
  for (int i = 0; i < 3; i++) assert_true(balance.change[i] == 0 && balance.spin[i] == 0);
  MUST(simulation_displacements(simulation, now, &error));
  assert_memory_equal(now, then, sizeof *now * (size_t)mesh.node_count);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(x);
}

// Positions of all nodes, m, their momenta, kg m/s, and the centre of mass, m.
typedef struct Nodes {
  double (*x)[3], (*p)[3], centre[3];
} Nodes;

static Nodes read_nodes(Simulation *simulation, const double *mass, int count) {
  Error error = { 0 };
  Nodes n = { calloc((size_t)count, sizeof *n.x), calloc((size_t)count, sizeof *n.p), { 0 } };
  double whole = 0;
  MUST(simulation_state(simulation, n.x, n.p, &error));
  for (int a = 0; a < count; a++) whole += mass[a];
  for (int a = 0; a < count; a++)
    for (int i = 0; i < 3; i++) n.centre[i] += mass[a] / whole * n.x[a][i];
  return n;
}

// Adds to `sum` the error of the angular momentum in a step of backward Euler (docs/explanation/integrators.md): the
// sum over the nodes of (x1 - x0) x p0. x0 and x1 are the positions at the start and the end of the step, relative to
// the centre of mass, and p0 the momenta at the start. Adds to `spin` the angular momentum about the centre at the end.
static void euler_error(const Nodes *from, const Nodes *to, int count, double sum[3], double spin[3]) {
  for (int a = 0; a < count; a++)
    for (int i = 0; i < 3; i++) {
      double moved[3], arm[3];
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      for (int c = 0; c < 3; c++) arm[c] = to->x[a][c] - to->centre[c];
      for (int c = 0; c < 3; c++) moved[c] = arm[c] - (from->x[a][c] - from->centre[c]);
      sum[i] += moved[j] * from->p[a][k] - moved[k] * from->p[a][j];
      spin[i] += arm[j] * to->p[a][k] - arm[k] * to->p[a][j];
    }
}

// Adds to `sum` the moment of the correction of momenta by midpoint_energy at the end of a step of `dt` seconds. The
// correction is the momentum minus that of the midpoint rule, 2 m (x1 - x0) / dt - p0. Nodes with a nonzero element in
// pinned [count] have no correction.
static void correction_moment(const Nodes *from, const Nodes *to, const double *mass, const uint8_t *pinned, int count,
                              double dt, double sum[3]) {
  for (int a = 0; a < count; a++) {
    double arm[3], more[3];
    if (pinned[a]) continue;
    for (int c = 0; c < 3; c++) {
      arm[c] = to->x[a][c] - to->centre[c];
      more[c] = to->p[a][c] + from->p[a][c] - 2 * mass[a] * (to->x[a][c] - from->x[a][c]) / dt;
    }
    for (int i = 0; i < 3; i++) sum[i] += arm[(i + 1) % 3] * more[(i + 2) % 3] - arm[(i + 2) % 3] * more[(i + 1) % 3];
  }
}

// Adds to `sum` the change of the angular momentum of a free body in a step of BDF2, with momenta that include the
// parts of impulses that follow in the next steps: p + (p - p0) / 2. hat [count][3], kg m/s: these momenta at the
// start, which the function replaces by those at the end.
static void bdf2_change(const Nodes *from, const Nodes *to, int count, double (*hat)[3], double sum[3]) {
  for (int a = 0; a < count; a++) {
    double arm[2][3], whole[3];
    for (int c = 0; c < 3; c++) {
      arm[0][c] = from->x[a][c] - from->centre[c];
      arm[1][c] = to->x[a][c] - to->centre[c];
      whole[c] = to->p[a][c] + (to->p[a][c] - from->p[a][c]) / 2;
    }
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      sum[i] += arm[1][j] * whole[k] - arm[1][k] * whole[j] - arm[0][j] * hat[a][k] + arm[0][k] * hat[a][j];
    }
    memcpy(hat[a], whole, sizeof whole);
  }
}

// A run whose balance of angular momentum (see run_balance) is compared with the formula for backward Euler.
typedef struct BalanceCase {
  const char *name;
  Integrator integrator;
  Precision precision;
  bool pinned, floor;  // pinned: the bar swings from a pinned end; floor: it falls on a floor; neither: it is free
  double bound;  // on the difference of the balance from the expected change, relative to the largest angular momentum
} BalanceCase;

// A bar spins, swings from its pinned end, or tumbles onto the floor with friction. The balance is the change of
// angular momentum that the forces do not explain. With backward Euler it must agree with the formula for the error of
// a step, with midpoint_energy with the correction of momenta, which has a moment if the bar is pinned, and with an
// integrator that conserves angular momentum it must be 0.
static void run_balance(const BalanceCase *c) {
  Error error = { 0 };
  TetMesh mesh = box(6, 2, 2, (const double[3]){ 0.6, 0.2, 0.2 });
  Simulation *simulation;
  const double centre[3] = { 0.3, 0.1, 0.1 }, w[3] = { 0, c->pinned ? 0 : 5, c->pinned ? 0 : 3 };
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  double(*velocity)[3] = calloc((size_t)mesh.node_count, sizeof *velocity), difference = 0, largest = 0, taken = 0;
  double *mass = calloc((size_t)mesh.node_count, sizeof *mass);
  for (int a = 0; a < mesh.node_count; a++) {
    pinned[a] = c->pinned && mesh.X[a][0] < 1e-9 ? PIN_ALL : 0;
    mesh.X[a][2] += 0.05;
  }
  SimulationSettings s = soft(1e6, c->precision);
  s.self_contact = c->floor;
  s.has_floor = c->floor;
  s.friction = 0.4;
  s.integrator = c->integrator;
  if (c->pinned || c->floor) {
    s.gravity[2] = -9.81;
    s.damping = 0.3;
  }
  s.newton_relative = c->precision == PRECISION_F64 ? 1e-10 : 1e-5;
  set_motion(&mesh, 0, mesh.node_count, centre, (const double[3]){ c->pinned ? 0 : 1, 0, 0 }, w, velocity);
  MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
  if (!c->pinned) MUST(simulation_set_velocities(simulation, (const double(*)[3])velocity, &error));
  simulation_masses(simulation, mass);

  Nodes before = read_nodes(simulation, mass, mesh.node_count);
  double(*hat)[3] = malloc(sizeof *hat * (size_t)mesh.node_count);
  memcpy(hat, before.p, sizeof *hat * (size_t)mesh.node_count);
  int measured = 0;
  for (int step = 0; step < 60; step++) {
    StepReport report;
    SpinBalance balance;
    double expected[3] = { 0 }, spin[3] = { 0 };
    MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_spin_balance(simulation, &balance, &error));
    const Nodes after = read_nodes(simulation, mass, mesh.node_count);
    euler_error(&before, &after, mesh.node_count, expected, spin);
    if (c->integrator != INTEGRATOR_EULER) memset(expected, 0, sizeof expected);
    if (c->integrator == INTEGRATOR_MIDPOINT_ENERGY)
      correction_moment(&before, &after, mass, pinned, mesh.node_count, s.dt, expected);
    if (c->integrator == INTEGRATOR_BDF2) bdf2_change(&before, &after, mesh.node_count, hat, expected);
    free(before.x);
    free(before.p);
    before = after;
    if (report.substeps > 1) continue;
    measured++;
    assert_true(balance.known);
    largest = fmax(largest, distance3(spin, (const double[3]){ 0, 0, 0 }));
    taken = fmax(taken, distance3(balance.change, (const double[3]){ 0, 0, 0 }));
    difference = fmax(difference, fmax(distance3(balance.change, expected), distance3(balance.spin, spin)));
  }

  printf("  %s: balance of a step up to %.1e of the angular momentum, difference from the formula %.1e\n", c->name,
         taken / largest, difference / largest);
  assert_true(measured > 0);
  assert_true(difference < c->bound * largest);
  if (c->integrator == INTEGRATOR_EULER) assert_true(taken > 1e-4 * largest);
  free(before.x);
  free(before.p);
  free(hat);
  free(pinned);
  free(velocity);
  free(mass);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

static void the_balance_of_spin_is_that_of_the_integrator(void **state) {
  (void)state;

  // Columns: name, integrator, precision, pinned, floor, bound (struct BalanceCase)
  const BalanceCase cases[] = {
    { "free, euler", INTEGRATOR_EULER, PRECISION_F64, false, false, 1e-9 },
    { "free, euler in float", INTEGRATOR_EULER, PRECISION_F32, false, false, 1e-4 },
    { "free, euler_spin", INTEGRATOR_EULER_SPIN, PRECISION_F64, false, false, 1e-9 },
    { "free, midpoint", INTEGRATOR_MIDPOINT, PRECISION_F64, false, false, 1e-9 },
    { "free, bdf2", INTEGRATOR_BDF2, PRECISION_F64, false, false, 1e-9 },
    { "pinned, euler", INTEGRATOR_EULER, PRECISION_F64, true, false, 1e-8 },
    { "pinned, midpoint", INTEGRATOR_MIDPOINT, PRECISION_F64, true, false, 1e-8 },
    { "pinned, midpoint_energy", INTEGRATOR_MIDPOINT_ENERGY, PRECISION_F64, true, false, 1e-9 },
    { "floor, euler", INTEGRATOR_EULER, PRECISION_F64, false, true, 1e-6 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) run_balance(&cases[k]);
}

// A run of a free body on which a constant load or a pressure on faces acts off-centre. tolerance: newton_relative.
typedef struct Pull {
  double young, dt, tolerance;
  bool self_contact, pressure;
} Pull;

// Largest errors of a run of Pull, relative to the impulse of the load in a step and to the moment of this impulse at
// the body's longest side: errors of linear momentum, of angular momentum about the centre, and of the displacement of
// the centre of mass, relative to that with the body's largest velocity.
typedef struct PullErrors {
  double linear, angular, path;
} PullErrors;

// Computes f [count][3], N: the forces of the pressure `value`, Pa, on triangular faces, with nodes at the mean of the
// positions x and y. The faces are at the end of the body with the largest x.
static void press_faces(const BoundaryFaces *faces, double value, const double (*x)[3], const double (*y)[3],
                        double (*f)[3], int count) {
  memset(f, 0, sizeof *f * (size_t)count);
  for (int k = 0; k < faces->count; k++) {
    const int *node = faces->node + 3 * k;
    double edge[2][3], area[3];
    for (int e = 0; e < 2; e++)
      for (int i = 0; i < 3; i++)
        edge[e][i] = (x[node[e + 1]][i] + y[node[e + 1]][i] - x[node[0]][i] - y[node[0]][i]) / 2;
    cross3(edge[0], edge[1], area);
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) f[node[c]][i] -= (area[0] > 0 ? value : -value) * area[i] / 6;
  }
}

// Adds the errors of one step. before, from, to: nodes at the start of the previous step, and at the start and the end
// of this step. BDF2 has the impulse 2/3 dt f, and its momenta and positions refer to (4 now - before)/3. Backward
// Euler changes the angular momentum also by its own error (euler_error). whole: the step was not divided.
static void add_pull_errors(const Pull *c, Integrator integrator, const Nodes *before, const Nodes *from,
                            const Nodes *to, const double (*f)[3], const double *mass, int count, bool whole,
                            PullErrors *errors) {
  const bool bdf2 = integrator == INTEGRATOR_BDF2, euler = integrator == INTEGRATOR_EULER;
  const bool middle = integrator_is_midpoint(integrator);
  const double none[3] = { 0 }, part = bdf2 ? 2.0 / 3 : 1, length = 0.6;
  double P[2][3] = { { 0 } }, load[3] = { 0 }, linear[3] = { 0 }, angular[3] = { 0 }, path[3], ignored[3] = { 0 };
  double whole_mass = 0;
  if (euler) euler_error(from, to, count, angular, ignored);
  for (int i = 0; i < 3; i++) angular[i] = -angular[i];
  for (int a = 0; a < count; a++) {
    double r0[3], r1[3], arm[3], change[3], impulse[3];
    whole_mass += mass[a];
    for (int i = 0; i < 3; i++) {
      r0[i] = from->x[a][i] - from->centre[i];
      r1[i] = to->x[a][i] - to->centre[i];
      arm[i] = middle ? (r0[i] + r1[i]) / 2 : r1[i];
      impulse[i] = part * c->dt * f[a][i];
      change[i] = to->p[a][i] - (bdf2 ? (4 * from->p[a][i] - before->p[a][i]) / 3 : from->p[a][i]);
      P[0][i] += from->p[a][i];
      P[1][i] += to->p[a][i];
      load[i] += impulse[i];
      linear[i] += change[i] - impulse[i];
    }
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      angular[i] -= arm[j] * impulse[k] - arm[k] * impulse[j];
      angular[i] += bdf2 ? r1[j] * change[k] - r1[k] * change[j]
                         : r1[j] * to->p[a][k] - r1[k] * to->p[a][j] - r0[j] * from->p[a][k] + r0[k] * from->p[a][j];
    }
  }

  for (int i = 0; i < 3; i++) {
    const double start = bdf2 ? (4 * from->centre[i] - before->centre[i]) / 3 : from->centre[i];
    path[i] = to->centre[i] - start - part * c->dt / whole_mass * (middle ? (P[0][i] + P[1][i]) / 2 : P[1][i]);
  }
  const double scale = distance3(load, none);
  errors->linear = fmax(errors->linear, distance3(linear, none) / scale);
  if (whole) errors->angular = fmax(errors->angular, distance3(angular, none) / (scale * length));
  if (whole) errors->path = fmax(errors->path, distance3(path, none) * whole_mass / (c->dt * distance3(P[1], none)));
}

// Makes a load or a pressure act on the end of the body, off-centre. `faces` receives the faces under pressure.
static void pull(const Pull *c, Simulation *simulation, const TetMesh *mesh, double value, double (*f)[3],
                 BoundaryFaces *faces) {
  Error error = { 0 };
  uint8_t *inside = calloc((size_t)mesh->node_count, 1);
  for (int a = 0; a < mesh->node_count; a++) {
    inside[a] = mesh->X[a][0] > 0.59 && mesh->X[a][1] > 0.14;
    if (inside[a]) {
      f[a][0] = 0.5;
      f[a][1] = 2;
    }
  }
  MUST(boundary_faces_find(faces, mesh, inside, &error));
  double *values = malloc(sizeof *values * (size_t)faces->count);
  for (int k = 0; k < faces->count; k++) values[k] = value;
  if (c->pressure)
    MUST(simulation_set_pressure(simulation, &(PressureLoad){ faces, values, NULL }, &error));
  else
    MUST(simulation_set_load(simulation, (const double(*)[3])f, &error));
  free(inside);
  free(values);
}

// Pulls or presses a body off-centre. Its momenta must change by the impulse of the force and by its moment, although
// Newton's method ends at a large residual. Without contact, the centre of mass must move as the momenta say.
static void run_pull(const Pull *c, Integrator integrator, Precision precision) {
  enum { STEPS = 5 };
  const double pressure = 200;
  Error error = { 0 };
  BoundaryFaces faces;
  TetMesh mesh = box(4, 2, 2, (const double[3]){ 0.6, 0.3, 0.3 });
  Simulation *simulation;
  const int count = mesh.node_count;
  PullErrors e = { 0 };
  SimulationSettings s = soft(c->young, precision);
  s.integrator = integrator;
  s.dt = c->dt;
  s.newton_relative = c->tolerance;
  s.self_contact = c->self_contact;
  double(*f)[3] = calloc((size_t)count, sizeof *f), *mass = calloc((size_t)count, sizeof *mass);
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  pull(c, simulation, &mesh, pressure, f, &faces);
  simulation_masses(simulation, mass);

  Nodes nodes[STEPS + 2];  // nodes[k + 1]: after k steps; nodes[0]: before the first step, for BDF2
  for (int k = 0; k < 2; k++) nodes[k] = read_nodes(simulation, mass, count);
  for (int step = 0; step < STEPS; step++) {
    StepReport report;
    SpinBalance balance;
    MUST(simulation_step(simulation, &report, &error));
    assert_int_equal(report.damped, 0);
    const Nodes *from = &nodes[step + 1], *to = &nodes[step + 2];
    nodes[step + 2] = read_nodes(simulation, mass, count);
    if (c->pressure)
      press_faces(&faces, pressure, (const double(*)[3])(integrator_is_midpoint(integrator) ? from : to)->x,
                  (const double(*)[3])to->x, f, count);
    add_pull_errors(c, integrator, &nodes[step], &nodes[step + 1], &nodes[step + 2], (const double(*)[3])f, mass, count,
                    report.substeps == 1, &e);
    MUST(simulation_spin_balance(simulation, &balance, &error));
    if (integrator != INTEGRATOR_MIDPOINT) continue;
    assert_true(balance.known);
    for (int i = 0; i < 3; i++) assert_true(fabs(balance.change[i]) < 1e-7 * c->dt);
  }

  printf(
      "  %s in %s, E %.0e, dt 1/%.0f s, tolerance %.0e%s: errors of momentum %.1e, angular momentum %.1e, path %.1e\n",
      integrator_names[integrator], precision_name(precision), c->young, 1 / c->dt, c->tolerance,
      c->self_contact ? ", self-contact"
      : c->pressure   ? ", pressure"
                      : "",
      e.linear, e.angular, e.path);
  const double bound = precision == PRECISION_F64 ? 1e-11 : 1e-5;  // momenta are sums over 45 nodes, in the precision
  assert_true(e.linear < bound && e.angular < bound);
  assert_true(c->self_contact || e.path < (precision == PRECISION_F64 ? 1e-9 : bound));  // displacements are small
  for (int k = 0; k < STEPS + 2; k++) {
    free(nodes[k].x);
    free(nodes[k].p);
  }
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  boundary_faces_destroy(&faces);
  free(f);
  free(mass);
}

static void momenta_follow_from_forces(void **state) {
  static const Integrator integrators[] = { INTEGRATOR_MIDPOINT, INTEGRATOR_MIDPOINT_ENERGY, INTEGRATOR_EULER,
                                            INTEGRATOR_BDF2, INTEGRATOR_EULER_SPIN };

  // Columns: Young's modulus, Pa; time step, s; newton_relative; self_contact; pressure
  static const Pull pulls[] = { { 1e4, 1.0 / 60, 1e-2, false, false },
                                { 1e6, 1.0 / 240, 0.3, false, false },
                                { 1e6, 1.0 / 60, 5e-5, false, false },
                                { 1e5, 1.0 / 60, 1e-2, true, false },
                                { 1e5, 1.0 / 60, 1e-2, false, true } };
  (void)state;
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
    for (size_t k = 0; k < sizeof pulls / sizeof *pulls; k++)
      for (int d = 0; d < 2; d++)
        // with contact, only the momenta of backward Euler are corrected
        if (!pulls[k].self_contact || integrator_is_euler(integrators[i]))
          run_pull(&pulls[k], integrators[i], d ? PRECISION_F64 : PRECISION_F32);
}

int main(int argc, char **argv) {
  if (!choose_device(argc, argv, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = { cmocka_unit_test(a_free_body_keeps_its_rotation),
                                      cmocka_unit_test(momenta_follow_from_forces),
                                      cmocka_unit_test(rounding_does_not_stop_stiff_bodies),
                                      cmocka_unit_test(a_light_body_moves_beside_a_heavy_one),
                                      cmocka_unit_test(a_stiff_body_that_spins_takes_few_iterations),
                                      cmocka_unit_test(a_spinning_bar_is_stretched),
                                      cmocka_unit_test(a_body_that_contracts_while_it_spins_gains_no_energy),
                                      cmocka_unit_test(a_refused_guess_changes_nothing),
                                      cmocka_unit_test(colliding_balls_keep_their_momenta),
                                      cmocka_unit_test(a_ball_rolls),
                                      cmocka_unit_test(the_balance_of_spin_is_that_of_the_integrator),
                                      cmocka_unit_test(rest_stays) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
