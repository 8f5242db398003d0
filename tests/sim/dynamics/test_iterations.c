// Tests adaptive CG tolerances, and first guesses (states from which Newton's method starts a step). Results agree
// within the tolerance, and adaptive tolerances take fewer CG iterations than fixed ones. A guess that inverts a tet or
// is worse than the current state is rejected. Data of the previous step are discarded when they are no longer valid.
// Contact adds no energy, and a saved state continues bit for bit. argv[1]: the device; argv[2]: a pattern for the
// names of the tests to run.
#include "sim/element/moduli.h"
#include "../sim_testing.h"

#include "mesh/join.h"

static Device device;

static const char *const GUESS_NAMES[] = { "state", "velocity", "extrapolated" };
enum { GUESSES = 3, COMBINATIONS = 2 * GUESSES };

// Sets combination k of settings: one of the first guesses, and a fixed CG tolerance if k < GUESSES, else the adaptive
// one.
static void combine(SimulationSettings *s, int k) {
  s->cg_relative = k < GUESSES ? 1e-4 : 0;
  s->first_guess = (FirstGuess)(k % GUESSES);
}

static const char *label(int k) {
  static char text[64];
  snprintf(text, sizeof text, "%s CG tolerance, first guess %s", k < GUESSES ? "fixed" : "adaptive",
           GUESS_NAMES[k % GUESSES]);
  return text;
}

static TetMesh beam(void) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_box(2, 3, 10, (double[3]){ 0.2, 0.3, 1 }, &mesh, &error));
  return mesh;
}

// Creates a beam that is clamped at its bottom and starts with a sideways velocity: `speed`, 1/s, times the height of
// the node, m.
static Simulation *swinging(const TetMesh *mesh, const SimulationSettings *s, double speed) {
  Error error = { 0 };
  Simulation *simulation;
  const size_t n = (size_t)mesh->node_count;
  uint8_t *pinned = calloc(n, 1);
  double *mass = malloc(n * sizeof *mass), (*p)[3] = calloc(n, sizeof *p);
  mesh_lumped_mass(mesh, s->density, mass);
  for (size_t a = 0; a < n; a++) {
    pinned[a] = mesh->X[a][2] < 1e-9 ? PIN_ALL : 0;
    p[a][0] = pinned[a] ? 0 : speed * mass[a] * mesh->X[a][2];
  }
  MUST(simulation_create(&simulation, mesh, s, pinned, &error));
  MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
  free(pinned);
  free(mass);
  free(p);
  return simulation;
}

static double *state_of(Simulation *simulation, const TetMesh *mesh) {
  Error error = { 0 };
  const size_t n = 3 * (size_t)mesh->node_count;
  double *x = malloc(2 * n * sizeof *x);
  MUST(simulation_state(simulation, (double(*)[3])x, (double(*)[3])(x + n), &error));
  return x;
}

static void same_bits(Simulation *a, Simulation *b, const TetMesh *mesh, const char *what) {
  double *x = state_of(a, mesh), *y = state_of(b, mesh);
  if (memcmp(x, y, 6 * (size_t)mesh->node_count * sizeof *x) != 0)
    fail_msg("%s: the states of the two simulations differ", what);
  free(x);
  free(y);
}

static SimulationSettings soft(Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.mu = lame_mu(1e4, 0.3);
  s.lambda = lame_lambda(1e4, 0.3);
  s.density = 1000;
  s.dt = 0.02;
  return s;
}

// With each combination of CG tolerance and first guess, the motion agrees with a run with tight tolerances, within
// Newton's tolerance. The adaptive CG tolerance needs fewer iterations than the fixed one.
static void all_combinations_converge_alike(void **state) {
  (void)state;
  enum { STEPS = 20 };
  Error error = { 0 };
  TetMesh mesh = beam();
  StepReport report;
  SimulationSettings tight = soft(PRECISION_F64);
  tight.newton_relative = 1e-10;
  tight.cg_relative = 1e-10;
  Simulation *exact = swinging(&mesh, &tight, 3);
  for (int k = 0; k < STEPS; k++) MUST(simulation_step(exact, &report, &error));
  double *x = state_of(exact, &mesh);
  simulation_destroy(exact);
  double far = 0;
  for (int a = 0; a < mesh.node_count; a++) far = fmax(far, fabs(x[3 * a] - mesh.X[a][0]));
  assert_true(far > 0.1);  // the beam swings by more than 0.1 m
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    int newton[COMBINATIONS] = { 0 }, cg[COMBINATIONS] = { 0 };
    for (int c = 0; c < COMBINATIONS; c++) {
      SimulationSettings s = soft((Precision)precision);
      s.newton_relative = 1e-4;
      combine(&s, c);
      Simulation *simulation = swinging(&mesh, &s, 3);
      int guessed = 0;
      for (int k = 0; k < STEPS; k++) {
        MUST(simulation_step(simulation, &report, &error));
        assert_true(report.converged && (report.residual <= report.tolerance || report.rounded));
        newton[c] += report.newton_iterations;
        cg[c] += report.cg_iterations;
        guessed += report.guessed;
      }
      double *y = state_of(simulation, &mesh), worst = 0;
      for (int i = 0; i < 3 * mesh.node_count; i++) worst = fmax(worst, fabs(y[i] - x[i]));
      printf(
          "  %s, %s: %d Newton and %d CG iterations, %d steps from the guess, error %.1e of the largest "
          "displacement\n",
          label(c), precision_name((Precision)precision), newton[c], cg[c], guessed, worst / far);

      // each step adds an error of up to Newton's tolerance, and without damping these errors do not decay
      assert_true(worst < STEPS * s.newton_relative * far);
      assert_int_equal(guessed > 0, s.first_guess != FIRST_GUESS_STATE);
      free(y);
      simulation_destroy(simulation);
    }
    for (int g = 0; g < GUESSES; g++) {
      // CG iterations with the adaptive tolerance, compared with those of the fixed one
      assert_true(cg[GUESSES + g] < 0.9 * cg[g]);
      assert_true(newton[GUESSES + g] <= newton[g] + 2);
      assert_true(newton[g] <= newton[FIRST_GUESS_STATE]);
    }
    for (int g = 1; g < GUESSES; g++) assert_true(cg[g] < cg[FIRST_GUESS_STATE]);
    assert_true(newton[FIRST_GUESS_VELOCITY] < newton[FIRST_GUESS_STATE]);
  }

  free(x);
  mesh_destroy(&mesh);
}

// Returns the smallest det F over the tets for node positions x [node_count][3].
static double smallest_J(const TetMesh *mesh, double (*x)[3]) {
  TetMesh moved = *mesh;
  double least = HUGE_VAL;
  moved.X = x;
  for (int e = 0; e < mesh->tet_count; e++) least = fmin(least, mesh_tet_volume(&moved, e) / mesh_tet_volume(mesh, e));
  return least;
}

// Two simulations that compute each step from equal states, one with a first guess and one without. A rejected guess
// must not affect the step. turned: number of guesses that would have inverted a tet. taken: number of steps that
// started from a guess. refused: number of rejected guesses.
typedef struct Pair {
  const TetMesh *mesh;
  Simulation *with, *without;
  FirstGuess guess;
  double *before;  // state at the start of the previous step; NULL: there is none
  int turned, taken, refused;
} Pair;

static void pair_step(Pair *pair) {
  Error error = { 0 };
  const SimulationSettings *s = simulation_settings(pair->with);
  const size_t n = 3 * (size_t)pair->mesh->node_count;
  double *now = state_of(pair->with, pair->mesh), *ahead = malloc(n * sizeof *ahead);
  double *mass = malloc(sizeof *mass * (size_t)pair->mesh->node_count);
  mesh_lumped_mass(pair->mesh, s->density, mass);
  const bool guesses = pair->guess == FIRST_GUESS_VELOCITY || pair->before;
  for (size_t i = 0; i < n; i++)
    ahead[i] = now[i] + (pair->guess == FIRST_GUESS_VELOCITY ? s->dt * now[n + i] / mass[i / 3]
                         : pair->before                      ? now[i] - pair->before[i]
                                                             : 0);
  StepReport report, plain;
  copy_state(pair->with, pair->without);
  MUST(simulation_step(pair->with, &report, &error));
  MUST(simulation_step(pair->without, &plain, &error));
  assert_true(report.min_J > 0 && report.converged);
  assert_true(guesses || report.guessed == 0);
  const bool turns = guesses && smallest_J(pair->mesh, (double(*)[3])ahead) <= 0;
  if (turns && report.substeps == 1) assert_int_equal(report.guessed, 0);
  if (report.guessed == 0) same_bits(pair->with, pair->without, pair->mesh, GUESS_NAMES[pair->guess]);
  pair->turned += turns;
  pair->taken += report.guessed > 0;
  pair->refused += guesses && report.guessed == 0;
  free(pair->before);
  free(ahead);
  free(mass);
  pair->before = report.substeps == 1 ? now : NULL;
  if (!pair->before) free(now);
}

// Moves a block towards its pinned face, in each run at a higher speed, so that some guesses would invert tets.
static void a_guess_that_inverts_a_tet_is_rejected(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_box(2, 2, 2, (double[3]){ 0.2, 0.2, 0.2 }, &mesh, &error));
  for (int guess = FIRST_GUESS_VELOCITY; guess <= FIRST_GUESS_EXTRAPOLATED; guess++) {
    int turned = 0, taken = 0;
    for (double speed = 5; speed < 160; speed *= 1.4) {
      SimulationSettings s = soft(PRECISION_F64);
      Pair pair = { .mesh = &mesh, .guess = (FirstGuess)guess };
      pair.without = swinging(&mesh, &s, 0);
      s.first_guess = pair.guess;
      pair.with = swinging(&mesh, &s, 0);
      double *mass = malloc(sizeof *mass * (size_t)mesh.node_count);
      double(*p)[3] = calloc((size_t)mesh.node_count, sizeof *p);
      mesh_lumped_mass(&mesh, s.density, mass);
      for (int a = 0; a < mesh.node_count; a++) p[a][2] = -speed * mass[a] * mesh.X[a][2];
      MUST(simulation_set_state(pair.with, NULL, (const double(*)[3])p, &error));
      for (int k = 0; k < 8; k++) pair_step(&pair);
      turned += pair.turned;
      taken += pair.taken;
      free(pair.before);
      free(mass);
      free(p);
      simulation_destroy(pair.with);
      simulation_destroy(pair.without);
    }
    printf("  %s: %d guesses would have inverted a tet, %d steps started from a guess\n", GUESS_NAMES[guess], turned,
           taken);
    assert_true(turned > 0 && taken > 0);
  }
  mesh_destroy(&mesh);
}

static SimulationSettings falling(Precision precision, Integrator integrator, double young, int combination) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.integrator = integrator;
  s.mu = lame_mu(young, 0.3);
  s.lambda = lame_lambda(young, 0.3);
  s.density = 1000;
  s.gravity[2] = -9.81;
  s.has_floor = true;
  s.floor_height = 0;
  s.friction = 0.5;
  combine(&s, combination);
  return s;
}

// A ball falls by half its diameter onto a floor, with a horizontal velocity. With no combination of CG tolerance and
// first guess may the ball gain energy. If contact makes a guess worse than the state at the start of the step, the
// guess is rejected.
static void no_combination_feeds_energy_at_a_floor(void **state) {
  (void)state;
  enum { STEPS = 45 };
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 3, &mesh, &error));
  for (int a = 0; a < mesh.node_count; a++) mesh.X[a][2] += 0.5;  // the lowest node was at -0.25 m
  double *mass = malloc(sizeof *mass * (size_t)mesh.node_count), total = 0;
  mesh_lumped_mass(&mesh, 1000, mass);
  for (int a = 0; a < mesh.node_count; a++) total += mass[a];
  const double youngs[] = { 1e4, 1e6, 1e7 };
  for (int integrator = INTEGRATOR_MIDPOINT; integrator <= INTEGRATOR_BDF2; integrator++)
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < COMBINATIONS; c++) {
        SimulationSettings s = falling(k % 2 ? PRECISION_F64 : PRECISION_F32, (Integrator)integrator, youngs[k], c);
        Pair pair = { .mesh = &mesh, .guess = s.first_guess };
        MUST(simulation_create(&pair.with, &mesh, &s, NULL, &error));
        s.first_guess = FIRST_GUESS_STATE;
        MUST(simulation_create(&pair.without, &mesh, &s, NULL, &error));
        throw_body(pair.with, &mesh, (double[3]){ 1, 0, 0 });
        const double at_start = energy_of(pair.with);
        double gained = 0;
        for (int step = 0; step < STEPS; step++) {
          pair_step(&pair);
          gained = fmax(gained, energy_of(pair.with) - at_start);
        }
        printf(
            "  integrator %d, Young's modulus %.0e Pa, %s: %d steps started from the guess, %d rejected it; the energy "
            "rises by at most %.1e m g h\n",
            integrator, youngs[k], label(c), pair.taken, pair.refused, gained / (total * 9.81 * 0.25));
        assert_true(gained < 1e-3 * total * 9.81 * 0.25);
        if (c % GUESSES) assert_true(pair.taken > 0 && pair.refused > 0);
        free(pair.before);
        simulation_destroy(pair.with);
        simulation_destroy(pair.without);
      }
  free(mass);
  mesh_destroy(&mesh);
}

// With each combination of CG tolerance and first guess, a box that is set down on a floor comes to rest.
static void a_box_still_comes_to_rest(void **state) {
  (void)state;
  Error error = { 0 };
  StepReport report;
  TetMesh mesh = { 0 };
  MUST(mesh_make_shape("box", (double[3]){ 0.5, 0.5, 0.2 }, 3, &mesh, &error));
  double low[3], high[3];
  mesh_bounds(&mesh, low, high);
  for (int c = 0; c < COMBINATIONS; c++) {
    SimulationSettings s = falling(PRECISION_F32, INTEGRATOR_AUTO, 1e5, c);
    Simulation *simulation;
    s.floor_height = low[2];
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    double fastest = 0;
    for (int k = 0; k < 300; k++) {
      MUST(simulation_step(simulation, &report, &error));
      if (k < 240) continue;
      Energy energy;
      MUST(simulation_energy(simulation, &energy, &error));
      fastest = fmax(fastest, sqrt(2 * energy.kinetic / (1000 * 0.05)));
    }
    printf("  %s: from 4 s to 5 s, the speed of the body is at most %.1e m/s\n", label(c), fastest);
    assert_true(fastest < 1e-6);
    simulation_destroy(simulation);
  }
  mesh_destroy(&mesh);
}

static bool guessed(Simulation *simulation) {
  Error error = { 0 };
  StepReport report;
  MUST(simulation_step(simulation, &report, &error));
  return report.guessed > 0;
}

// A first guess by extrapolation needs the displacement of the previous step. The previous step must have had the same
// dt, and the present state must be the result of the previous step.
static void extrapolation_needs_the_previous_step(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  SimulationSettings s = soft(PRECISION_F64), other = s;
  s.first_guess = FIRST_GUESS_EXTRAPOLATED;
  Simulation *simulation = swinging(&mesh, &s, 3);
  const size_t n = 3 * (size_t)mesh.node_count;
  double *x = state_of(simulation, &mesh);
  assert_false(guessed(simulation));  // false: there is no previous step
  assert_true(guessed(simulation));
  other = s;
  other.dt = 0.015;
  MUST(simulation_adjust(simulation, &other, &error));
  assert_false(guessed(simulation));
  assert_true(guessed(simulation));
  other.damping = 0.1;  // a change of damping does not invalidate the previous step
  MUST(simulation_adjust(simulation, &other, &error));
  assert_true(guessed(simulation));
  MUST(simulation_set_state(simulation, (const double(*)[3])x, (const double(*)[3])(x + n), &error));
  assert_false(guessed(simulation));
  assert_true(guessed(simulation));
  MUST(simulation_reset(simulation, &error));
  MUST(simulation_set_state(simulation, NULL, (const double(*)[3])(x + n), &error));
  assert_false(guessed(simulation));
  assert_true(guessed(simulation));

  // While another kind of first guess is selected, displacements are not stored. So the first step after the selection
  // cannot extrapolate, and the second can.
  other.first_guess = FIRST_GUESS_STATE;
  MUST(simulation_adjust(simulation, &other, &error));
  assert_false(guessed(simulation));
  other.first_guess = FIRST_GUESS_EXTRAPOLATED;
  MUST(simulation_adjust(simulation, &other, &error));
  assert_false(guessed(simulation));
  assert_true(guessed(simulation));
  free(x);
  simulation_destroy(simulation);

  // After a step that was divided into substeps, the displacement of a whole step of length dt is not known, so the
  // next step cannot extrapolate.
  StepReport report;
  simulation = swinging(&mesh, &s, 3);
  guessed(simulation);
  other = s;
  other.newton_max = 1;
  other.newton_relative = 1e-8;
  other.halvings_max = 2;
  assert_true(guessed(simulation));
  MUST(simulation_adjust(simulation, &other, &error));
  MUST(simulation_step(simulation, &report, &error));
  assert_true(report.substeps > 1);
  MUST(simulation_adjust(simulation, &s, &error));
  assert_false(guessed(simulation));
  assert_true(guessed(simulation));
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
}

// Nodes that are pinned during the motion stay at their positions at this time, also with first guesses.
static void pinned_nodes_stay(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  const size_t n = (size_t)mesh.node_count;
  uint8_t *pinned = calloc(n, 1);
  for (size_t a = 0; a < n; a++) pinned[a] = mesh.X[a][2] > 0.95 ? PIN_ALL : mesh.X[a][2] > 0.85 ? PIN_X : 0;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int integrator = INTEGRATOR_MIDPOINT; integrator <= INTEGRATOR_BDF2; integrator++)
      for (int guess = FIRST_GUESS_VELOCITY; guess <= FIRST_GUESS_EXTRAPOLATED; guess++) {
        SimulationSettings s = soft((Precision)precision);
        s.first_guess = (FirstGuess)guess;
        s.integrator = (Integrator)integrator;
        Simulation *simulation = swinging(&mesh, &s, 3);
        for (int k = 0; k < 3; k++) guessed(simulation);
        double *before = state_of(simulation, &mesh);
        MUST(simulation_set_pins(simulation, pinned, &error));
        int taken = 0;
        for (int k = 0; k < 6; k++) taken += guessed(simulation);
        double *after = state_of(simulation, &mesh);
        for (size_t i = 0; i < 3 * n; i++)
          if (pin_holds(pinned[i / 3], (int)(i % 3))) assert_true(after[i] == before[i]);
        assert_true(taken > 0);
        free(before);
        free(after);
        simulation_destroy(simulation);
      }
  free(pinned);
  mesh_destroy(&mesh);
}

// Without forces, a body in translation moves exactly as the guess predicts, so Newton's method needs no iteration.
static void free_flight_takes_no_iteration(void **state) {
  (void)state;
  enum { STEPS = 20 };
  Error error = { 0 };
  TetMesh mesh = beam();
  const double velocity[3] = { 2, -1, 0.5 };
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int guess = FIRST_GUESS_VELOCITY; guess <= FIRST_GUESS_EXTRAPOLATED; guess++) {
      SimulationSettings s = soft((Precision)precision);
      s.first_guess = (FirstGuess)guess;
      Simulation *simulation;
      StepReport report;
      MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
      throw_body(simulation, &mesh, velocity);
      int newton = 0, taken = 0;
      for (int k = 0; k < STEPS; k++) {
        MUST(simulation_step(simulation, &report, &error));
        newton += report.newton_iterations;
        taken += report.guessed;
      }
      double *x = state_of(simulation, &mesh), off = 0;
      for (int i = 0; i < 3 * mesh.node_count; i++)
        off = fmax(off, fabs(x[i] - mesh.X[i / 3][i % 3] - STEPS * s.dt * velocity[i % 3]));
      printf("  %s, %s: %d Newton iterations, error of positions %.1e m\n", GUESS_NAMES[guess],
             precision_name((Precision)precision), newton, off);

      // With extrapolation, the first step has no guess, and Newton's method leaves a small error. Later guesses repeat
      // this error, so some steps may need an iteration.
      assert_true(guess == FIRST_GUESS_VELOCITY ? newton == 0 : newton < STEPS);
      assert_int_equal(taken, STEPS - (guess == FIRST_GUESS_EXTRAPOLATED));
      assert_true(off < s.newton_relative * STEPS * s.dt * velocity[0]);
      free(x);
      simulation_destroy(simulation);
    }
  mesh_destroy(&mesh);
}

// If Newton's method does not converge from a guess, the step is repeated from the state at its start. The repeated
// step has the bits of a step without guesses.
static void steps_that_do_not_converge_restart(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  for (int guess = FIRST_GUESS_VELOCITY; guess <= FIRST_GUESS_EXTRAPOLATED; guess++) {
    SimulationSettings s = soft(PRECISION_F64);
    s.newton = NEWTON_PLAIN;
    s.newton_max = 1;
    s.newton_relative = 1e-12;
    Simulation *without = swinging(&mesh, &s, 3);
    s.first_guess = (FirstGuess)guess;
    Simulation *with = swinging(&mesh, &s, 3);
    for (int k = 0; k < 4; k++) {
      StepReport report, plain;
      MUST(simulation_step(with, &report, &error));
      MUST(simulation_step(without, &plain, &error));
      assert_true(!report.converged && !plain.converged && report.guessed == 0);
      if (k > 0) assert_int_equal(report.newton_iterations, 2 * plain.newton_iterations);
      same_bits(with, without, &mesh, GUESS_NAMES[guess]);
    }
    simulation_destroy(with);
    simulation_destroy(without);
  }
  mesh_destroy(&mesh);
}

// A repeated run, and a run continued from a saved state, give the same bits.
static void a_saved_state_goes_on_bit_for_bit(void **state) {
  (void)state;
  TetMesh mesh = beam();
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int integrator = INTEGRATOR_MIDPOINT; integrator <= INTEGRATOR_BDF2; integrator++)
      for (int c = 1; c < COMBINATIONS; c++) {
        SimulationSettings s = soft((Precision)precision);
        combine(&s, c);
        s.integrator = (Integrator)integrator;
        Simulation *one = swinging(&mesh, &s, 3), *two = swinging(&mesh, &s, 3), *saved = swinging(&mesh, &s, 0);
        for (int k = 0; k < 4; k++) {
          guessed(one);
          guessed(two);
        }
        copy_state(one, saved);
        for (int k = 0; k < 4; k++) {
          const bool first = guessed(one);
          assert_true(guessed(two) == first && guessed(saved) == first);
        }
        same_bits(one, two, &mesh, label(c));
        same_bits(one, saved, &mesh, label(c));
        simulation_destroy(one);
        simulation_destroy(two);
        simulation_destroy(saved);
      }
  mesh_destroy(&mesh);
}

// A rotating free body conserves its linear momentum within Newton's tolerance, with each combination of CG tolerance
// and first guess.
static void a_free_body_keeps_its_momenta(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = beam();
  for (int c = 0; c < COMBINATIONS; c++) {
    SimulationSettings s = soft(PRECISION_F64);
    combine(&s, c);
    s.newton_relative = 1e-6;
    Simulation *simulation;
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    const size_t n = (size_t)mesh.node_count;
    double *mass = malloc(n * sizeof *mass), (*p)[3] = malloc(n * sizeof *p);
    mesh_lumped_mass(&mesh, s.density, mass);
    for (size_t a = 0; a < n; a++) {
      p[a][0] = mass[a] * (1 - 2 * mesh.X[a][1]);
      p[a][1] = mass[a] * (0.5 + 2 * mesh.X[a][0]);
      p[a][2] = mass[a] * 0.3 * sin(9 * mesh.X[a][2]);
    }
    MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
    Energy first, last;
    MUST(simulation_energy(simulation, &first, &error));
    for (int k = 0; k < 100; k++) guessed(simulation);
    MUST(simulation_energy(simulation, &last, &error));
    double off = 0, whole = 0;
    for (int i = 0; i < 3; i++) {
      off = fmax(off, fabs(last.linear[i] - first.linear[i]));
      whole = fmax(whole, fabs(first.linear[i]));
    }
    printf("  %s: relative error of linear momentum %.1e after 100 steps\n", label(c), off / whole);
    assert_true(off < 100 * s.newton_relative * whole);
    free(mass);
    free(p);
    simulation_destroy(simulation);
  }
  mesh_destroy(&mesh);
}

// A soft bar falls on another bar, and both buckle. The default limit of Newton iterations is large enough that no step
// is halved. With a limit of 20, the halved steps took 1,207 iterations here.
static void buckling_bars_need_no_halved_steps(void **state) {
  (void)state;
  enum { STEPS = 30 };
  Error error = { 0 };
  TetMesh both = { 0 }, upper = { 0 };
  MUST(mesh_make_box(4, 6, 20, (double[3]){ 0.2, 0.3, 1 }, &both, &error));
  MUST(mesh_make_box(4, 6, 20, (double[3]){ 0.2, 0.3, 1 }, &upper, &error));
  for (int a = 0; a < upper.node_count; a++) upper.X[a][2] += 1.05;
  MUST(mesh_join(&both, &upper, &error));
  mesh_destroy(&upper);
  uint8_t *pinned = calloc((size_t)both.node_count, 1);
  for (int a = 0; a < both.node_count; a++) pinned[a] = both.X[a][2] < 1e-9 ? PIN_ALL : 0;

  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = PRECISION_F64;
  s.mu = lame_mu(3e4, 0.3);
  s.lambda = lame_lambda(3e4, 0.3);
  s.density = 1000;
  s.dt = 0.02;
  s.newton_relative = 1e-3;
  s.gravity[2] = -10;
  s.friction = 0.3;
  s.self_contact = true;
  s.integrator = INTEGRATOR_EULER;
  Simulation *simulation;
  MUST(simulation_create(&simulation, &both, &s, pinned, &error));
  int iterations = 0, largest = 0;
  for (int k = 0; k < STEPS; k++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.converged && report.substeps == 1);
    iterations += report.newton_iterations;
    largest = report.newton_iterations > largest ? report.newton_iterations : largest;
  }

  printf("  %d Newton iterations in %d steps, at most %d in a step\n", iterations, STEPS, largest);
  assert_true(iterations < 400 && largest < 60);
  simulation_destroy(simulation);
  free(pinned);
  mesh_destroy(&both);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_combinations_converge_alike),
    cmocka_unit_test(a_guess_that_inverts_a_tet_is_rejected),
    cmocka_unit_test(no_combination_feeds_energy_at_a_floor),
    cmocka_unit_test(a_box_still_comes_to_rest),
    cmocka_unit_test(extrapolation_needs_the_previous_step),
    cmocka_unit_test(free_flight_takes_no_iteration),
    cmocka_unit_test(pinned_nodes_stay),
    cmocka_unit_test(steps_that_do_not_converge_restart),
    cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
    cmocka_unit_test(a_free_body_keeps_its_momenta),
    cmocka_unit_test(buckling_bars_need_no_halved_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
