// Compares two ways of controlling steps on a GPU: steps that are recorded as a CUDA graph (sim/newton/step_graph.h),
// and steps that the host controls. The host controls the second simulation because the test switches on the timing of
// its stages. States and reports must agree to the bit after every step, also if the host must complete a step because
// the graph cannot. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "device/waits.h"
#include "sim/element/moduli.h"
#include "../sim_testing.h"

#include "mesh/join.h"

static Device device;

typedef struct Case {
  const char *name;
  void (*change)(SimulationSettings *s);  // sets the settings of this case, starting from those that all cases share
  bool free, floor;                       // free: without pins; floor: with a floor
  double speed;                           // 1/s: the initial velocity of a node is `speed` times its height
  int steps;
  int recorded;  // minimum number of steps that the graph must complete without the host; 0 if rounding decides
  // true: in the second simulation the host launches each CG iteration (environment variable PLIANT_HOST_LOOP)
  bool led;
} Case;

// The functions below change the settings of cases. Names of functions use these words: `tied` for the adaptive CG
// tolerance, `coasting` for the first guess "velocity", `fast` for a time step so large that steps are divided, `apart`
// for a second body at a distance above the first, and `landing` for a second body that falls on the first.
static void as_is(SimulationSettings *s) {
  (void)s;
}
static void plain(SimulationSettings *s) {
  s->newton = NEWTON_PLAIN;
  s->newton_relative = 1e-5;
}
static void euler(SimulationSettings *s) {
  s->integrator = INTEGRATOR_EULER;
  s->damping = 0.5;
}
static void tied(SimulationSettings *s) {
  s->cg_relative = 0;
}
static void coasting(SimulationSettings *s) {
  s->first_guess = FIRST_GUESS_VELOCITY;
}
static void extrapolated(SimulationSettings *s) {
  s->first_guess = FIRST_GUESS_EXTRAPOLATED;
}
static void short_of_iterations(SimulationSettings *s) {
  s->newton_max = 1;
  s->newton_relative = 1e-9;
  s->newton = NEWTON_PLAIN;
}
static void beyond_rounding(SimulationSettings *s) {
  s->newton_relative = 1e-17;
}
static void by_dcg(SimulationSettings *s) {
  strcpy(s->solver, "dcg");
  strcpy(s->matrix, "dhyb");
}
static void by_parts16(SimulationSettings *s) {
  strcpy(s->solver, "resident");
  strcpy(s->matrix, "parts16");
}
static void extrapolated_by_parts16(SimulationSettings *s) {
  by_parts16(s);
  extrapolated(s);
}
static void by_partial(SimulationSettings *s) {
  strcpy(s->solver, "dcg");
  strcpy(s->matrix, "partial");
}
static void fast_by_partial(SimulationSettings *s) {
  by_partial(s);
  s->dt = 0.1;
}
static void coasting_by_partial(SimulationSettings *s) {
  by_partial(s);
  s->first_guess = FIRST_GUESS_VELOCITY;
}
static void by_matrixfree(SimulationSettings *s) {
  strcpy(s->solver, "dcg");
  strcpy(s->matrix, "matrixfree");
}
static void by_schwarz(SimulationSettings *s) {
  strcpy(s->solver, "schwarz");
  s->newton_relative = 1e-5;
}
static void by_resident_schwarz(SimulationSettings *s) {
  strcpy(s->solver, "resident_schwarz");
  s->newton_relative = 1e-5;
}
static void fast_by_resident_schwarz(SimulationSettings *s) {
  strcpy(s->solver, "resident_schwarz");
  s->dt = 0.1;
}
static void coasting_by_schwarz(SimulationSettings *s) {
  strcpy(s->solver, "schwarz");
  s->first_guess = FIRST_GUESS_VELOCITY;
}
static void fast_by_schwarz(SimulationSettings *s) {
  strcpy(s->solver, "schwarz");
  s->dt = 0.1;
}
static void fast(SimulationSettings *s) {
  s->dt = 0.1;
}

static void fast_by_dcg(SimulationSettings *s) {
  by_dcg(s);
  fast(s);
}

// Turns self-contact on; the mesh then gets a second body above the first.
static void apart(SimulationSettings *s) {
  s->self_contact = true;
}
static void tied_apart(SimulationSettings *s) {
  apart(s);
  tied(s);
}
static void apart_by_dcg(SimulationSettings *s) {
  by_dcg(s);
  apart(s);
}
static void landing(SimulationSettings *s) {
  apart(s);
  tied(s);
  s->gravity[2] = -10;
  s->friction = 0.3;
  s->newton_max = 60;
}
static void landing_to_stick(SimulationSettings *s) {
  landing(s);
  s->friction_sticks = true;
}
static void landing_by_dcg(SimulationSettings *s) {
  by_dcg(s);
  landing(s);
}
static void landing_by_bdcg(SimulationSettings *s) {
  strcpy(s->solver, "bdcg");
  strcpy(s->matrix, "dhyb");
  landing(s);
}
static void landing_to_stick_coasting(SimulationSettings *s) {
  landing_to_stick(s);
  coasting(s);
}
static void landing_extrapolated(SimulationSettings *s) {
  landing(s);
  s->first_guess = FIRST_GUESS_EXTRAPOLATED;
}
static void landing_hard(SimulationSettings *s) {
  landing(s);
  s->gravity[2] = -300;
  s->newton_max = 12;
  s->halvings_max = 1;
}
static void landing_hard_coasting(SimulationSettings *s) {
  landing_hard(s);
  coasting(s);
}
static void landing_plain(SimulationSettings *s) {
  landing(s);
  s->newton = NEWTON_PLAIN;
}
static void landing_short_of_iterations(SimulationSettings *s) {
  landing(s);
  s->newton_max = 2;
  s->halvings_max = 1;
}
static void landing_beyond_rounding(SimulationSettings *s) {
  landing(s);
  s->newton_relative = 1e-17;
}
static void landing_by_midpoint(SimulationSettings *s) {
  landing(s);
  s->integrator = INTEGRATOR_MIDPOINT;
}
static void landing_fast(SimulationSettings *s) {
  landing(s);
  s->dt = 0.1;
}
static void coasting_apart(SimulationSettings *s) {
  apart(s);
  coasting(s);
}
static void landing_coasting(SimulationSettings *s) {
  landing(s);
  coasting(s);
}

// Surface of a square sheet in the plane x = 0, as an obstacle.
static double sheet_X[4][3] = { { 0, -1, -1 }, { 0, 1, -1 }, { 0, 1, 1 }, { 0, -1, 1 } };
static int sheet_triangles[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
static const ObstacleSurface sheet = { 4, 2, sheet_X, sheet_triangles };

// Adds a sheet as obstacle, at x = -`before`, m. It moves along x at `speed`, m/s, for 0.3 s.
static void behind_it(SimulationSettings *s, double before, double speed) {
  s->obstacle_count = 1;
  s->obstacles[0] =
      (Obstacle){ .kind = OBSTACLE_MESH,
                  .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                  .centre = { -before, 0.15, 1.4 },
                  .size = { 1 },
                  .surface = &sheet,
                  .friction = 0.3,
                  .motion = { .path = { { 0, 0, 0, 0 }, { 0.3, 0.3 * speed, 0, 0 } }, .point_count = 2 } };
}
static void passed_by(SimulationSettings *s) {
  apart(s);
  behind_it(s, 3, 2);
}
static void passed_by_coasting(SimulationSettings *s) {
  passed_by(s);
  coasting(s);
}
static void pushed(SimulationSettings *s) {
  landing(s);
  behind_it(s, 0.05, 0.5);
}
static void pushed_to_stick(SimulationSettings *s) {
  pushed(s);
  s->friction_sticks = true;
}
static void pushed_coasting(SimulationSettings *s) {
  pushed(s);
  coasting(s);
}
static void pushed_by_dcg(SimulationSettings *s) {
  pushed(s);
  by_dcg(s);
}
static void pushed_fast(SimulationSettings *s) {
  landing(s);
  behind_it(s, 0.3, 6);
}
static void turned(SimulationSettings *s) {
  landing(s);
  behind_it(s, 0, 0);
  s->gravity[2] = -1;
  const double lies[3][3] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };  // axes of an obstacle that points along y
  Obstacle *o = &s->obstacles[0];
  memcpy(o->axis, lies, sizeof lies);
  o->centre[0] = 0.1;
  o->centre[2] = -0.01;
  o->motion.point_count = 0;
  o->friction = 0.5;
  o->motion.spin.axis[2] = 1;
  o->motion.spin.speed = 90;
  memcpy(o->motion.spin.about, o->centre, sizeof o->centre);
}
static void turned_to_stick(SimulationSettings *s) {
  turned(s);
  s->friction_sticks = true;
}
static void turned_coasting(SimulationSettings *s) {
  turned(s);
  coasting(s);
}
static void by_the_ball(SimulationSettings *s) {
  apart(s);
  tied(s);
  s->pusher = 0.08;
  s->newton_max = 60;
}
static void by_the_ball_which_rests(SimulationSettings *s) {
  by_the_ball(s);
  s->pusher = 0.07;
}

// Columns: name, change, free, floor, speed, steps, recorded, led (struct Case). Example: the case "pinned" takes 12
// steps, of which the graph must complete at least 11.
static const Case CASES[] = {
  { "pinned", as_is, false, false, 3, 12, 11, false },
  { "plain", plain, false, false, 3, 12, 11, false },
  { "backward Euler with damping", euler, false, false, 3, 12, 11, false },
  { "adaptive CG tolerance", tied, false, false, 3, 12, 11, false },
  { "free", as_is, true, false, 3, 12, 11, false },
  { "first guess velocity", coasting, true, false, 3, 12, 8, false },
  { "first guess extrapolated", extrapolated, false, false, 3, 12, 8, false },
  { "floor", euler, true, true, 3, 25, 8, false },
  { "floor, default integrator", as_is, true, true, 3, 25, 1, false },
  { "out of iterations", short_of_iterations, false, false, 3, 8, 0, false },
  { "beyond rounding", beyond_rounding, false, false, 3, 8, 0, false },
  { "dcg", by_dcg, false, false, 3, 12, 11, false },
  { "dcg, controlled by the host", by_dcg, false, false, 3, 12, 11, true },
  { "parts16", by_parts16, false, false, 3, 12, 11, false },
  { "parts16, guess extrapolated", extrapolated_by_parts16, true, false, 3, 12, 8, false },
  { "parts16, floor", by_parts16, true, true, 3, 25, 3, false },
  { "partial", by_partial, false, false, 3, 12, 11, false },
  { "partial, floor", by_partial, true, true, 3, 25, 3, false },
  { "partial, guess velocity over a floor", coasting_by_partial, true, true, 3, 25, 0, false },
  { "partial, divided steps", fast_by_partial, false, false, 60, 10, 0, false },
  { "matrixfree", by_matrixfree, false, false, 3, 12, 11, false },
  { "schwarz", by_schwarz, false, false, 3, 12, 11, false },
  { "schwarz, controlled by the host", by_schwarz, false, false, 3, 12, 11, true },
  { "schwarz, guess velocity over a floor", coasting_by_schwarz, true, true, 3, 25, 0, false },
  { "schwarz, divided steps", fast_by_schwarz, false, false, 60, 10, 0, false },
  { "resident_schwarz", by_resident_schwarz, false, false, 3, 12, 11, false },
  { "resident_schwarz, divided steps", fast_by_resident_schwarz, false, false, 60, 10, 0, false },
  { "divided steps", fast, false, false, 60, 10, 0, false },
  { "dcg, divided steps", fast_by_dcg, false, false, 60, 10, 0, false },
};

// Columns as in CASES. In cases with "landing", steps backtrack or have substeps when bodies touch.
static const Case CONTACT_CASES[] = {
  { "landing", landing, false, false, 1, 30, 0, false },
  { "landing, friction by springs", landing_to_stick, false, false, 1, 30, 0, false },
  { "landing, dcg", landing_by_dcg, false, false, 1, 30, 0, false },
  { "landing fast", landing_fast, false, false, 1, 8, 0, false },
  { "self-contact", apart, false, false, 3, 20, 15, false },
  { "self-contact, adaptive CG tolerance", tied_apart, false, false, 3, 20, 15, false },
  { "self-contact, dcg", apart_by_dcg, false, false, 3, 20, 15, false },
  { "self-contact, floor", apart, true, true, 3, 25, 1, false },
  { "self-contact, guess velocity", coasting_apart, false, false, 3, 20, 1, false },
  { "landing, guess velocity", landing_coasting, false, false, 1, 30, 0, false },
  { "landing, bdcg", landing_by_bdcg, false, false, 1, 30, 0, false },
  { "landing, friction by springs, guess velocity", landing_to_stick_coasting, false, false, 1, 30, 0, false },
  { "landing, guess extrapolated", landing_extrapolated, false, false, 1, 30, 0, false },
  { "landing hard", landing_hard, false, false, 1, 5, 0, false },
  { "landing hard, guess velocity", landing_hard_coasting, false, false, 1, 5, 0, false },
  { "landing over a floor", landing, true, true, 1, 25, 0, false },
  { "landing over a floor, guess velocity", landing_coasting, true, true, 1, 25, 0, false },
  { "landing, plain", landing_plain, false, false, 1, 30, 0, false },
  { "landing, short of iterations", landing_short_of_iterations, false, false, 1, 12, 4, false },
  { "landing beyond rounding", landing_beyond_rounding, false, false, 1, 12, 0, false },
  { "landing by the midpoint rule", landing_by_midpoint, false, false, 1, 20, 0, false },
};

// Cases with obstacles that move or turn, or with the pushing ball. Columns as in CASES.
static const Case MOVING_CASES[] = {
  { "an obstacle passes by", passed_by, false, false, 3, 20, 15, false },
  { "an obstacle passes by, guess velocity", passed_by_coasting, false, false, 3, 20, 15, false },
  { "pushed by an obstacle", pushed, false, false, 1, 20, 0, false },
  { "pushed by an obstacle, friction by springs", pushed_to_stick, false, false, 1, 20, 0, false },
  { "pushed by an obstacle, guess velocity", pushed_coasting, false, false, 1, 20, 0, false },
  { "pushed by an obstacle, dcg", pushed_by_dcg, false, false, 1, 20, 0, false },
  { "pushed fast by an obstacle", pushed_fast, false, false, 1, 10, 0, false },
  { "on a turning obstacle", turned, true, false, 1, 20, 0, false },
  { "on a turning obstacle, friction by springs", turned_to_stick, true, false, 1, 20, 0, false },
  { "on a turning obstacle, guess velocity", turned_coasting, true, false, 1, 20, 0, false },
  { "pushed by the ball", by_the_ball, false, false, 0, 30, 20, false },
  { "pushed by the ball in every second step", by_the_ball_which_rests, false, false, 0, 30, 20, false },
};

static Simulation *begin(const TetMesh *mesh, const SimulationSettings *s, const Case *c) {
  Error error = { 0 };
  Simulation *simulation;
  const size_t n = (size_t)mesh->node_count;
  uint8_t *pinned = calloc(n, 1);
  double *mass = malloc(n * sizeof *mass), (*p)[3] = calloc(n, sizeof *p);
  mesh_lumped_mass(mesh, s->density, mass);
  for (size_t a = 0; a < n; a++) {
    pinned[a] = !c->free && mesh->X[a][2] < 1e-9 ? PIN_ALL : 0;
    p[a][0] = pinned[a] ? 0 : c->speed * mass[a] * mesh->X[a][2];
  }
  MUST(simulation_create(&simulation, mesh, s, pinned, &error));
  MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
  free(pinned);
  free(mass);
  free(p);
  return simulation;
}

// Adds a second body to the mesh, a copy of the first one, above it with a gap.
static void add_second(TetMesh *mesh) {
  Error error = { 0 };
  TetMesh second = { 0 };
  MUST(mesh_make_box(4, 6, 20, (double[3]){ 0.2, 0.3, 1 }, &second, &error));
  for (int a = 0; a < second.node_count; a++) second.X[a][2] += 1.05;
  MUST(mesh_join(mesh, &second, &error));
  mesh_destroy(&second);
}

static void same_state(Simulation *a, Simulation *b, const TetMesh *mesh, const char *what, int step) {
  Error error = { 0 };
  const size_t n = 3 * (size_t)mesh->node_count;
  double *x = malloc(4 * n * sizeof *x), *y = x + 2 * n;
  MUST(simulation_state(a, (double(*)[3])x, (double(*)[3])(x + n), &error));
  MUST(simulation_state(b, (double(*)[3])y, (double(*)[3])(y + n), &error));
  if (memcmp(x, y, 2 * n * sizeof *x) != 0)
    fail_msg("%s, step %d: the states with the graph and by the host differ", what, step);
  free(x);
}

// Numbers of steps of all cases of a test.
typedef struct Total {
  int steps;
  int recorded;  // steps that the graph completed without the host
  int others;    // steps that failed, backtracked, had substeps, ended by rounding or did not converge
} Total;

static void same_report(const StepReport *a, const StepReport *b, const char *what, int step) {
  const double x[] = {
    a->newton_iterations, a->cg_iterations, a->backtracks, a->substeps, a->damped,    a->indefinite, a->guessed,
    a->rounded,           a->converged,     a->residual,   a->min_J,    a->tolerance, a->cause
  };
  const double y[] = {
    b->newton_iterations, b->cg_iterations, b->backtracks, b->substeps, b->damped,    b->indefinite, b->guessed,
    b->rounded,           b->converged,     b->residual,   b->min_J,    b->tolerance, b->cause
  };
  for (size_t k = 0; k < sizeof x / sizeof *x; k++)
    if (x[k] != y[k])
      fail_msg("%s, step %d: number %zu of the report is %.9g with the graph, %.9g by the host", what, step, k, x[k],
               y[k]);
}

static void compare(const Case *c, Precision precision, Total *total) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  char what[100];
  SimulationSettings s = simulation_defaults();
  s.newton_relative = 1e-3;
  s.cg_relative = 1e-4;
  snprintf(what, sizeof what, "%s in %s", c->name, precision_name(precision));
  MUST(mesh_make_box(4, 6, 20, (double[3]){ 0.2, 0.3, 1 }, &mesh, &error));
  s.device = device;
  s.precision = precision;
  s.mu = lame_mu(1e4, 0.3);
  s.lambda = lame_lambda(1e4, 0.3);
  s.density = 1000;
  s.dt = 0.02;
  if (c->floor) {
    s.gravity[2] = -10;
    s.has_floor = true;
    s.floor_height = 0;
    s.friction = 0.3;
  }

  c->change(&s);

  // the floor is 1 mm below the body, since self-contact needs a gap
  if (s.self_contact) {
    add_second(&mesh);
    s.floor_height = -0.001;
  }
  Simulation *without = begin(&mesh, &s, c);
  if (c->led) setenv("PLIANT_HOST_LOOP", "1", 1);
  Simulation *by_host = begin(&mesh, &s, c);
  if (c->led) unsetenv("PLIANT_HOST_LOOP");
  MUST(simulation_profile_start(by_host, &error));
  int others = 0, recorded = 0;
  int64_t waits[2] = { 0, 0 };  // number of times that the host waits for the GPU: with the graph, and without it
  for (int k = 1; k <= c->steps; k++) {
    StepReport a, b;

    // the pushing ball with a radius of 0.07 m moves only in every second step
    const int gone = s.pusher == 0.07 ? k / 2 : k, goes = s.pusher == 0.07 ? (k + 1) / 2 : k + 1;
    const double from[3] = { -0.15 + 0.01 * gone, 0.15, 0.8 }, to[3] = { -0.15 + 0.01 * goes, 0.15, 0.8 };
    if (s.pusher > 0) MUST(simulation_push(without, from, to, &error));
    if (s.pusher > 0) MUST(simulation_push(by_host, from, to, &error));
    Error first = { 0 }, second = { 0 };
    const int64_t before = device_waits();
    const bool ok = simulation_step(without, &a, &first);
    const int64_t between = device_waits();
    const bool again = simulation_step(by_host, &b, &second);
    waits[0] += between - before;
    waits[1] += device_waits() - between;
    if (again != ok) fail_msg("%s, step %d: %s%s", what, k, first.message, second.message);
    if (!ok) assert_string_equal(first.message, second.message);
    if (ok) same_report(&a, &b, what, k);
    same_state(without, by_host, &mesh, what, k);
    assert_false(ok && b.without_host);
    recorded += ok && a.without_host;
    others += !ok || a.backtracks > 0 || a.substeps > 1 || a.rounded > 0 || !a.converged;
    if (!ok) break;
  }

  printf(
      "%s: %d of %d steps ran without the host; %d failed, backtracked, had substeps, ended by rounding or did not "
      "converge; the host waited %d times with the graph, %d times without it\n",
      what, recorded, c->steps, others, (int)waits[0], (int)waits[1]);
  fflush(stdout);
  if (recorded < c->recorded) fail_msg("%s: too few steps ran without the host", what);
  total->steps += c->steps;
  total->recorded += recorded;
  total->others += others;
  simulation_destroy(without);
  simulation_destroy(by_host);
  mesh_destroy(&mesh);
}

// Compares all cases in both precisions. The comparison must cover many steps that run without the host, and some that
// backtrack or are divided. Single cases have no such bounds, since rounding decides which steps backtrack.
static void compare_all(const Case *cases, size_t count) {
  Total total = { 0 };
  for (size_t k = 0; k < count; k++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
      compare(&cases[k], (Precision)precision, &total);
  printf(
      "all cases: %d of %d steps ran without the host; %d failed, backtracked, had substeps, ended by rounding or did "
      "not converge\n",
      total.recorded, total.steps, total.others);
  assert_true(total.recorded > total.steps / 3);
  assert_true(total.others > total.steps / 20);
}

static void host_and_gpu_take_the_same_steps(void **state) {
  (void)state;
  compare_all(CASES, sizeof CASES / sizeof *CASES);
}

static void recorded_steps_agree_with_self_contact(void **state) {
  (void)state;
  compare_all(CONTACT_CASES, sizeof CONTACT_CASES / sizeof *CONTACT_CASES);
}

static void recorded_steps_agree_with_moving_obstacles(void **state) {
  (void)state;
  compare_all(MOVING_CASES, sizeof MOVING_CASES / sizeof *MOVING_CASES);
}

// Changes of settings, pins, grabs and states between two steps take effect in the next step.
static void changes_reach_the_next_step(void **state) {
  (void)state;
  enum { STEPS = 30 };
  Error error = { 0 };
  TetMesh mesh = { 0 };
  const Case held = { "changed", as_is, false, false, 1, STEPS, 0, false };
  SimulationSettings s = simulation_defaults();
  s.newton_relative = 1e-3;
  s.cg_relative = 1e-4;
  MUST(mesh_make_box(4, 6, 20, (double[3]){ 0.2, 0.3, 1 }, &mesh, &error));
  s.device = device;
  s.mu = lame_mu(1e4, 0.3);
  s.lambda = lame_lambda(1e4, 0.3);
  s.density = 1000;
  s.dt = 0.02;
  Simulation *both[2] = { begin(&mesh, &s, &held), begin(&mesh, &s, &held) };
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  MUST(simulation_profile_start(both[1], &error));
  int recorded = 0;
  for (int k = 1; k <= STEPS; k++) {
    for (int which = 0; which < 2; which++) {
      SimulationSettings now = *simulation_settings(both[which]);
      int id;
      if (k == 4) now.mu *= 2;
      if (k == 8) now.dt = 0.01;
      if (k == 12) now.newton_relative = 1e-5;
      if (k == 4 || k == 8 || k == 12) MUST(simulation_adjust(both[which], &now, &error));
      if (k == 16) MUST(simulation_grab(both[which], (double[3]){ 0.1, 0.15, 1 }, 0.2, 1e3, &id, &error));
      if (k > 16 && k < 22) MUST(simulation_drag(both[which], 1, (double[3]){ 0.02 * (k - 16), 0, 0 }, &error));
      if (k == 24) MUST(simulation_set_pins(both[which], pinned, &error));
    }
    StepReport a, b;
    MUST(simulation_step(both[0], &a, &error));
    MUST(simulation_step(both[1], &b, &error));
    recorded += a.without_host;
    same_report(&a, &b, held.name, k);
    same_state(both[0], both[1], &mesh, held.name, k);
  }

  assert_true(recorded >= STEPS / 2);
  free(pinned);
  for (int which = 0; which < 2; which++) simulation_destroy(both[which]);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  if (device == DEVICE_CPU) {
    printf("skipped: this test needs a GPU, since only a GPU records steps\n");
    return EXIT_SKIPPED;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(host_and_gpu_take_the_same_steps),
    cmocka_unit_test(recorded_steps_agree_with_self_contact),
    cmocka_unit_test(recorded_steps_agree_with_moving_obstacles),
    cmocka_unit_test(changes_reach_the_next_step),
  };
  if (count > 2) cmocka_set_test_filter(words[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
