// Tests contact of a body with itself, and of several bodies in one mesh. Surfaces must not intersect, by exact
// predicates after every step. Momenta are conserved, no energy is gained, and results repeat bit for bit. argv[1]:
// quick, slow, or cuda, which compares the GPU with the CPU and runs some quick tests on the GPU. argv[2]: a pattern
// for the names of the tests to run.
#include "../sim_testing.h"

#include "base/parallel.h"
#include "mesh/join.h"
#include "mesh/surface.h"
#include "scene/asset_path.h"
#include "sim/contact/advance.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/contact_cuda.h"
#include "sim/contact/crossing.h"
#include "sim/contact_report.h"
#include "sim/dynamics/self_contact.h"
#include "sim/element/moduli.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"

static Device device;  // device of the simulations
static const char *const integrators[] = { "auto", "midpoint", "euler", "bdf2" };

// Appends a copy of `other`, translated by `by`, m, to the mesh.
static void mesh_append(TetMesh *mesh, const TetMesh *other, const double by[3]) {
  Error error = { 0 };
  TetMesh moved = { 0 };
  MUST(mesh_copy(other, &moved, &error));
  for (int a = 0; a < moved.node_count; a++)
    for (int i = 0; i < 3; i++) moved.X[a][i] += by[i];
  MUST(mesh_join(mesh, &moved, &error));
  mesh_destroy(&moved);
}

// A simulation, with totals over its steps. newton: number of Newton iterations of all steps together. max_newton:
// largest number of Newton iterations in one step. unfinished: number of steps that did not converge. substeps: number
// of steps that were divided into shorter ones. damped: number of steps for which backward Euler replaced the chosen
// integrator. After every step, the surface is checked for intersections.
typedef struct Trial {
  TetMesh mesh;
  Space space;
  Skin skin;
  Simulation *simulation;
  double (*x)[3], (*p)[3];  // [node_count], positions, m, and momenta, kg m/s, after the last step
  int steps, newton, max_newton, unfinished, substeps, damped;
  int crossed;  // number of steps after which the surface intersected itself
} Trial;

static double energy_and_momentum(Trial *t, double linear[3]) {
  Error error = { 0 };
  Energy e;
  MUST(simulation_energy(t->simulation, &e, &error));
  if (linear) memcpy(linear, e.linear, sizeof e.linear);
  return e.kinetic + e.elastic + e.potential;
}

static void make_skin(const TetMesh *mesh, Space *space, Skin *skin) {
  Error error = { 0 };
  Surface surface = { 0 };
  MUST(space_create(space, mesh, 3, &error));
  MUST(surface_create(&surface, mesh, &error));
  MUST(skin_create(skin, space, (const int(*)[3])surface.triangle, surface.triangle_count, NULL, &error));
  surface_destroy(&surface);
}

// Creates the simulation and its surface. The caller has set t->mesh.
static void trial_start(Trial *t, const SimulationSettings *settings, const uint8_t *pinned) {
  Error error = { 0 };
  const SimulationSettings s = *settings;
  const size_t n = (size_t)t->mesh.node_count;
  t->x = malloc(n * sizeof *t->x);
  t->p = malloc(n * sizeof *t->p);
  make_skin(&t->mesh, &t->space, &t->skin);
  MUST(simulation_create(&t->simulation, &t->mesh, &s, pinned, &error));
}

static void trial_end(Trial *t) {
  simulation_destroy(t->simulation);
  skin_destroy(&t->skin);
  space_destroy(&t->space);
  mesh_destroy(&t->mesh);
  free(t->x);
  free(t->p);
}

static void trial_step(Trial *t) {
  Error error = { 0 };
  StepReport report;
  Crossings crossings;
  MUST(simulation_step(t->simulation, &report, &error));
  t->steps++;
  t->newton += report.newton_iterations;
  t->unfinished += !report.converged;
  t->substeps += report.substeps > 1;
  t->damped += report.damped > 0;
  if (report.newton_iterations > t->max_newton) t->max_newton = report.newton_iterations;
  MUST(simulation_state(t->simulation, t->x, t->p, &error));
  MUST(find_crossings(&t->skin, (const double(*)[3])t->x, &crossings, &error));
  t->crossed += crossings.count > 0;
}

static SimulationSettings soft(double young, Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.self_contact = true;
  s.device = device;
  s.precision = precision;
  s.mu = lame_mu(young, 0.3);
  s.lambda = lame_lambda(young, 0.3);
  return s;
}

// A collision of two free balls with a diameter of 0.5 m. The balls move along x. `beside` is the offset of their
// centres along y, m; along z the offset is half as large.
typedef struct Collision {
  double young;  // Young's modulus, Pa
  Precision precision;
  double beside;
  bool cg_fixed;  // a fixed CG tolerance instead of "auto"
  Integrator integrator;
} Collision;

// Simulates a collision in which each ball moves towards the other at `speed`, m/s. *off receives the largest change of
// the velocity of the common centre of mass, m/s. *gained receives the largest gain in energy, relative to the initial
// energy.
static void collide(const Collision *of, double speed, double *off, double *gained) {
  Error error = { 0 };
  const double beside = of->beside;
  Trial t = { 0 };
  TetMesh other = { 0 };
  double before[3], after[3], mass = 0, parted = 0;
  MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 4, &t.mesh, &error));
  MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 3, &other, &error));
  const int first = t.mesh.node_count;
  mesh_append(&t.mesh, &other, (double[3]){ 0.55, beside, 0.5 * beside });
  mesh_destroy(&other);
  SimulationSettings s = soft(of->young, of->precision);
  s.cg_relative = of->cg_fixed ? 1e-4 : 0;
  s.integrator = of->integrator;
  trial_start(&t, &s, NULL);
  double *m = malloc(sizeof *m * (size_t)t.mesh.node_count);
  mesh_lumped_mass(&t.mesh, s.density, m);
  for (int a = 0; a < t.mesh.node_count; a++) {
    mass += m[a];
    for (int i = 0; i < 3; i++) t.p[a][i] = i == 0 ? m[a] * (a < first ? speed : -speed) : 0;
  }
  MUST(simulation_set_state(t.simulation, NULL, (const double(*)[3])t.p, &error));
  const double at_start = energy_and_momentum(&t, before);
  *gained = *off = 0;
  while (t.steps < 40) {
    trial_step(&t);
    *gained = fmax(*gained, (energy_and_momentum(&t, after) - at_start) / at_start);
    for (int i = 0; i < 3; i++) *off = fmax(*off, fabs(after[i] - before[i]) / mass);
  }

  for (int a = 0; a < t.mesh.node_count; a++) parted += t.p[a][0] * (a < first ? -1 : 1) / mass;
  printf(
      "  E %.0e Pa, %s, %s%s: velocity of the common centre changes by %.1e m/s, "
      "energy gained %.1e of its initial value, balls part at %.2f m/s; "
      "%.1f Newton iterations per step, at most %d; %d steps with substeps, %d damped\n",
      of->young, precision_name(of->precision), integrators[of->integrator], of->cg_fixed ? "" : ", cg auto", *off,
      *gained, parted, (double)t.newton / t.steps, t.max_newton, t.substeps, t.damped);
  assert_int_equal(t.unfinished, 0);
  assert_int_equal(t.crossed, 0);
  assert_true(parted > -0.1 * speed && parted < speed);
  free(m);
  trial_end(&t);
}

// The first guess of Newton's method moves each node by its velocity times dt. Here the guess moves one ball to the far
// side of the other, where nothing touches and forces are small. This guess must be rejected. The balls meet centre to
// centre, so that they cannot pass beside each other within the step.
static void a_first_guess_does_not_jump_through(void **state) {
  (void)state;
  Error error = { 0 };
  Trial t = { 0 };
  TetMesh other = { 0 };
  MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 3, &t.mesh, &error));
  MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 3, &other, &error));
  const int first = t.mesh.node_count;
  mesh_append(&t.mesh, &other, (double[3]){ 0.55, 0.02, 0.01 });
  mesh_destroy(&other);
  SimulationSettings s = soft(1e5, PRECISION_F64);
  s.first_guess = FIRST_GUESS_VELOCITY;
  trial_start(&t, &s, NULL);
  const double speed = 1.3 / s.dt;  // relative speed: within one step the balls would pass each other
  double *m = malloc(sizeof *m * (size_t)t.mesh.node_count), mass = 0, middle[2] = { 0, 0 };
  mesh_lumped_mass(&t.mesh, s.density, m);
  for (int a = 0; a < t.mesh.node_count; a++) {
    mass += m[a] / 2;
    for (int i = 0; i < 3; i++) t.p[a][i] = i == 0 ? m[a] * speed * (a < first ? 0.5 : -0.5) : 0;
  }
  MUST(simulation_set_state(t.simulation, NULL, (const double(*)[3])t.p, &error));
  trial_step(&t);
  for (int a = 0; a < t.mesh.node_count; a++) middle[a >= first] += m[a] * t.x[a][0] / mass;
  printf("  the centres of the balls are at x = %.3f and %.3f m; %d steps with substeps\n", middle[0], middle[1],
         t.substeps);
  assert_int_equal(t.crossed, 0);
  assert_true(middle[0] < middle[1]);
  free(m);
  trial_end(&t);
}

// A simulation replaces another one during a measurement, as after a cut. The searches of both must be counted.
static void searches_are_counted_in_both_simulations_of_a_cut(void **state) {
  (void)state;
  Error error = { 0 };
  Profile profile;
  int64_t begin, end, made;  // numbers of searches: of the first simulation, and of the second at its start
  double seconds;
  Trial t[2] = { 0 };
  SimulationSettings s = soft(1e5, PRECISION_F64);
  for (int k = 0; k < 2; k++) {
    MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 3, &t[k].mesh, &error));
    trial_start(&t[k], &s, NULL);
  }
  int *from = malloc(sizeof *from * (size_t)t[0].mesh.node_count);
  for (int a = 0; a < t[0].mesh.node_count; a++) from[a] = a;
  Simulation *first = t[0].simulation, *second = t[1].simulation;
  contact_searches(first->contact, &begin, &seconds);
  contact_searches(second->contact, &made, &seconds);
  MUST(simulation_profile_start(first, &error));
  for (int k = 0; k < 5; k++) trial_step(&t[0]);
  contact_searches(first->contact, &end, &seconds);
  MUST(simulation_carry(second, first, from, &error));
  simulation_carry_profile(second, first);
  simulation_profile_stop(second, &profile);
  printf("  %lld searches in five steps, and %lld at the start of the second simulation\n", (long long)(end - begin),
         (long long)made);
  assert_true(end > begin);
  assert_int_equal(profile.searches, end - begin + made);
  assert_int_equal(profile.steps, 5);
  for (int k = 0; k < 2; k++) trial_end(&t[k]);
  free(from);
}

// Simulates collisions at 2 m/s. The bound on the change of the velocity of the common centre of mass is Newton's
// tolerance, 1e-3, times the speed. The bound on the gain in energy allows for the square of Newton's error, or for
// rounding in float.
static void check_collisions(const Collision *cases, size_t count) {
  double off, gained;
  for (size_t k = 0; k < count; k++) {
    collide(&cases[k], 2, &off, &gained);
    assert_true(off < 2e-3);
    assert_true(gained < 1e-5);
  }
}

static void balls_that_collide_keep_momentum_and_gain_no_energy(void **state) {
  (void)state;

  // The stiffest balls collide centrally and in double. With an offset they would spin, and in float the rounding
  // errors of the spin exceed the bounds of check_collisions, also without contact.
  const Integrator euler = INTEGRATOR_AUTO, midpoint = INTEGRATOR_MIDPOINT, bdf2 = INTEGRATOR_BDF2;
  const Precision single = PRECISION_F32, twice = PRECISION_F64;

  // columns: young, precision, beside, cg_fixed, integrator (struct Collision)
  const Collision cases[] = {
    { 1e4, single, 0.1, true, euler }, { 1e5, twice, 0.1, false, euler },    { 1e6, single, 0.1, true, euler },
    { 1e9, twice, 0, true, euler },    { 1e5, single, 0.1, true, midpoint }, { 1e7, twice, 0.1, true, midpoint },
    { 1e9, twice, 0, true, midpoint }, { 1e5, single, 0.1, true, bdf2 },     { 1e7, twice, 0.1, true, bdf2 },
    { 1e9, twice, 0, true, bdf2 },
  };
  check_collisions(cases, sizeof cases / sizeof *cases);

  // this collision is so fast that steps are halved
  double off, gained;
  const Collision fast = { 1e8, twice, 0.1, true, midpoint };
  collide(&fast, 20, &off, &gained);
  assert_true(off < 2e-2);
  assert_true(gained < 1e-2);
}

static void balls_of_other_stiffness_keep_momentum_and_gain_no_energy(void **state) {
  (void)state;
  const Integrator euler = INTEGRATOR_AUTO, midpoint = INTEGRATOR_MIDPOINT, bdf2 = INTEGRATOR_BDF2;
  const Precision single = PRECISION_F32, twice = PRECISION_F64;
  // columns: young, precision, beside, cg_fixed, integrator (struct Collision)
  const Collision cases[] = {
    { 1e4, twice, 0.1, true, euler }, { 1e5, twice, 0.1, true, euler },    { 1e6, single, 0.1, false, euler },
    { 1e7, twice, 0.1, true, euler }, { 1e4, twice, 0.1, true, midpoint }, { 1e6, twice, 0.1, true, midpoint },
    { 1e4, twice, 0.1, true, bdf2 },  { 1e6, twice, 0.1, true, bdf2 },
  };
  check_collisions(cases, sizeof cases / sizeof *cases);
}

// Makes a random pair x [4]. kind 0: a point and a triangle, 1: two edges, both in a cube of 2 m; 2: two nearly
// parallel edges.
static void random_pair(uint64_t *seed, int kind, double x[4][3]) {
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = random_unit(seed) * (kind < 2 ? 1 : 0.2);
  if (kind < 2) return;

  // an edge of 1 m, and an edge about 0.1 m away that is inclined by up to 0.08 radians
  for (int i = 0; i < 3; i++) {
    x[0][i] = 0;
    x[1][i] = i == 0;
  }
  for (int j = 2; j < 4; j++) {
    x[j][0] = (j == 2 ? -0.3 : 1.2) + 0.1 * random_unit(seed);
    x[j][1] = 0.05 * random_unit(seed);
    x[j][2] = 0.1 + 0.01 * random_unit(seed);
  }
}

// Returns the number of sides of the triangle x[1], x[2], x[3] that contain the triangle's nearest point to x[0]. For
// each such side, the weight of the opposite corner must be exactly 0.
static int count_sides(const double x[4][3], const double weight[4], double d) {
  int count = 0;
  for (int a = 1; a < 4; a++) {
    const int b = a % 3 + 1;
    const double t = nearest_on_edge(x[0], x[a], x[b]);
    double v[3];
    for (int i = 0; i < 3; i++) v[i] = x[0][i] - (1 - t) * x[a][i] - t * x[b][i];
    if (sqrt(dot3(v, v)) > d * (1 + 1e-12)) continue;
    assert_true(weight[6 - a - b] == 0);
    count++;
  }
  return count;
}

static void nearest_points_are_the_nearest_of_all(void **state) {
  (void)state;
  uint64_t seed = 1;
  enum { STEPS = 200 };
  int sides = 0;
  for (int round = 0; round < 300; round++) {
    const bool edges = round % 3 > 0;
    double x[4][3], weight[4], apart[3], least = HUGE_VAL;
    random_pair(&seed, round % 3, x);
    const double d = nearest_distance((const double(*)[3])x, edges, weight, apart);
    for (int k = 0; k <= STEPS; k++)
      for (int l = 0; l <= (edges ? STEPS : STEPS - k); l++) {
        const double s = (double)k / STEPS, t = (double)l / STEPS;
        const double w[4] = { edges ? 1 - s : 1, edges ? s : -(1 - s - t), edges ? -(1 - t) : -s, -t };
        double v[3] = { 0, 0, 0 };
        for (int j = 0; j < 4; j++)
          for (int i = 0; i < 3; i++) v[i] += w[j] * x[j][i];
        least = fmin(least, sqrt(dot3(v, v)));
      }

    // `least`, the least distance of points of a grid, may exceed d by the spacing of the grid
    assert_true(d <= least * (1 + 1e-12) && d > least - 0.02);
    assert_true(fabs(sqrt(dot3(apart, apart)) - d) < 1e-14);
    assert_true(fabs(weight[0] + weight[1] + weight[2] + weight[3]) < 1e-14);
    if (!edges) sides += count_sides((const double(*)[3])x, weight, d);
  }
  assert_true(sides > 20);
}

static void pushes_are_slopes_of_the_energy(void **state) {
  (void)state;
  uint64_t seed = 2;
  int touching = 0, smoothed = 0;
  for (int round = 0; round < 600; round++) {
    const bool edges = round % 3 > 0;
    const ContactPair pair = { .node = { 0, 1, 2, 3 }, .kind = edges, .reach = 0.4, .strength = 0.7, .across = 0.02 };
    double x[4][3], step = 1e-6, largest = 0, worst = 0, sum[3] = { 0, 0, 0 };
    Touch t, up, down;
    random_pair(&seed, round % 3, x);
    if (!pair_touches(&pair, 3, (const double(*)[3])x, &t)) continue;
    if (fabs(t.energy) < 1e-6 || !pair_touches(&pair, 3, (const double(*)[3])x, &up)) continue;
    touching++;

    // The nearest points of nearly parallel edges jump when a node moves, so differences of the energy are meaningless.
    double uv[2][3];
    subtract3(x[1], x[0], uv[0]);
    subtract3(x[3], x[2], uv[1]);
    const double across = dot3(uv[0], uv[0]) * dot3(uv[1], uv[1]) - pow(dot3(uv[0], uv[1]), 2);
    if (edges && across < 1e-6) continue;
    smoothed += edges && across < pair.across;
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) {
        const double at = x[j][i];
        x[j][i] = at + step;
        assert_true(pair_touches(&pair, 3, (const double(*)[3])x, &up));
        x[j][i] = at - step;
        assert_true(pair_touches(&pair, 3, (const double(*)[3])x, &down));
        x[j][i] = at;
        largest = fmax(largest, fabs(t.force[j][i]));
        worst = fmax(worst, fabs(t.force[j][i] + (up.energy - down.energy) / (2 * step)));
        sum[i] += t.force[j][i];
      }

    // tolerance: third derivatives times the square of `step`, plus rounding errors divided by `step`
    if (worst > 1e-4 * largest)
      fail_msg("round %d: a force differs from the slope of the energy by %g; the largest force is %g", round, worst,
               largest);
    for (int i = 0; i < 3; i++) assert_true(fabs(sum[i]) < 1e-12 * largest);
  }

  assert_true(touching > 200 && smoothed > 20);

  // the curvature of the barrier is the derivative of its slope by the distance
  for (double d = 0.01; d < 1; d += 0.01) {
    const BarrierValue b = barrier(d, 1), up = barrier(d + 1e-6, 1), down = barrier(d - 1e-6, 1);
    assert_true(fabs(b.curvature - (up.slope - down.slope) / 2e-6) < 1e-4 * b.curvature && b.curvature > 0);
    assert_true(b.slope < 0 && b.energy > 0);
  }
}

// The next test uses a flat surface of triangles: a sheared grid, so that six triangles meet at each inner node.
// grid_node computes the position of node (i, j).
enum { GRID = 7 };

static void grid_node(int i, int j, double x[3]) {
  x[0] = i + 0.4 * j;
  x[1] = j;
  x[2] = 0;
}

// Returns the contact energy of a pair: a point and a triangle of the grid, or a long edge and an edge of the grid.
// Adds the force on the point, or on the first node of the long edge, to `force`.
static double pair_energy_of(const ContactPair *pair, const double x[4][3], double force[3]) {
  Touch t;
  if (!pair_touches(pair, 3, x, &t)) return 0;
  for (int i = 0; i < 3; i++) force[i] += t.force[0][i];
  return t.energy;
}

// Moves a point, and a long edge, over a flat grid of triangles at a constant height. Their contact energies must not
// depend on the position, also above edges and nodes of the grid. So no force along the surface resists sliding.
static void a_flat_surface_has_no_ridges(void **state) {
  (void)state;
  const double height = 0.03, reach = 0.1;
  const double expected = 0.7 * 3 * barrier(height, reach).energy, slope = 0.7 * 3 * barrier(height, reach).slope;
  uint64_t seed = 31;
  double lines = -1;
  int corners = 0;
  for (int round = 0; round < 500; round++) {
    // Half of the points are near a node of the grid. There the nearest points are inside triangles, on sides and at
    // corners.
    double at[3], points = 0, force[3] = { 0, 0, 0 }, unused[3] = { 0, 0, 0 }, crossings = 0, x[4][3];
    grid_node(3, 3, at);
    for (int i = 0; i < 2; i++) at[i] += (round % 2 ? 0.6 : 0.07) * random_unit(&seed);
    at[2] = height;
    double middle[3];
    grid_node(3, 3, middle);
    corners += hypot(at[0] - middle[0], at[1] - middle[1]) < 0.09;
    for (int i = 0; i < GRID - 1; i++)
      for (int j = 0; j < GRID - 1; j++) {
        for (int upper = 0; upper < 2; upper++) {
          const ContactPair pair = { .kind = PAIR_POINT_TRIANGLE, .reach = reach, .strength = 0.7 };
          memcpy(x[0], at, sizeof x[0]);
          grid_node(i + upper, j, x[1]);
          grid_node(i + 1, j + upper, x[2]);
          grid_node(i, j + 1, x[3]);
          points += pair_energy_of(&pair, (const double(*)[3])x, force);
        }

        // steps from a grid node to the other ends of three edges at this node
        static const int side[3][2] = { { 1, 0 }, { 0, 1 }, { -1, 1 } };
        for (int k = 0; k < 3; k++) {
          // the long edge ends above the middles of two triangles
          const ContactPair pair = { .kind = PAIR_EDGES, .reach = reach, .strength = 0.7, .across = 1e-9 };
          grid_node(1, 2, x[0]);
          grid_node(5, 3, x[1]);
          grid_node(i, j, x[2]);
          grid_node(i + side[k][0], j + side[k][1], x[3]);
          x[0][0] += 0.45;
          x[0][1] += 0.33;
          x[1][0] += 0.45;
          x[1][1] += 0.33;
          x[0][2] = x[1][2] = height;
          for (int e = 0; e < 2; e++) x[e][1] += 0.1 * (at[1] - middle[1]);
          crossings += pair_energy_of(&pair, (const double(*)[3])x, unused);
        }
      }
    assert_true(fabs(points - expected) < 1e-12 * expected);
    assert_true(fabs(force[2] + slope) < 1e-12 * -slope && hypot(force[0], force[1]) < 1e-11 * -slope);
    if (lines < 0) lines = crossings;
    assert_true(lines > 5 * expected && fabs(crossings - lines) < 1e-12 * lines);
  }
  assert_true(corners > 100);
}

// Makes the matrix R of a rotation by a random angle about a random axis.
static void random_turn(uint64_t *seed, double R[3][3]) {
  double a[3];
  for (int i = 0; i < 3; i++) a[i] = random_unit(seed);
  const double length = sqrt(dot3(a, a)), angle = 6 * random_unit(seed), c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) a[i] /= length;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) R[i][k] = (1 - c) * a[i] * a[k] + (i == k ? c : 0);
  R[0][1] -= s * a[2];
  R[1][0] += s * a[2];
  R[0][2] += s * a[1];
  R[2][0] -= s * a[1];
  R[1][2] -= s * a[0];
  R[2][1] += s * a[0];
}

static void turn(const double R[3][3], const double v[3], double to[3]) {
  for (int i = 0; i < 3; i++) to[i] = dot3(R[i], v);
}

// A pair (a point and a triangle, or two edges) slides, and is then translated and rotated rigidly. The stretch of its
// friction spring must keep its length and rotate with the pair.
static void friction_springs_turn_with_their_pair(void **state) {
  (void)state;
  uint64_t seed = 21;
  int stuck = 0, slipped = 0;
  for (int round = 0; round < 600; round++) {
    const bool edges = round % 3 > 0;
    const ContactPair pair = { .node = { 0, 1, 2, 3 }, .kind = edges, .reach = 0.4, .strength = 0.7, .across = 0.02 };
    double start[4][3], x[4][3], e[3], R[3][3], expected[3], n[3], found[3];
    Touch t;
    Anchor anchor;
    random_pair(&seed, round % 3, start);
    if (!pair_touches(&pair, 3, (const double(*)[3])start, &t)) continue;
    Sliding s = { .node = { 0, 1, 2, 3 }, .limit = round % 2 ? 0.01 : 100, .tie = t.tie, .kind = edges };
    memcpy(s.weight, t.weight, sizeof s.weight);
    memcpy(s.n, t.n, sizeof s.n);
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) x[j][i] = start[j][i] + 0.1 * random_unit(&seed);
    const double path = sliding_path(&s, (const double(*)[3])start, (const double(*)[3])x, e);
    const double kept = fmin(1, s.limit / s.tie / path);
    if (!anchor_of(&s, (const double(*)[3])start, (const double(*)[3])x, (const double(*)[3])start, &anchor)) continue;
    stuck += kept == 1;
    slipped += kept < 1;
    assert_true(fabs(hypot(anchor.stretch[0], anchor.stretch[1]) - kept * path) < 1e-14);

    Error error = { 0 };
    Anchors anchors = { 0 };
    MUST(anchors_take(&anchors, &anchor, 1, (Stream){ 0 }, &error));
    random_turn(&seed, R);
    for (int j = 0; j < 4; j++) {
      turn((const double(*)[3])R, start[j], x[j]);
      for (int i = 0; i < 3; i++) x[j][i] += i - 3;
    }
    for (int i = 0; i < 3; i++) e[i] *= kept;
    turn((const double(*)[3])R, e, expected);
    turn((const double(*)[3])R, s.n, n);
    const AnchorTable *table = &anchors.table[anchors.now];
    anchor_find(table, s.node, edges, (const double(*)[3])x, n, found);
    for (int i = 0; i < 3; i++) assert_true(fabs(found[i] - expected[i]) < 1e-11 * kept * path);
    anchor_find(table, s.node, !edges, (const double(*)[3])x, n, found);
    assert_true(dot3(found, found) == 0);
    anchors_destroy(&anchors);
  }
  assert_true(stuck > 50 && slipped > 50);
}

// The hash table of anchors (stretches of friction springs) must return all inserted anchors, for any order of
// insertion. A rejected step must change nothing.
static void anchors_are_found_in_any_order(void **state) {
  (void)state;
  enum { PAIRS = 3000 };
  uint64_t seed = 22;
  Error error = { 0 };
  Anchors anchors = { 0 };
  AnchorTable *table;
  Anchor *pair = calloc(PAIRS, sizeof *pair), *list[2];
  int64_t count[2];
  for (int k = 0; k < PAIRS; k++) {
    pair[k] = (Anchor){ .node = { k % 50, k / 50 % 50, (int)(9 * fabs(random_unit(&seed))), k }, .stretch = { k, -k } };
    pair[k].kind = random_unit(&seed) < 0;
    pair[k].side = random_unit(&seed) < 0;
  }

  for (int round = 0; round < 2; round++) {
    for (int k = PAIRS - 1; k > 0; k--) {
      const int other = (int)((k + 1) * fabs(random_unit(&seed)));
      const Anchor kept = pair[k];
      pair[k] = pair[other];
      pair[other] = kept;
    }
    MUST(anchors_take(&anchors, pair, PAIRS, (Stream){ 0 }, &error));
    MUST(anchors_list(&anchors, (Stream){ 0 }, &list[round], &count[round], &error));
    assert_int_equal(count[round], PAIRS);
  }

  assert_memory_equal(list[0], list[1], sizeof *pair * PAIRS);
  const double x[4][3] = { { 0.2, 0.5, 1 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, n[3] = { 0, 0, 1 };
  for (int k = 0; k < PAIRS; k++) {
    double stretch[3];
    anchor_find(&anchors.table[anchors.now], pair[k].node, pair[k].kind, x, n, stretch);
    assert_true(fabs(dot3(stretch, stretch) - 2 * pair[k].stretch[0] * pair[k].stretch[0]) <=
                1e-14 * pair[k].stretch[0] * pair[k].stretch[0]);
  }

  // A step of two substeps is rejected. The next step is accepted, and half of its pairs stick.
  anchors_keep(&anchors, false);
  for (int part = 0; part < 2; part++) {
    MUST(anchors_renew(&anchors, 5 * PAIRS, (Stream){ 0 }, &table, &error));
    for (int k = 0; k < PAIRS; k++) anchor_put(table, &(Anchor){ .node = { k, part, 1, 2 } });
  }
  anchors_keep(&anchors, true);
  free(list[1]);
  MUST(anchors_list(&anchors, (Stream){ 0 }, &list[1], &count[1], &error));
  assert_int_equal(count[1], PAIRS);
  assert_memory_equal(list[0], list[1], sizeof *pair * PAIRS);
  anchors_scale(&anchors, 2);
  free(list[1]);
  MUST(anchors_list(&anchors, (Stream){ 0 }, &list[1], &count[1], &error));
  for (int k = 0; k < PAIRS; k++) assert_true(list[1][k].stretch[0] == 2 * list[0][k].stretch[0]);
  MUST(anchors_renew(&anchors, PAIRS / 2, (Stream){ 0 }, &table, &error));
  for (int k = 0; k < PAIRS / 2; k++) anchor_put(table, &pair[k]);
  free(list[1]);
  MUST(anchors_list(&anchors, (Stream){ 0 }, &list[1], &count[1], &error));
  assert_int_equal(count[1], PAIRS / 2);
  anchors_forget(&anchors);
  free(list[1]);
  MUST(anchors_list(&anchors, (Stream){ 0 }, &list[1], &count[1], &error));
  assert_int_equal(count[1], 0);
  anchors_destroy(&anchors);
  free(pair);
  free(list[0]);
  free(list[1]);
}

static void motions_end_before_a_pair_touches(void **state) {
  (void)state;
  uint64_t seed = 3;
  int stopped = 0;
  for (int round = 0; round < 2000; round++) {
    const bool edges = round % 2;
    double x[4][3], displacement[4][3], at[4][3], weight[4], apart[3], least = HUGE_VAL;
    random_pair(&seed, edges, x);
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) displacement[j][i] = 3 * random_unit(&seed);
    const double before = nearest_distance((const double(*)[3])x, edges, weight, apart);
    const double fraction =
        pair_advance((const double(*)[3])x, (const double(*)[3])displacement, edges, 0.2, 0, 1, NULL);
    assert_true(fraction > 0 && fraction <= 1);
    stopped += fraction < 1;

    // If `fraction` is below 0.3, a search up to 0.3 of the displacement returns `fraction` to the bit, otherwise 1. So
    // does a search for which 0.3 is the smallest fraction of other pairs.
    const double in_part =
        pair_advance((const double(*)[3])x, (const double(*)[3])displacement, edges, 0.2, 0, 0.3, NULL);
    assert_true(in_part == (fraction < 0.3 ? fraction : 1));
    const double others = 0.3;
    assert_true(pair_advance((const double(*)[3])x, (const double(*)[3])displacement, edges, 0.2, 0, 1, &others) ==
                in_part);
    for (int k = 0; k <= 2000; k++) {
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++) at[j][i] = x[j][i] + fraction * k / 2000 * displacement[j][i];
      least = fmin(least, nearest_distance((const double(*)[3])at, edges, weight, apart));
    }
    assert_true(least >= 0.1 * fmin(before, 0.2) * (1 - 1e-9));

    // a fraction below 1 ends with the pair close together
    if (fraction < 1) assert_true(least <= 0.2 * fmin(before, 0.2) * (1 + 1e-6));
  }
  assert_true(stopped > 100 && stopped < 1900);
}

// pair_closing returns an upper bound on the rate at which a pair's distance decreases. It is zero for a common
// translation, and for a motion perpendicular to the line of nearest points.
static void a_distance_falls_no_faster_than_a_pair_closes(void **state) {
  (void)state;
  const int node[4] = { 0, 1, 2, 3 };
  uint64_t seed = 5;
  int close = 0;
  for (int round = 0; round < 1000; round++) {
    const bool edges = round % 2;
    const int own = edges ? 2 : 1;
    double x[4][3], displacement[4][3], at[4][3], weight[4], apart[3], ignored[3], steepest = 0;
    random_pair(&seed, edges, x);
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) displacement[j][i] = 2 * random_unit(&seed);
    const double before = nearest_distance((const double(*)[3])x, edges, weight, apart);
    const double closing =
        pair_closing((const double(*)[3])x, (const double(*)[3])displacement, node, own, before, apart);
    for (int k = 1; k <= 200; k++) {
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++) at[j][i] = x[j][i] + k / 200.0 * displacement[j][i];
      const double now = nearest_distance((const double(*)[3])at, edges, weight, ignored);
      steepest = fmax(steepest, (before - now) / (k / 200.0));
    }
    assert_true(closing >= steepest - 1e-9);
    close += steepest > 0.5 * closing;

    // a common translation; the first point or edge also moves perpendicular to the line of nearest points
    const double across[3] = { apart[1], -apart[0], 0 };
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) displacement[j][i] = 3 * apart[0] + (j < own ? 5 * across[i] : 0);
    assert_true(pair_closing((const double(*)[3])x, (const double(*)[3])displacement, node, own, before, apart) < 1e-9);
  }
  assert_true(close > 100);  // for many pairs the bound is at most twice the actual rate
}

static void orientations_are_those_of_exact_arithmetic(void **state) {
  (void)state;
  const double a[3] = { 0.1, 0.1, 0.1 }, b[3] = { 1.1, 0.1, 0.1 }, c[3] = { 0.1, 1.3, 0.1 };
  assert_int_equal(tet_orientation(a, b, c, (double[3]){ 0.3, 0.3, 0.1 }), 0);
  assert_int_equal(tet_orientation(a, b, c, (double[3]){ 1e9, 3e8, 0.1 }), 0);
  assert_int_equal(tet_orientation(a, b, c, (double[3]){ 0.3, 0.3, nextafter(0.1, 1) }), 1);
  assert_int_equal(tet_orientation(a, b, c, (double[3]){ 1e9, 3e8, nextafter(0.1, 0) }), -1);

  // four points in an inclined plane; their coordinates are exact in float
  const double p[4][3] = { { 0, 0, 0 }, { 3, 0, 1 }, { 0, 3, 1 }, { 1e6 + 1, 2e6 + 2, 1e6 + 1 } };
  assert_int_equal(tet_orientation(p[0], p[1], p[2], p[3]), 0);
  assert_true(edge_crosses_triangle((double[3]){ 0.4, 0.4, -1 }, (double[3]){ 0.4, 0.4, 1 }, a, b, c));
  assert_false(edge_crosses_triangle((double[3]){ 0.4, 0.4, 0.2 }, (double[3]){ 0.4, 0.4, 1 }, a, b, c));
  assert_false(edge_crosses_triangle((double[3]){ 2, 2, -1 }, (double[3]){ 2, 2, 1 }, a, b, c));

  // this edge intersects a side of the triangle
  assert_true(edge_crosses_triangle((double[3]){ 0.6, 0.1, -1 }, (double[3]){ 0.6, 0.1, 1 }, a, b, c));
}

// Creates the contact of two balls. The second ball is translated by `by`, m. The positions contact->x are those of the
// mesh, displaced at random by up to `shaken`, m, along each axis. The caller destroys contact, mesh and space.
static Contact *random_balls(const double by[3], double shaken, uint64_t seed, TetMesh *mesh, Space *space) {
  Error error = { 0 };
  TetMesh other = { 0 };
  Surface surface = { 0 };
  Contact *contact;
  MUST(mesh_make_shape("sphere", (double[3]){ 1, 1, 1 }, 4, mesh, &error));
  MUST(mesh_make_shape("sphere", (double[3]){ 1, 1, 1 }, 3, &other, &error));
  mesh_append(mesh, &other, by);
  mesh_destroy(&other);
  MUST(space_create(space, mesh, 3, &error));
  MUST(surface_create(&surface, mesh, &error));
  MUST(contact_create(&contact, space, (const int(*)[3])surface.triangle, surface.triangle_count, NULL, &error));
  surface_destroy(&surface);
  contact->modulus = 1;
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) contact->x[a][i] = mesh->X[a][i] + shaken * random_unit(&seed);
  return contact;
}

// Two balls move by a fraction of the predicted displacement, each node with a small deviation, plus a large common
// translation. The list of near pairs must stay valid, and forces computed with it must have the same bits as those
// with a new list.
static void lists_stay_valid_under_common_translations(void **state) {
  (void)state;
  const double shares[] = { 0, 0.4, 1 };
  for (int round = 0; round < 6; round++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Space space = { 0 };
    uint64_t seed = (uint64_t)round + 41;
    Contact *c = random_balls((const double[3]){ 0.97, 0.1, 0.2 }, 0.02, seed, &mesh, &space);
    const int nodes = mesh.node_count;
    c->nearby.reach = 0.15;
    c->nearby.slack = 0.075;
    const double fraction = shares[round % 3];
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++)
        c->displacement[a][i] = round < 3 ? 0.1 * random_unit(&seed) + (i == 1) : 2 * (i == 2);
    MUST(nearby_find(&c->nearby, (const double(*)[3])c->x, (const double(*)[3])c->displacement, &error));
    for (int a = 0; a < nodes; a++)
      for (int i = 0; i < 3; i++)
        c->x[a][i] += fraction * c->displacement[a][i] + 0.02 * random_unit(&seed) + (const double[]){ 3, -1, 2 }[i];
    const NearbyMotion motion = nearby_motion(&c->nearby, (const double(*)[3])c->x);
    assert_true(nearby_is_valid(&c->nearby, &motion));
    assert_true(round < 3 ? fabs(motion.fraction - fraction) < 0.1 : motion.fraction == 0);
    double(*force)[3] = malloc(sizeof *force * (size_t)nodes);
    MUST(contact_settle(c, (const double(*)[3])c->x, &error));
    MUST(contact_forces(c, (const double(*)[3])c->x, &error));
    assert_true(c->nearby.searches == 1 && c->now.count > 20);
    memcpy(force, c->force, sizeof *force * (size_t)nodes);
    c->nearby.found = false;
    MUST(contact_settle(c, (const double(*)[3])c->x, &error));
    MUST(contact_forces(c, (const double(*)[3])c->x, &error));
    assert_int_equal(c->nearby.searches, 2);
    assert_memory_equal(c->force, force, sizeof *force * (size_t)nodes);
    c->x[0][0] += 2 * c->nearby.slack;
    const NearbyMotion off = nearby_motion(&c->nearby, (const double(*)[3])c->x);
    assert_false(nearby_is_valid(&c->nearby, &off));
    free(force);
    contact_destroy(c);
    space_destroy(&space);
    mesh_destroy(&mesh);
  }
}

// One of two balls moves far towards or away from the other. contact_bound computes the safe fraction of this
// displacement twice. First it uses a list of pairs for the whole displacement. Then it uses a list for the beginning
// of the displacement and, only if no pair limits the motion there, a list for the whole displacement. Both results
// must agree to the bit.
static void lists_for_the_beginning_of_a_motion_give_the_same_end(void **state) {
  (void)state;
  int tested_once = 0, tested_twice = 0;
  for (int round = 0; round < 8; round++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Space space = { 0 };
    Contact *c =
        random_balls((const double[3]){ round % 2 ? 1.3 : 6, 0.1, 0.2 }, 0.02, (uint64_t)round + 5, &mesh, &space);
    const double far = 16 * c->skin.mean_edge, sign = round < 4 ? 1 : -1;
    const size_t bytes = sizeof *c->displacement * (size_t)mesh.node_count;
    double whole, fraction, part;
    assert_true(contact_tested_fraction(c, far) < 1 && contact_tested_fraction(c, c->skin.mean_edge) == 1);
    for (int a = 0; a < mesh.node_count; a++) {
      c->displacement[a][0] = mesh.X[a][0] < 0.51 ? sign * far * (1 + 0.01 * round) : 0;
      c->displacement[a][1] = c->displacement[a][2] = 0;
    }
    double(*displacement)[3] = malloc(bytes);
    memcpy(displacement, c->displacement, bytes);
    MUST(nearby_find(&c->nearby, (const double(*)[3])c->x, (const double(*)[3])displacement, &error));
    MUST(contact_bound(c, (const double(*)[3])c->x, c->displacement, 0, &whole, &error));
    assert_int_equal(c->nearby.searches, 1);
    c->nearby.found = false;
    memcpy(c->displacement, displacement, bytes);
    MUST(contact_bound(c, (const double(*)[3])c->x, c->displacement, 0, &fraction, &error));
    assert_true(fraction == whole && fraction > 0);
    tested_once += c->nearby.searches == 2;
    tested_twice += c->nearby.searches == 3;

    // The list is valid for displacements up to the safe fraction, so the next call must not search again.
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) c->displacement[a][i] = fraction * displacement[a][i];
    const int64_t searches = c->nearby.searches;
    MUST(contact_bound(c, (const double(*)[3])c->x, c->displacement, 0, &part, &error));
    assert_true(part == 1 && c->nearby.searches == searches);
    free(displacement);
    contact_destroy(c);
    space_destroy(&space);
    mesh_destroy(&mesh);
  }
  assert_true(tested_once > 0 && tested_twice > 0);
}

// Returns the number of pairs whose two parts share no node. A pair is a vertex and a triangle, or two edges.
static int64_t pairs_apart(const Skin *skin) {
  int64_t count = 0;
  for (int k = 0; k < skin->vertex_count; k++)
    for (int t = 0; t < skin->triangle_count; t++) {
      const int *n = skin->triangle[t], a = skin->vertex[k];
      count += a != n[0] && a != n[1] && a != n[2];
    }
  for (int k = 0; k < skin->edge_count; k++)
    for (int l = k + 1; l < skin->edge_count; l++) {
      const int *e = skin->edge[k], *f = skin->edge[l];
      count += e[0] != f[0] && e[0] != f[1] && e[1] != f[0] && e[1] != f[1];
    }
  return count;
}

// The search for pairs uses a tree of bounding boxes (box_blocks.h). Empty slots of the tree have infinite boxes. If
// the reach is infinite, or a position exceeds the range of float, an empty slot may seem to be near. It must not enter
// the list of pairs.
static void empty_slots_are_in_no_pair(void **state) {
  (void)state;
  const double far[] = { 0, 0, 1e60, NAN }, reach[] = { 0.04, INFINITY, 0.04, 0.04 };
  for (int cells = 1; cells <= 5; cells += 4)
    for (int round = 0; round < 4; round++) {
      Error error = { 0 };
      TetMesh mesh = { 0 };
      Space space = { 0 };
      Surface surface = { 0 };
      Contact *c;
      MUST(mesh_make_shape("box", (double[3]){ 1, 1, 1 }, cells, &mesh, &error));
      MUST(space_create(&space, &mesh, 3, &error));
      MUST(surface_create(&surface, &mesh, &error));
      MUST(contact_create(&c, &space, (const int(*)[3])surface.triangle, surface.triangle_count, NULL, &error));
      c->nearby.reach = reach[round];
      c->nearby.slack = 0.02;
      memcpy(c->x, mesh.X, sizeof *mesh.X * (size_t)mesh.node_count);
      for (int i = 0; i < 3; i++) c->x[mesh.node_count / 2][i] += far[round];
      MUST(nearby_find(&c->nearby, (const double(*)[3])c->x, (const double(*)[3])c->displacement, &error));
      if (round == 1) assert_int_equal(c->nearby.pair_count, pairs_apart(&c->skin));
      for (int64_t k = 0; k < c->nearby.pair_count; k++)
        for (int j = 0; j < 4; j++) {
          const int *node = c->nearby.pair[k].node;
          assert_in_range(node[j], 0, mesh.node_count - 1);
          for (int l = 0; l < j; l++) assert_int_not_equal(node[j], node[l]);
        }
      contact_destroy(c);
      surface_destroy(&surface);
      space_destroy(&space);
      mesh_destroy(&mesh);
    }
}

// Two boxes have edges that are parallel, nearly parallel, or parallel up to rounding. The boxes move together, past
// each other, or with random displacements of their nodes. The search in blocks must find the same pairs as a test of
// every pair.
static void lists_have_every_pair_that_may_touch(void **state) {
  (void)state;
  const double turns[] = { 0, 1e-7, 1e-3, 0.4 }, shaken[] = { 0, 0, 1e-4, 0.03 }, random_motions[] = { 0, 0.02, 0.2 };
  for (int round = 0; round < 12; round++) {
    Error error = { 0 };
    TetMesh mesh = { 0 }, other = { 0 };
    Space space = { 0 };
    Surface surface = { 0 };
    Contact *c;
    uint64_t seed = (uint64_t)round + 3;
    MUST(mesh_make_shape("box", (double[3]){ 1, 1, 0.4 }, 3, &mesh, &error));
    MUST(mesh_make_shape("box", (double[3]){ 1, 1, 0.4 }, 2, &other, &error));
    mesh_append(&mesh, &other, (double[3]){ 0.1, 0.15, 0.44 });
    MUST(space_create(&space, &mesh, 3, &error));
    MUST(surface_create(&surface, &mesh, &error));
    MUST(contact_create(&c, &space, (const int(*)[3])surface.triangle, surface.triangle_count, NULL, &error));
    c->nearby.reach = 0.04;
    c->nearby.slack = 0.02;
    const int first = mesh.node_count - other.node_count;
    const double turn = turns[round % 4], far = round < 6 ? 0 : 300;
    for (int a = 0; a < mesh.node_count; a++) {
      const double *X = mesh.X[a], along = a < first ? 0 : turn * X[2], across = a < first ? 0 : turn * X[0];
      const double at[3] = { X[0] + along, X[1], X[2] - across };
      for (int i = 0; i < 3; i++) {
        c->x[a][i] = at[i] + shaken[round % 4] * random_unit(&seed) + far;
        c->displacement[a][i] =
            random_motions[round % 3] * random_unit(&seed) + (i == 0 ? 3 : 0) - (i == 2 && a >= first ? 0.3 : 0);
      }
    }
    MUST(nearby_find(&c->nearby, (const double(*)[3])c->x, (const double(*)[3])c->displacement, &error));
    const Skin *skin = &c->skin;
    const SkinNodes nodes = { (const double(*)[3])skin->X, skin->factor, skin->component, skin->body_nodes,
                              skin->active_nodes };
    const float near = (float)(1.000001 * (c->nearby.reach + 2 * c->nearby.slack));
    int64_t count = 0;
    double sum = 0, found = 0;
    for (int edges = 0; edges < 2; edges++)
      for (int k = 0; k < (edges ? skin->edge_count : skin->vertex_count); k++)
        for (int l = edges ? k + 1 : 0; l < (edges ? skin->edge_count : skin->triangle_count); l++) {
          const int *e = skin->edge[edges ? k : 0], *f = skin->edge[edges ? l : 0], *t = skin->triangle[edges ? 0 : l];
          const int a = edges ? e[0] : skin->vertex[k], b = edges ? e[1] : t[0], d = edges ? f[0] : t[1];
          const int node[4] = { a, b, d, edges ? f[1] : t[2] };
          const bool shares = a == d || a == node[3] || (edges ? b == d || b == node[3] : a == b);
          const double(*x)[3] = (const double(*)[3])c->x, (*displacement)[3] = (const double(*)[3])c->displacement;
          const Box own = box_of_nodes(x, displacement, node, edges ? 2 : 1);
          const Box partner = box_of_nodes(x, displacement, node + (edges ? 2 : 1), edges ? 2 : 3);
          ContactPair pair;
          if (shares || !boxes_overlap(&own, &partner, near) ||
              !pair_candidate(&nodes, x, displacement, node, edges, 1, c->nearby.reach, c->nearby.slack, &pair))
            continue;
          count++;
          sum += pair.distance + 1e-6 * (a + b + d + node[3]);
        }
    for (int64_t k = 0; k < c->nearby.pair_count; k++) {
      const ContactPair *p = &c->nearby.pair[k];
      found += p->distance + 1e-6 * (p->node[0] + p->node[1] + p->node[2] + p->node[3]);
    }
    assert_true(count > 100);
    assert_int_equal(c->nearby.pair_count, count);
    assert_true(fabs(found - sum) < 1e-9 * sum);
    contact_destroy(c);
    surface_destroy(&surface);
    space_destroy(&space);
    mesh_destroy(&mesh);
    mesh_destroy(&other);
  }
}

// Computes contact of every pair without a search: forces [node_count] N, and the energy, J, which are added to *force
// and *energy. Returns the number of pairs that touch. X: positions at rest, m. reach: contact distance, m.
static int touch_all_pairs(const Contact *c, const double (*X)[3], double reach, double (*force)[3], double *energy) {
  const Skin *skin = &c->skin;
  int touching = 0;
  for (int edges = 0; edges < 2; edges++)
    for (int k = 0; k < (edges ? skin->edge_count : skin->vertex_count); k++)
      for (int l = edges ? k + 1 : 0; l < (edges ? skin->edge_count : skin->triangle_count); l++) {
        const int *e = edges ? skin->edge[k] : NULL, *f = edges ? skin->edge[l] : NULL;
        const int *t = edges ? NULL : skin->triangle[l], v = edges ? 0 : skin->vertex[k];
        ContactPair pair = { .kind = edges, .reach = reach };
        if (edges)
          memcpy(pair.node, (int[4]){ e[0], e[1], f[0], f[1] }, sizeof pair.node);
        else
          memcpy(pair.node, (int[4]){ v, t[0], t[1], t[2] }, sizeof pair.node);
        bool shares = false;
        for (int i = 0; i < 4; i++)
          for (int j = i + 1; j < 4; j++) shares = shares || pair.node[i] == pair.node[j];
        if (shares) continue;
        double x[4][3], u[3], w[3];
        for (int j = 0; j < 4; j++) memcpy(x[j], c->x[pair.node[j]], sizeof x[j]);
        if (skin->component[pair.node[0]] == skin->component[pair.node[3]])
          pair.reach = fmin(reach, 0.5 * pair_rest_distance((const double(*)[3])skin->X, pair.node, edges));
        pair.strength = edges ? (skin->edge_area[k] + skin->edge_area[l]) / 4 : skin->vertex_area[k];
        subtract3(X[pair.node[1]], X[pair.node[0]], u);
        subtract3(X[pair.node[3]], X[pair.node[2]], w);
        pair.across = 1e-2 * dot3(u, u) * dot3(w, w);
        Touch touch;
        if (!pair_touches(&pair, 1, (const double(*)[3])x, &touch)) continue;
        touching++;
        *energy += touch.energy;
        for (int j = 0; j < 4; j++)
          for (int i = 0; i < 3; i++) force[pair.node[j]][i] += touch.force[j][i];
      }
  return touching;
}

static void touching_pairs_are_found_after_any_search(void **state) {
  (void)state;
  for (int round = 0; round < 4; round++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Space space = { 0 };
    uint64_t seed = (uint64_t)round + 5;
    Contact *c = random_balls((const double[3]){ 0.95 + 0.02 * round, 0.1, 0.2 }, 0.02, seed, &mesh, &space);
    const size_t bytes = sizeof *c->force * (size_t)mesh.node_count;

    // The reach of contact is about the size of an element, so that pairs within one ball also touch.
    c->nearby.reach = 0.15;
    c->nearby.slack = 0.075;
    double(*force)[3] = calloc((size_t)mesh.node_count, sizeof *force), energy = 0, scale = 0, off = 0;
    const int touching = touch_all_pairs(c, (const double(*)[3])mesh.X, 0.15, force, &energy);
    assert_true(touching > 20);
    MUST(contact_settle(c, (const double(*)[3])c->x, &error));
    MUST(contact_forces(c, (const double(*)[3])c->x, &error));
    assert_int_equal(c->now.count, touching);
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        scale = fmax(scale, fabs(force[a][i]));
        off = fmax(off, fabs(force[a][i] - c->force[a][i]));
      }

    // tolerance: sums of some tens of terms in another order
    assert_true(off <= 1e-12 * scale && fabs(c->now.energy - energy) <= 1e-12 * energy);

    // A list that was found at other positions must give the same bits, if its predicted displacement passes near the
    // present positions.
    memcpy(force, c->force, bytes);
    double(*from)[3] = malloc(bytes), (*displacement)[3] = malloc(bytes);
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        displacement[a][i] = 0.3 * random_unit(&seed) + 0.5 * (i == 1);
        from[a][i] = c->x[a][i] - 0.4 * displacement[a][i] + 1e-3 * random_unit(&seed);
      }
    MUST(nearby_find(&c->nearby, (const double(*)[3])from, (const double(*)[3])displacement, &error));
    const NearbyMotion motion = nearby_motion(&c->nearby, (const double(*)[3])c->x);
    assert_true(nearby_is_valid(&c->nearby, &motion) && motion.fraction > 0.3 && motion.fraction < 0.5);
    const int64_t searches = c->nearby.searches;
    MUST(contact_settle(c, (const double(*)[3])c->x, &error));
    MUST(contact_forces(c, (const double(*)[3])c->x, &error));
    assert_int_equal(c->nearby.searches, searches);
    assert_int_equal(c->now.count, touching);
    assert_memory_equal(force, c->force, bytes);
    free(force);
    free(from);
    free(displacement);
    contact_destroy(c);
    space_destroy(&space);
    mesh_destroy(&mesh);
  }
}

static void crossings_are_counted_as_one_by_one(void **state) {
  (void)state;
  const double apart[] = { 0.7, 0.9, 1.2 };
  for (int round = 0; round < 3; round++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Space space = { 0 };
    Crossings found;
    int64_t count = 0;
    Contact *c = random_balls((const double[3]){ apart[round], 0.1, 0.05 }, 0.005, 9, &mesh, &space);
    const Skin *s = &c->skin;
    for (int k = 0; k < s->edge_count; k++)
      for (int l = 0; l < s->triangle_count; l++) {
        const int *e = s->edge[k], *t = s->triangle[l];
        bool shares = false;
        for (int j = 0; j < 3; j++) shares = shares || t[j] == e[0] || t[j] == e[1];
        count += !shares && edge_crosses_triangle(c->x[e[0]], c->x[e[1]], c->x[t[0]], c->x[t[1]], c->x[t[2]]);
      }
    MUST(find_crossings(&c->skin, (const double(*)[3])c->x, &found, &error));
    assert_int_equal(found.count, count);
    assert_int_equal(count > 0, round < 2);
    assert_int_equal(contact_check(c, (const double(*)[3])c->x, mesh.node_tag, &error), round == 2);
    assert_int_equal(strstr(error.message, "intersects itself") != NULL, round < 2);
    contact_destroy(c);
    space_destroy(&space);
    mesh_destroy(&mesh);
  }
}

// Creates a simulation of two blocks. One block falls onto the other.
static Simulation *two_blocks(bool sticks, TetMesh *mesh) {
  Error error = { 0 };
  TetMesh other = { 0 };
  Simulation *simulation;
  MUST(mesh_make_shape("box", (double[3]){ 0.4, 0.4, 0.2 }, 3, mesh, &error));
  MUST(mesh_make_shape("box", (double[3]){ 0.3, 0.3, 0.2 }, 2, &other, &error));
  mesh_append(mesh, &other, (double[3]){ 0.05, 0.03, 0.21 });
  mesh_destroy(&other);
  SimulationSettings s = soft(1e5, PRECISION_F32);
  s.has_floor = true;
  s.floor_height = -0.001;
  s.gravity[2] = -9.81;
  s.gravity[0] = 1;
  s.friction = 0.3;
  s.friction_sticks = sticks;
  MUST(simulation_create(&simulation, mesh, &s, NULL, &error));
  return simulation;
}

static void step(Simulation *simulation, int count) {
  Error error = { 0 };
  StepReport report;
  for (int k = 0; k < count; k++) MUST(simulation_step(simulation, &report, &error));
}

// Copies positions, then momenta, to `to` [2 * nodes][3].
static void take_state(Simulation *simulation, int nodes, double *to) {
  Error error = { 0 };
  MUST(simulation_state(simulation, (double(*)[3])to, (double(*)[3])(to + 3 * nodes), &error));
}

static void compare_bits(bool sticks) {
  TetMesh mesh = { 0 }, again = { 0 };
  Simulation *a = two_blocks(sticks, &mesh), *b = two_blocks(sticks, &again);
  const size_t bytes = sizeof(double) * 6 * (size_t)mesh.node_count;
  double *of_a = malloc(bytes), *of_b = malloc(bytes);
  parallel_set_threads(1);
  step(a, 12);
  parallel_set_threads(0);
  step(b, 6);

  // continues in another simulation, whose list of pairs is from other positions
  mesh_destroy(&again);
  Simulation *c = two_blocks(sticks, &again);
  step(c, 3);
  copy_state(b, c);
  step(c, 6);
  take_state(a, mesh.node_count, of_a);
  take_state(c, mesh.node_count, of_b);
  assert_memory_equal(of_a, of_b, bytes);
  simulation_destroy(a);
  simulation_destroy(b);
  simulation_destroy(c);
  mesh_destroy(&mesh);
  mesh_destroy(&again);
  free(of_a);
  free(of_b);
}

static void the_bits_are_the_same_for_any_threads_and_after_a_restart(void **state) {
  (void)state;
  for (int sticks = 0; sticks < 2; sticks++) compare_bits(sticks);
}

static void invalid_input_is_refused(void **state) {
  (void)state;
  TetMesh mesh = { 0 }, other = { 0 };
  Simulation *simulation = NULL;
  Error error = { 0 };
  const double size[3] = { 1, 1, 1 };
  MUST(mesh_make_shape("box", size, 1, &mesh, &error));
  MUST(mesh_make_shape("box", size, 1, &other, &error));
  mesh_append(&mesh, &other, (const double[3]){ 0.5, 0.4, 0.3 });
  const SimulationSettings good = soft(1e5, PRECISION_F32);
  SimulationSettings s = good;
  assert_false(simulation_create(&simulation, &mesh, &s, NULL, &error));
  assert_non_null(strstr(error.message, "the surface intersects itself: the edge of nodes "));

  // without self_contact the mesh is accepted
  error = (Error){ 0 };
  s.self_contact = false;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  simulation_destroy(simulation);
  const struct {
    SolverDevice solver_device;
    const char *solver, *expected;
  } cases[] = {
    { SOLVER_DEVICE_CUDA, "", "self_contact requires body and solver on one device" },
    { SOLVER_DEVICE_SAME, "resident", "does not support self_contact" },
  };
  mesh_destroy(&mesh);
  MUST(mesh_make_shape("box", size, 1, &mesh, &error));
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    s = good;
    s.solver_device = cases[k].solver_device;
    snprintf(s.solver, sizeof s.solver, "%s", cases[k].solver);
    error = (Error){ 0 };
    assert_false(simulation_create(&simulation, &mesh, &s, NULL, &error));
    if (!strstr(error.message, cases[k].expected)) fail_msg("%s", error.message);
  }

  // simulation_set_state checks for intersections, too
  mesh_append(&mesh, &other, (const double[3]){ 1.5, 0.1, 0.2 });
  error = (Error){ 0 };
  MUST(simulation_create(&simulation, &mesh, &good, NULL, &error));
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  for (int a = 0; a < mesh.node_count; a++)
    for (int i = 0; i < 3; i++) x[a][i] = mesh.X[a][i] - (i == 0 && a >= other.node_count ? 0.8 : 0);
  assert_false(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
  assert_non_null(strstr(error.message, "the surface intersects itself"));
  step(simulation, 1);  // the refused state has changed nothing
  simulation_destroy(simulation);
  free(x);
  mesh_destroy(&mesh);
  mesh_destroy(&other);
}

// Compares the reported force between two bodies, including friction, with the contact code of the CPU. `before` and
// `after` are the positions before and after the last step.
static void check_report(Simulation *simulation, const TetMesh *mesh, const SimulationSettings *s,
                         const double (*before)[3], const double (*after)[3]) {
  Error error = { 0 };
  Space space = { 0 };
  Surface surface = { 0 };
  Contact *c;
  BodyContact *list;
  double expected[3] = { 0, 0, 0 }, barrier = 0;
  int count;
  MUST(space_create(&space, mesh, 3, &error));
  MUST(surface_create(&surface, mesh, &error));
  MUST(contact_create(&c, &space, (const int(*)[3])surface.triangle, surface.triangle_count, NULL, &error));
  c->modulus = CONTACT_MODULUS * young_modulus(s->mu, s->lambda);
  c->friction = s->friction;
  if (s->friction_speed > 0) c->still_speed = s->friction_speed;
  MUST(contact_settle(c, before, &error));
  MUST(contact_begin(c, before, s->dt, &error));
  MUST(contact_settle(c, after, &error));
  MUST(contact_forces(c, after, &error));
  for (int k = 0; k < c->skin.vertex_count; k++)
    for (int i = 0; i < 3 && mesh->body[c->skin.vertex[k]] == 0; i++) expected[i] += c->force[c->skin.vertex[k]][i];
  for (int64_t k = 0; k < c->now.count; k++) barrier += c->now.touch[k].push * c->now.touch[k].n[0];
  MUST(contact_of_bodies(simulation, &list, &count, &error));
  assert_int_equal(count, 1);
  assert_int_equal(list->touching, c->now.count);

  // rounding errors of positions are 1e-16 m, some 1e-12 of the distance of a pair
  for (int i = 0; i < 3; i++) assert_true(fabs(list->force[i] - expected[i]) < 1e-11 * list->push);

  // along x, friction contributes nearly all of the force, and the barrier hardly any
  assert_true(fabs(expected[0]) > 0.1 * list->push && fabs(barrier) < 0.01 * list->push);
  free(list);
  contact_destroy(c);
  surface_destroy(&surface);
  space_destroy(&space);
}

// Results of a simulation of a block on a slope.
typedef struct Slid {
  double t, displacement, speed;  // duration, s; displacement down the slope, m; speed at the end, m/s
  double gained;                  // largest increase of the energy in a step, J
  double lost, slipped;           // energy lost, J, and distance slipped, m, in the second half of the steps
  double mass;
} Slid;

// Simulates `steps` steps of a block on a pinned block, on a slope of `degrees`, with friction 0.5. Both blocks have
// Young's modulus `young`, Pa. If `sticks` is true, friction uses springs. Otherwise friction falls to zero below the
// sliding speed `still`, m/s; 0 selects the default speed.
static Slid slide_of(double degrees, double still, bool sticks, double young, int steps) {
  Slid slid = { .gained = -HUGE_VAL };
  Error error = { 0 };
  TetMesh mesh = { 0 }, other = { 0 };
  Simulation *simulation;
  const double slope = degrees * 3.14159265358979 / 180, gap = 0.001;
  MUST(mesh_make_shape("box", (double[3]){ 1, 0.5, 0.2 }, 2, &mesh, &error));
  MUST(mesh_make_shape("box", (double[3]){ 0.2, 0.2, 0.1 }, 2, &other, &error));
  const int below = mesh.node_count;
  mesh_append(&mesh, &other, (double[3]){ -0.3, 0.013, 0.2 + gap });
  mesh_destroy(&other);
  const int nodes = mesh.node_count;
  mesh.body = malloc(sizeof *mesh.body * (size_t)nodes);
  for (int a = 0; a < nodes; a++) mesh.body[a] = a >= below;
  SimulationSettings s = soft(young, PRECISION_F64);
  s.gravity[0] = 9.81 * sin(slope);
  s.gravity[2] = -9.81 * cos(slope);
  s.friction = 0.5;
  s.newton_max = 60;
  s.friction_speed = still;
  s.friction_sticks = sticks;

  // The default, euler_spin, changes momenta within Newton's tolerance. This would hide the speed of creep.
  if (!sticks) s.integrator = INTEGRATOR_EULER;
  uint8_t *pinned = calloc((size_t)nodes, 1);
  for (int a = 0; a < below; a++) pinned[a] = PIN_ALL;
  MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
  double(*x)[3] = malloc(sizeof *x * (size_t)nodes), (*p)[3] = malloc(sizeof *p * (size_t)nodes);
  double *m = malloc(sizeof *m * (size_t)nodes), mass = 0, momentum = 0;
  mesh_lumped_mass(&mesh, s.density, m);
  for (int a = below; a < nodes; a++) mass += m[a];
  double before = HUGE_VAL;
  for (int k = 0; k < steps; k++) {
    Energy energy;
    if (k == steps - 1) MUST(simulation_state(simulation, p, NULL, &error));
    step(simulation, 1);
    MUST(simulation_state(simulation, x, NULL, &error));
    MUST(simulation_energy(simulation, &energy, &error));
    const double now = energy.kinetic + energy.elastic + energy.potential;
    if (k > 0) slid.gained = fmax(slid.gained, now - before);
    before = now;
    double along = 0;
    for (int a = below; a < nodes; a++) along += m[a] * (x[a][0] - mesh.X[a][0]) / mass;
    if (k == steps / 2 - 1) {
      slid.lost = now;
      slid.slipped = -along;
    }
    if (k == steps - 1) {
      slid.lost -= now;
      slid.slipped += along;
      slid.displacement = along;
    }
  }

  if (!sticks) check_report(simulation, &mesh, &s, (const double(*)[3])p, (const double(*)[3])x);
  MUST(simulation_state(simulation, NULL, p, &error));
  for (int a = below; a < nodes; a++) momentum += p[a][0];
  slid.mass = mass;
  slid.speed = momentum / mass;
  slid.t = simulation_time(simulation);
  for (int a = below; a < nodes; a++) assert_true(x[a][2] > 0.2);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(pinned);
  free(x);
  free(p);
  free(m);
  return slid;
}

static void slide(double degrees, double still, double *t, double *displacement, double *speed) {
  const Slid slid = slide_of(degrees, still, false, 1e6, 24);
  *t = slid.t;
  *displacement = slid.displacement;
  *speed = slid.speed;
}

// A block that friction springs hold does not creep. At 20 and 26 degrees, below the friction angle of 26.57 degrees,
// it comes to rest and stays at rest. At 28 degrees it slides like a rigid body, and the energy that it loses is the
// friction force times the distance. The energy never rises.
static void friction_springs_hold_a_block_at_rest(void **state) {
  (void)state;
  const double youngs[] = { 1e5, 1e8 }, degrees[3] = { 20, 26, 28 };
  for (int k = 0; k < 2; k++) {
    Slid slid[3];
    for (int d = 0; d < 3; d++) slid[d] = slide_of(degrees[d], 0, true, youngs[k], 90);
    const double slope = 28 * 3.14159265358979 / 180, pull = 9.81 * (sin(slope) - 0.5 * cos(slope));
    const double weight = slid[2].mass * 9.81, rubbed = 0.5 * weight * cos(slope) * slid[2].slipped;
    printf(
        "  E %.0e Pa: at 20 and 26 degrees slides %.1e and %.1e m, of this %.1e and %.1e m in the last 45 steps; "
        "at 28 degrees has %.3f m/s, a rigid block %.3f, and loses %.4f times the work of friction; "
        "energy rises in a step by at most %.1e of the weight times 1 m\n",
        youngs[k], slid[0].displacement, slid[1].displacement, slid[0].slipped, slid[1].slipped, slid[2].speed,
        pull * slid[2].t, slid[2].lost / rubbed, fmax(slid[0].gained, fmax(slid[1].gained, slid[2].gained)) / weight);
    for (int d = 0; d < 2; d++) {
      assert_true(slid[d].displacement > 0 && slid[d].displacement < 0.01);  // it falls by 1 mm, and is sheared
      assert_true(fabs(slid[d].slipped) < 1e-9);
      assert_true(fabs(slid[d].speed) < 1e-9);
    }
    assert_true(fabs(slid[2].speed - pull * slid[2].t) < 0.1 * pull * slid[2].t);
    assert_true(fabs(slid[2].lost / rubbed - 1) < 0.01);
    for (int d = 0; d < 3; d++) assert_true(slid[d].gained < 1e-7 * weight);
  }
}

// With smooth friction and the coefficient 0.5, a block creeps on a slope of 20 degrees, no faster than about
// friction_speed. On a slope of 35 degrees it slides like a rigid block.
static void blocks_stick_and_slide_by_coulombs_law(void **state) {
  (void)state;
  double t, displacement, speed;
  slide(20, 0, &t, &displacement, &speed);
  printf("  at 20 degrees: slides %.2g m in %.2f s, and has %.2g m/s at the end\n", displacement, t, speed);

  // The block is sheared. It creeps at about the default of `still`, 1e-3/s times the extent of the surface.
  assert_true(displacement > 0 && displacement < 0.005 && speed < 2e-3);
  const double creeps = speed, still = 2e-5;
  slide(20, still, &t, &displacement, &speed);
  printf("  at 20 degrees, with friction_speed %.0e m/s: slides %.2g m, and has %.2g m/s at the end\n", still,
         displacement, speed);
  assert_true(fabs(speed) < still && fabs(speed) < 0.1 * creeps);
  slide(35, 0, &t, &displacement, &speed);
  const double expected = 9.81 * (sin(35 * 3.14159265358979 / 180) - 0.5 * cos(35 * 3.14159265358979 / 180)) * t;
  printf("  at 35 degrees: %.3f m/s after %.2f s, a rigid block %.3f m/s\n", speed, t, expected);
  assert_true(fabs(speed - expected) < 0.1 * expected);
}

// Drags the tips of two fingers through each other's positions and back, for `steps` steps. The largest displacement is
// `swing` times the distance of the tips. kept_apart: with self-contact; without it, the fingers must intersect.
static void fingers(int steps, double swing, Precision precision, Integrator integrator, bool kept_apart) {
  Error error = { 0 };
  Trial t = { 0 };
  char path[PATH_LENGTH];
  asset_path("meshes/hand_coarse.msh", path);
  MUST(mesh_read(path, 1, &t.mesh, &error));
  const size_t n = (size_t)t.mesh.node_count;
  uint8_t *pinned = calloc(n, 1);
  int tip[2] = { 0, -1 };
  for (int a = 0; a < t.mesh.node_count; a++) {
    pinned[a] = t.mesh.X[a][2] < 0.02 ? PIN_ALL : 0;
    if (t.mesh.X[a][2] > t.mesh.X[tip[0]][2]) tip[0] = a;
  }
  for (int a = 0; a < t.mesh.node_count; a++) {
    double d[3];
    subtract3(t.mesh.X[a], t.mesh.X[tip[0]], d);
    if (sqrt(dot3(d, d)) > 0.15 && (tip[1] < 0 || t.mesh.X[a][2] > t.mesh.X[tip[1]][2])) tip[1] = a;
  }

  SimulationSettings s = simulation_defaults();
  s.self_contact = kept_apart;
  s.device = device;
  s.integrator = integrator;
  s.precision = precision;
  s.mu = 5;
  s.lambda = 2;
  s.density = 1;
  s.damping = 0.5;
  s.newton_max = 60;
  trial_start(&t, &s, pinned);
  double between[3], X[2][3];
  for (int k = 0; k < 2; k++) memcpy(X[k], t.mesh.X[tip[k]], sizeof X[k]);
  subtract3(X[1], X[0], between);
  int id[2];
  for (int k = 0; k < 2; k++)
    MUST(simulation_grab(t.simulation, X[k], 0.05, 3 * simulation_mouse_stiffness(t.simulation, -1), &id[k], &error));
  for (int step = 1; step <= steps; step++) {
    const double phase = 2 * 3.14159265358979 * step / 60;
    for (int k = 0; k < 2; k++) {
      const double sign = k ? -1 : 1, over = swing * 0.5 * (1 - cos(phase)) * sign,
                   round = 0.1 * sin(1.7 * phase) * sign;
      const double to[3] = { over * between[0] - round * between[1], over * between[1] + round * between[0],
                             over * between[2] - 0.1 * fabs(sin(0.5 * phase)) };
      MUST(simulation_drag(t.simulation, id[k], to, &error));
    }
    trial_step(&t);
  }

  printf(
      "  %d steps in %s, integrator %s: %.1f Newton iterations per step, at most %d; %d steps did not converge, "
      "%d with substeps, %d damped, %d with intersections\n",
      steps, precision_name(precision), integrators[integrator], (double)t.newton / t.steps, t.max_newton, t.unfinished,
      t.substeps, t.damped, t.crossed);
  assert_int_equal(t.crossed > 0, !kept_apart);
  free(pinned);
  trial_end(&t);
}

static void fingers_that_are_dragged_do_not_go_through(void **state) {
  (void)state;
  // without contact the fingers intersect from step 11 on
  fingers(16, 2, PRECISION_F32, INTEGRATOR_EULER, false);
  fingers(20, 2, PRECISION_F32, INTEGRATOR_EULER, true);
  fingers(16, 2, PRECISION_F32, INTEGRATOR_MIDPOINT, true);
  fingers(16, 2, PRECISION_F32, INTEGRATOR_BDF2, true);
}

static void fingers_that_are_dragged_for_long_do_not_go_through(void **state) {
  (void)state;
  fingers(3000, 3, PRECISION_F32, INTEGRATOR_EULER, true);
  fingers(600, 3, PRECISION_F64, INTEGRATOR_EULER, true);
  fingers(600, 3, PRECISION_F32, INTEGRATOR_MIDPOINT, true);
  fingers(600, 3, PRECISION_F64, INTEGRATOR_BDF2, true);
}

#ifdef PLIANT_CUDA
static void *sent(Stream stream, void *to, const void *from, size_t bytes) {
  Error error = { 0 };
  MUST(device_upload(stream, to, from, bytes, &error));
  MUST(stream_sync(stream, &error));
  return to;
}

static void *fetched(Stream stream, void *to, const void *from, size_t bytes) {
  Error error = { 0 };
  MUST(device_download(stream, to, from, bytes, &error));
  MUST(stream_sync(stream, &error));
  return to;
}

// Returns max |a - b| / max |b| over `count` entries, or NaN if an entry of a is not finite.
static double apart_by(const double *a, const double *b, size_t count) {
  double largest = 0, off = 0;
  for (size_t k = 0; k < count; k++) {
    largest = fmax(largest, fabs(b[k]));
    off = fmax(off, fabs(a[k] - b[k]));
  }
  for (size_t k = 0; k < count; k++)
    if (!(fabs(a[k]) < HUGE_VAL)) return NAN;
  return off == 0 ? 0 : off / largest;
}

static void check_forces(Contact *c, Stream stream) {
  ContactCuda *g = c->cuda;
  Error error = { 0 };
  const size_t vertices = (size_t)c->skin.vertex_count;
  double(*force)[3] = malloc(sizeof *force * vertices), (*expected)[3] = malloc(sizeof *expected * vertices);
  MUST(contact_settle(c, (const double(*)[3])c->x, &error));
  MUST(contact_forces(c, (const double(*)[3])c->x, &error));
  MUST(contact_cuda_forces(g, stream, &error));
  fetched(stream, force, g->force, sizeof *force * vertices);
  for (size_t v = 0; v < vertices; v++) memcpy(expected[v], c->force[c->skin.vertex[v]], sizeof *expected);
  assert_true(c->now.count > 20);
  assert_int_equal(g->on_host->count, c->now.count);

  // tolerance: sums of some tens of terms, and another rounding of the logarithm
  assert_true(apart_by(&force[0][0], &expected[0][0], 3 * vertices) < 1e-11);
  assert_true(fabs(g->on_host->energy - c->now.energy) < 1e-11 * c->now.energy);
  assert_true(fabs(g->on_host->friction_energy - c->friction_energy) <= 1e-11 * c->friction_energy);
  free(force);
  free(expected);
}

static void check_tangent(Contact *c, Stream stream, uint64_t *seed) {
  enum { DOTS = 3 };
  ContactCuda *g = c->cuda;
  Error error = { 0 };
  const size_t vertices = (size_t)c->skin.vertex_count, n = 3 * (size_t)c->skin.node_count, bytes = n * sizeof(double);
  double(*blocks)[6] = malloc(sizeof *blocks * vertices),
  (*of_node)[6] = calloc((size_t)c->skin.node_count, sizeof *of_node);
  double(*expected)[6] = malloc(sizeof *expected * vertices);
  MUST(contact_tangent(c, (const double(*)[3])c->x, 0.7, 0, &error));
  MUST(contact_cuda_tangent(g, 0.7, 0, stream, &error));
  for (int64_t k = 0; k < c->coupling_count; k++)
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 6; i++) {
        const Coupling *t = &c->coupling[k];
        of_node[t->node[j]][i] += t->weight[j] * t->weight[j] * t->B[i];
      }
  fetched(stream, blocks, g->diagonal_blocks, sizeof *blocks * vertices);
  for (size_t v = 0; v < vertices; v++) memcpy(expected[v], of_node[c->skin.vertex[v]], sizeof *expected);
  assert_true(apart_by(&blocks[0][0], &expected[0][0], 6 * vertices) < 1e-11);
  free(blocks);
  free(of_node);
  free(expected);

  // `apply` adds the product of the contact matrix with x to y
  double *x = malloc(bytes), *y = malloc(bytes), *of_gpu = malloc(bytes), dots[DOTS] = { 0 }, dot[1] = { 0 }, sum = 0;
  for (size_t i = 0; i < n; i++) {
    x[i] = random_unit(seed);
    y[i] = random_unit(seed);
  }
  double *x_dev = device_clone(DEVICE_CUDA, x, bytes, &error), *y_dev = device_clone(DEVICE_CUDA, y, bytes, &error);
  double *dots_dev = device_clone(DEVICE_CUDA, dots, sizeof dots, &error);
  const OperatorTerm term = { .context = c };
  MUST(self_contact_cpu_f64.apply(&term, x, y, dot, 1, (Stream){ 0 }, &error));
  MUST(self_contact_cuda_f64.apply(&term, x_dev, y_dev, dots_dev, DOTS, stream, &error));
  fetched(stream, of_gpu, y_dev, bytes);
  fetched(stream, dots, dots_dev, sizeof dots);
  for (int k = 0; k < DOTS; k++) sum += dots[k];
  assert_true(fabs(dot[0]) > 1e-3);
  assert_true(apart_by(of_gpu, y, n) < 1e-11 && fabs(sum - dot[0]) < 1e-10 * fabs(dot[0]));
  device_free(DEVICE_CUDA, x_dev);
  device_free(DEVICE_CUDA, y_dev);
  device_free(DEVICE_CUDA, dots_dev);
  free(x);
  free(y);
  free(of_gpu);
}

static void check_bound(Contact *c, double far, Stream stream, uint64_t *seed) {
  ContactCuda *g = c->cuda;
  Error error = { 0 };
  const size_t bytes = sizeof *c->displacement * (size_t)c->skin.node_count;
  double fraction, of_gpu;
  for (int a = 0; a < c->skin.node_count; a++)
    for (int i = 0; i < 3; i++) c->displacement[a][i] = far * random_unit(seed);
  sent(stream, g->displacement, c->displacement, bytes);
  MUST(contact_bound(c, (const double(*)[3])c->x, c->displacement, 0, &fraction, &error));
  MUST(contact_cuda_bound(g, 0, &of_gpu, stream, &error));
  assert_true(fraction > 0);

  // The safe fraction of a pair is a sum of some tens of advances, which end when the two parts of the pair are near
  // each other. Because of rounding, CPU and GPU may end after different numbers of advances.
  if (!(fabs(fraction - of_gpu) < 1e-9 * fraction))
    fail_msg("displacements of %g m: safe fraction %.17g on the GPU, %.17g on the CPU", far, of_gpu, fraction);
}

static void a_gpu_agrees_with_the_cpu(void **state) {
  (void)state;
  for (int round = 0; round < 4; round++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Space space = { 0 };
    Stream stream;
    uint64_t seed = (uint64_t)round + 11;
    Contact *c = random_balls((const double[3]){ 0.95 + 0.02 * round, 0.1, 0.2 }, 0.02, seed, &mesh, &space);
    MUST(stream_create(DEVICE_CUDA, &stream, &error));
    MUST(contact_cuda_create(&c->cuda, c, &error));
    ContactCuda *g = c->cuda;
    const size_t bytes = sizeof *c->x * (size_t)mesh.node_count;
    c->nearby.reach = 0.15;
    c->nearby.slack = 0.075;
    c->friction = round % 2 ? 0.4 : 0;

    // begins a step with small displacements
    sent(stream, g->x, c->x, bytes);
    MUST(contact_settle(c, (const double(*)[3])c->x, &error));
    MUST(contact_begin(c, (const double(*)[3])c->x, 0.01, &error));
    MUST(contact_cuda_settle(g, stream, &error));
    MUST(contact_cuda_begin(g, 0.01, stream, &error));
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) c->x[a][i] += 0.002 * random_unit(&seed);
    sent(stream, g->x, c->x, bytes);
    MUST(contact_cuda_settle(g, stream, &error));
    assert_int_equal(g->searches, 1);
    check_forces(c, stream);
    check_tangent(c, stream, &seed);

    // Lists that CPU and GPU find at other positions must have the same pairs in the same order. If the predicted
    // displacement passes through the present positions, forces must also have the same bits.
    const size_t force_bytes = sizeof *g->force * (size_t)g->vertex_count;
    double(*force)[3] = malloc(force_bytes), (*again)[3] = malloc(force_bytes), (*here)[3] = malloc(bytes);
    fetched(stream, force, g->force, force_bytes);
    memcpy(here, c->x, bytes);
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        c->displacement[a][i] = 0.3 * random_unit(&seed) + 0.5 * (i == 1);
        c->x[a][i] -= 0.4 * c->displacement[a][i] - 3 * i;  // all nodes also move by 0, 3 and 6 m along x, y and z
      }
    sent(stream, g->x, c->x, bytes);
    sent(stream, g->displacement, c->displacement, bytes);
    MUST(nearby_find(&c->nearby, (const double(*)[3])c->x, (const double(*)[3])c->displacement, &error));
    g->slack = c->nearby.slack;
    MUST(contact_cuda_find(g, (const double(*)[3])g->displacement, 1, stream, &error));
    assert_int_equal(g->pair_count, c->nearby.pair_count);
    ContactPair *pair = malloc(sizeof *pair * (size_t)g->pair_count);
    fetched(stream, pair, g->pair, sizeof *pair * (size_t)g->pair_count);
    for (int k = 0; k < g->pair_count; k++) {
      const ContactPair *p = &c->nearby.pair[k];
      assert_memory_equal(pair[k].node, p->node, sizeof p->node);
      assert_true(pair[k].kind == p->kind && fabs(pair[k].reach - p->reach) < 1e-14 &&
                  fabs(pair[k].strength - p->strength) < 1e-14 && fabs(pair[k].across - p->across) < 1e-14);
    }
    memcpy(c->x, here, bytes);
    sent(stream, g->x, c->x, bytes);
    MUST(contact_cuda_settle(g, stream, &error));
    assert_int_equal(g->searches, 2);
    MUST(contact_cuda_forces(g, stream, &error));
    fetched(stream, again, g->force, force_bytes);
    assert_memory_equal(again, force, force_bytes);
    free(force);
    free(again);
    free(here);
    free(pair);

    const double far[] = { 1e-3, 0.05, 0.5, 20 };
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) check_bound(c, far[k], stream, &seed);
    contact_destroy(c);
    stream_destroy(&stream);
    space_destroy(&space);
    mesh_destroy(&mesh);
  }
}

// Moves the nodes of two balls at random. After each step CPU and GPU must hold the same friction anchors. A second run
// on the GPU must give the same bits.
static void anchors_on_a_gpu_equal_those_on_the_cpu(void **state) {
  (void)state;
  enum { STEPS = 4 };
  Error error = { 0 };
  Stream stream;
  TetMesh mesh[3] = { 0 };
  Space space[3] = { 0 };
  Contact *c[3];  // c[0] on the CPU, c[1] and c[2] on the GPU
  MUST(stream_create(DEVICE_CUDA, &stream, &error));
  for (int k = 0; k < 3; k++) {
    c[k] = random_balls((const double[3]){ 0.97, 0.1, 0.2 }, 0.02, 31, &mesh[k], &space[k]);
    c[k]->nearby.reach = 0.15;
    c[k]->nearby.slack = 0.075;
    c[k]->friction = 0.4;
    c[k]->sticks = true;
    if (k > 0) MUST(contact_cuda_create(&c[k]->cuda, c[k], &error));
  }

  uint64_t seed = 32;
  const int nodes = mesh[0].node_count;
  const size_t bytes = sizeof *c[0]->x * (size_t)nodes;
  int64_t maximum = 0;
  for (int step = 0; step < STEPS; step++) {
    Anchor *list[3];
    int64_t count[3];
    for (int k = 0; k < 3; k++) {
      ContactCuda *g = c[k]->cuda;
      anchors_keep(&c[k]->anchors, false);
      memcpy(c[k]->x, c[0]->x, bytes);
      if (k == 0) MUST(contact_settle(c[k], (const double(*)[3])c[k]->x, &error));
      if (k == 0) MUST(contact_begin(c[k], (const double(*)[3])c[k]->x, 0.01, &error));
      if (k == 0) continue;
      sent(stream, g->x, c[k]->x, bytes);
      MUST(contact_cuda_settle(g, stream, &error));
      MUST(contact_cuda_begin(g, 0.01, stream, &error));
      MUST(contact_cuda_report_sliding(g, c[k], stream, &error));
      assert_int_equal(c[k]->sliding_count, c[0]->sliding_count);
      for (int64_t s = 0; s < c[0]->sliding_count; s++) {
        const Sliding *expected = &c[0]->sliding[s], *other = &c[k]->sliding[s];
        assert_memory_equal(other->node, expected->node, sizeof expected->node);
        for (int i = 0; i < 3; i++) assert_true(fabs(other->stretch[i] - expected->stretch[i]) < 1e-12);
      }
    }

    // rotates all nodes about z, and displaces each at random
    for (int a = 0; a < nodes; a++) {
      const double x = c[0]->x[a][0], y = c[0]->x[a][1], angle = 0.3;
      c[0]->x[a][0] = cos(angle) * x - sin(angle) * y;
      c[0]->x[a][1] = sin(angle) * x + cos(angle) * y;
      for (int i = 0; i < 3; i++) c[0]->x[a][i] += 0.002 * random_unit(&seed);
    }
    MUST(contact_stick(c[0], (const double(*)[3])c[0]->x, &error));
    for (int k = 0; k < 3; k++) {
      if (k > 0) sent(stream, c[k]->cuda->x, c[0]->x, bytes);
      if (k > 0) MUST(contact_cuda_stick(c[k]->cuda, &c[k]->anchors, stream, &error));
      MUST(anchors_list(&c[k]->anchors, k ? stream : (Stream){ 0 }, &list[k], &count[k], &error));
    }
    assert_int_equal(count[1], count[0]);
    for (int64_t s = 0; s < count[0]; s++) {
      assert_memory_equal(list[1][s].node, list[0][s].node, sizeof list[0][s].node);
      assert_true(list[1][s].kind == list[0][s].kind && list[1][s].side == list[0][s].side);
      for (int i = 0; i < 2; i++) assert_true(fabs(list[1][s].stretch[i] - list[0][s].stretch[i]) < 1e-12);
    }
    assert_int_equal(count[2], count[1]);
    assert_memory_equal(list[2], list[1], sizeof **list * (size_t)count[1]);
    maximum = count[0] > maximum ? count[0] : maximum;
    for (int k = 0; k < 3; k++) free(list[k]);
  }

  printf("  at most %lld pairs stick\n", (long long)maximum);
  assert_true(maximum > 20);
  for (int k = 0; k < 3; k++) {
    contact_destroy(c[k]);
    space_destroy(&space[k]);
    mesh_destroy(&mesh[k]);
  }
  stream_destroy(&stream);
}

static void compare_bits_of_a_gpu(bool sticks) {
  TetMesh mesh[3] = { 0 };
  double *of[2];
  for (int k = 0; k < 2; k++) {
    Simulation *a = two_blocks(sticks, &mesh[k]), *b = NULL;
    of[k] = malloc(sizeof *of[k] * 6 * (size_t)mesh[k].node_count);
    step(a, k ? 12 : 6);
    if (k == 0) {  // continues in a simulation with another list of pairs
      b = two_blocks(sticks, &mesh[2]);
      step(b, 3);
      copy_state(a, b);
      step(b, 6);
    }
    take_state(b ? b : a, mesh[k].node_count, of[k]);
    simulation_destroy(a);
    simulation_destroy(b);
  }
  assert_memory_equal(of[0], of[1], sizeof *of[0] * 6 * (size_t)mesh[0].node_count);
  for (int k = 0; k < 3; k++) mesh_destroy(&mesh[k]);
  free(of[0]);
  free(of[1]);
}

static void a_gpu_steps_to_the_same_bits_in_every_run(void **state) {
  (void)state;
  for (int sticks = 0; sticks < 2; sticks++) compare_bits_of_a_gpu(sticks);
}

static int test_cuda(void) {
  const struct CMUnitTest cuda[] = {
    cmocka_unit_test(a_gpu_agrees_with_the_cpu),
    cmocka_unit_test(anchors_on_a_gpu_equal_those_on_the_cpu),
    cmocka_unit_test(a_gpu_steps_to_the_same_bits_in_every_run),
    cmocka_unit_test(balls_that_collide_keep_momentum_and_gain_no_energy),
    cmocka_unit_test(a_first_guess_does_not_jump_through),
    cmocka_unit_test(blocks_stick_and_slide_by_coulombs_law),
    cmocka_unit_test(friction_springs_hold_a_block_at_rest),
    cmocka_unit_test(fingers_that_are_dragged_do_not_go_through),
  };
  return cmocka_run_group_tests(cuda, NULL, NULL);
}
#else
static int test_cuda(void) {
  return EXIT_SKIPPED;
}
#endif

int main(int count, char **words) {
  const struct CMUnitTest quick[] = {
    cmocka_unit_test(nearest_points_are_the_nearest_of_all),
    cmocka_unit_test(pushes_are_slopes_of_the_energy),
    cmocka_unit_test(a_flat_surface_has_no_ridges),
    cmocka_unit_test(friction_springs_turn_with_their_pair),
    cmocka_unit_test(anchors_are_found_in_any_order),
    cmocka_unit_test(motions_end_before_a_pair_touches),
    cmocka_unit_test(a_distance_falls_no_faster_than_a_pair_closes),
    cmocka_unit_test(orientations_are_those_of_exact_arithmetic),
    cmocka_unit_test(lists_for_the_beginning_of_a_motion_give_the_same_end),
    cmocka_unit_test(lists_stay_valid_under_common_translations),
    cmocka_unit_test(lists_have_every_pair_that_may_touch),
    cmocka_unit_test(empty_slots_are_in_no_pair),
    cmocka_unit_test(searches_are_counted_in_both_simulations_of_a_cut),
    cmocka_unit_test(touching_pairs_are_found_after_any_search),
    cmocka_unit_test(crossings_are_counted_as_one_by_one),
    cmocka_unit_test(balls_that_collide_keep_momentum_and_gain_no_energy),
    cmocka_unit_test(a_first_guess_does_not_jump_through),
    cmocka_unit_test(blocks_stick_and_slide_by_coulombs_law),
    cmocka_unit_test(friction_springs_hold_a_block_at_rest),
    cmocka_unit_test(the_bits_are_the_same_for_any_threads_and_after_a_restart),
    cmocka_unit_test(invalid_input_is_refused),
    cmocka_unit_test(fingers_that_are_dragged_do_not_go_through),
  };
  const struct CMUnitTest slow[] = {
    cmocka_unit_test(balls_of_other_stiffness_keep_momentum_and_gain_no_energy),
    cmocka_unit_test(fingers_that_are_dragged_for_long_do_not_go_through),
  };
  if (count > 2) cmocka_set_test_filter(words[2]);
  if (count > 1 && strcmp(words[1], "cuda") == 0)
    return choose_device(count, words, &device) ? test_cuda() : EXIT_SKIPPED;
  if (count > 1 && strcmp(words[1], "slow") == 0) return cmocka_run_group_tests(slow, NULL, NULL);
  return cmocka_run_group_tests(quick, NULL, NULL);
}
