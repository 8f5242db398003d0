// Tests planes and the floor with self-contact: each is a half space that repels vertices of bodies by a barrier
// energy. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../obstacle_testing.h"

#include "base/parallel.h"
#include "sim/contact/advance.h"
#include "sim/contact/candidate.h"
#include "sim/contact_report.h"
#include "sim/untangle.h"
#include "../work_budget.h"

// Makes a plane through the point (x, y, z) with this unit normal.
static Obstacle plane_through(double x, double y, double z, const double normal[3], double friction) {
  Obstacle o = { .kind = OBSTACLE_PLANE, .centre = { x, y, z }, .friction = friction };
  const double aside[3] = { fabs(normal[0]) < 0.6, fabs(normal[0]) >= 0.6, 0 };
  memcpy(o.axis[2], normal, sizeof o.axis[2]);
  cross3(aside, normal, o.axis[0]);
  const double length = sqrt(dot3(o.axis[0], o.axis[0]));
  for (int i = 0; i < 3; i++) o.axis[0][i] /= length;
  cross3(o.axis[2], o.axis[0], o.axis[1]);
  return o;
}

// Makes a random pair of a point x[0] and a plane through x[1], x[2] and x[3]. The point is above the plane, by more
// than 0.01. In a third of the cases, the displacements move the point through the plane. If `turns` is true, they also
// rotate the plane.
static void random_half_space(uint64_t *seed, bool turns, double x[4][3], double displacement[4][3]) {
  double weight[4], apart[3], common[3];
  do {
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) x[j][i] = random_unit(seed);
  } while (!(nearest_point_plane((const double(*)[3])x, weight, apart) > 0.01));
  for (int i = 0; i < 3; i++) common[i] = random_unit(seed);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++)
      displacement[j][i] = j == 0 ? 2 * random_unit(seed) : common[i] + turns * 0.3 * random_unit(seed);
}

static void at_fraction(const double x[4][3], const double displacement[4][3], double t, double at[4][3]) {
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) at[j][i] = x[j][i] + t * displacement[j][i];
}

// Checks the point of a plane that is nearest to a given point. It is stored as weights of the plane's three nodes,
// which may be far away. Also checks the distance of the given point from the plane.
static void a_point_has_its_nearest_point_in_the_plane(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int round = 0; round < 200; round++) {
    double x[4][3], displacement[4][3], weight[4], apart[3], normal[3], u[3], v[3];
    random_half_space(&seed, true, x, displacement);

    // moves the point parallel to the plane
    for (int i = 0; i < 3; i++) x[0][i] += 5 * (x[2][i] - x[1][i]) - 3 * (x[3][i] - x[1][i]);
    const double d = nearest_distance((const double(*)[3])x, PAIR_POINT_PLANE, weight, apart);
    assert_true(fabs(weight[0] + weight[1] + weight[2] + weight[3]) < 1e-9);
    subtract3(x[2], x[1], u);
    subtract3(x[3], x[1], v);
    cross3(u, v, normal);
    const double scale = 1e-10 / sqrt(dot3(normal, normal));
    assert_true(fabs(dot3(apart, u)) < scale && fabs(dot3(apart, v)) < scale && dot3(apart, normal) > 0);
    assert_true(fabs(sqrt(dot3(apart, apart)) - d) < 1e-12);
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int j = 0; j < 4; j++) sum += weight[j] * x[j][i];
      assert_true(fabs(sum - apart[i]) < scale * (1 + fabs(weight[1]) + fabs(weight[2]) + fabs(weight[3])));
    }

    // a point below the plane has the distance 0
    for (int i = 0; i < 3; i++) x[0][i] -= 1.001 * apart[i];
    assert_true(nearest_distance((const double(*)[3])x, PAIR_POINT_PLANE, weight, apart) == 0);
  }
}

// pair_advance returns the fraction of the displacements up to which the point is safe, also if the plane rotates. Up
// to this fraction, the point must keep a tenth of its initial distance, or of the reach of contact, 0.2, if that is
// smaller. If the plane does not rotate and the fraction is below 1, exactly this distance must remain.
static void no_step_leads_through_a_plane(void **state) {
  (void)state;
  enum { PARTS = 1000 };
  uint64_t seed = 7;
  int stopped = 0;
  for (int round = 0; round < 3000; round++) {
    double x[4][3], displacement[4][3], at[4][3], weight[4], apart[3];
    random_half_space(&seed, round % 3 > 0, x, displacement);
    const double before = nearest_point_plane((const double(*)[3])x, weight, apart);
    const double keeps = 0.1 * fmin(before, 0.2);
    const double fraction =
        pair_advance((const double(*)[3])x, (const double(*)[3])displacement, PAIR_POINT_PLANE, 0.2, 0, 1, NULL);
    double nearest = HUGE_VAL;
    for (int k = 0; k <= PARTS; k++) {
      at_fraction((const double(*)[3])x, (const double(*)[3])displacement, fraction * k / PARTS, at);
      nearest = fmin(nearest, nearest_point_plane((const double(*)[3])at, weight, apart));
    }
    if (nearest < keeps * (1 - 1e-9))
      fail_msg("round %d: the distance falls to %g m, but %g m must remain", round, nearest, keeps);
    stopped += fraction < 1;
    if (round % 3 > 0 || fraction == 1) continue;
    at_fraction((const double(*)[3])x, (const double(*)[3])displacement, fraction, at);
    assert_true(fabs(nearest_point_plane((const double(*)[3])at, weight, apart) - keeps) < 1e-12);

    // pair_advance returns 1 if the pair cannot lower the result: if the fraction of another pair (`least`) is smaller,
    // or if the pair is safe within the tested part of the displacements.
    const double least = fraction / 2;
    assert_true(pair_advance((const double(*)[3])x, (const double(*)[3])displacement, PAIR_POINT_PLANE, 0.2, 0, 1,
                             &least) == 1);
    assert_true(pair_advance((const double(*)[3])x, (const double(*)[3])displacement, PAIR_POINT_PLANE, 0.2, 0,
                             fraction / 2, NULL) == 1);
  }
  assert_true(stopped > 600 && stopped < 2400);
}

// A list of contact pairs is valid for a range of states. In all these states, pairs that are not in the list must stay
// farther apart than the reach of contact.
static void a_list_leaves_out_no_pair_that_may_touch(void **state) {
  (void)state;
  uint64_t seed = 11;
  int left_out = 0;
  for (int round = 0; round < 4000; round++) {
    double x[4][3], displacement[4][3], at[4][3], weight[4], apart[3];
    random_half_space(&seed, round % 2, x, displacement);

    // moves the point parallel to the plane, by up to four times one side of the triangle of the plane's nodes
    for (int i = 0; i < 3; i++) x[0][i] += (round % 5) * (x[2][i] - x[1][i]);
    ContactPair pair = { .node = { 0, 1, 2, 3 }, .kind = PAIR_POINT_PLANE };
    pair_approach((const double(*)[3])x, (const double(*)[3])displacement, &pair);
    const double reach = 0.05, slack = 0.005;
    if (pair_least_distance(&pair, 1, slack) <= reach) continue;
    left_out++;
    for (int k = 0; k < 50; k++) {
      at_fraction((const double(*)[3])x, (const double(*)[3])displacement, fabs(random_unit(&seed)), at);
      for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++) at[j][i] += slack / sqrt(3) * random_unit(&seed);
      const double d = nearest_point_plane((const double(*)[3])at, weight, apart);
      if (d < reach) fail_msg("round %d: a pair that the list left out is only %g m apart", round, d);
    }
  }
  assert_true(left_out > 400);
}

// Squeezes a cube of 1 m to `height`, m, between two obstacles of one kind. Returns the force on the upper obstacle, N;
// *tall receives the cube's final height, m.
static double squeeze(ObstacleKind kind, double height, double *tall) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *simulation;
  Watch watch;
  Walk walk = { 0 };
  BodyContact *list;
  int count;
  double force = 0, low = HUGE_VAL, high = -HUGE_VAL;
  MUST(mesh_make_box(4, 4, 4, (double[3]){ 1, 1, 1 }, &mesh, &error));
  SimulationSettings s = soft(1e5, PRECISION_F64);
  s.newton_relative = 1e-6;
  s.cg_relative = 1e-6;
  s.damping = 5;
  s.obstacle_count = 2;
  for (int k = 0; k < 2; k++) {
    Obstacle *o = &s.obstacles[k];
    *o = plane_through(0.51, 0.52, k ? 1.002 : -0.002, (double[3]){ 0, 0, k ? -1 : 1 }, 0);
    if (kind == OBSTACLE_BOX) {
      o->kind = OBSTACLE_BOX;
      o->size[0] = 2.3;
      o->size[1] = 1.7;
      o->size[2] = 0.1;
      o->centre[2] += k ? 0.1 : -0.1;
    }
  }

  s.obstacles[1].motion.point_count = 2;
  s.obstacles[1].motion.path[1][0] = 1;
  s.obstacles[1].motion.path[1][3] = height - 1.004;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  watch_start(&watch, &mesh, &s);
  for (int step = 0; step < 90; step++) walk_step(&walk, simulation, &watch);
  for (int a = 0; a < mesh.node_count; a++) {
    low = fmin(low, watch.x[a][2]);
    high = fmax(high, watch.x[a][2]);
  }
  MUST(contact_of_bodies(simulation, &list, &count, &error));
  for (int k = 0; k < count; k++)
    if (list[k].body[1] == -2) force = -list[k].force[2];
  *tall = high - low;
  printf("  between %s: force %.2f N, height %.5f m; %.1f Newton iterations per step, %d substeps in all\n",
         kind == OBSTACLE_BOX ? "boxes" : "planes", force, *tall, walk.newton / 90.0, walk.parts);
  assert_true(walk.crossed == 0 && walk.unfinished == 0);
  free(list);
  watch_end(&watch);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  return force;
}

// Planes exert the same force on a body as boxes, and keep the same distance from it.
static void planes_squeeze_as_boxes_do(void **state) {
  (void)state;
  double tall[2];
  const double planes = squeeze(OBSTACLE_PLANE, 0.5, &tall[0]), boxes = squeeze(OBSTACLE_BOX, 0.5, &tall[1]);
  assert_true(fabs(planes - boxes) < 0.01 * boxes);
  assert_true(fabs(tall[0] - tall[1]) < 1e-4 && tall[0] < 0.5 && tall[0] > 0.495);
}

// A cube with edges of 0.4 m lands on the floor at 50 m/s, so it moves by 0.83 m, about two edge lengths, per step. It
// stays above the floor, also in float, and its energy never exceeds the initial energy.
static void a_fast_landing_stays_above_the_floor(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    Error error = { 0 };
    Simulation *simulation;
    Watch watch;
    Walk walk = { 0 };

    // Young's modulus, Pa; in float the softest body has 1e5 Pa, since rounding errors are too large for 1e4 Pa
    const double youngs[] = { 1e4, 1e6, 1e9 }, young = k ? youngs[k % 3] : 1e5;
    TetMesh mesh = box(3, 3, 3, (double[3]){ 0.4, 0.4, 0.4 });
    for (int a = 0; a < mesh.node_count; a++) mesh.X[a][2] += 1;
    SimulationSettings s = soft(young, k / 3 ? PRECISION_F64 : PRECISION_F32);
    s.gravity[2] = -9.81;
    s.has_floor = true;
    s.friction = 0.3;

    // a wide tolerance, since in float the gap of 1e-5 m has few correct digits, and so has the contact force
    s.newton_relative = 1e-3;
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    throw_body(simulation, &mesh, (double[3]){ 5, 0, -50 });
    watch_start(&watch, &mesh, &s);
    const double begin = energy_of(simulation);
    double lowest = HUGE_VAL, gained = -HUGE_VAL;
    for (int step = 0; step < 30; step++) {
      walk_step(&walk, simulation, &watch);
      gained = fmax(gained, energy_of(simulation) - begin);
      for (int a = 0; a < mesh.node_count; a++) lowest = fmin(lowest, watch.x[a][2]);
    }
    printf(
        "  E %.0e Pa in %s: lowest node at %.1e m, energy gained %.1e of its initial value; "
        "%.1f Newton iterations per step, %d substeps in all\n",
        young, precision_name(s.precision), lowest, gained / begin, walk.newton / 30.0, walk.parts);
    assert_true(walk.crossed == 0 && walk.unfinished == 0 && lowest > 0);
    assert_true(gained < 1e-5 * begin);
    watch_end(&watch);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }
}

// A cube falls flat on the floor from 0.5 m, for soft and stiff cubes, with midpoint, euler, bdf2 and euler_spin. Its
// energy never exceeds the initial energy.
static void falling_cubes_gain_no_energy(void **state) {
  (void)state;
  const double youngs[] = { 1e4, 1e6, 1e9 };
  for (int k = 0; k < 12; k++) {
    Walk walk;
    double gained;
    TetMesh mesh = box(3, 3, 3, (double[3]){ 0.4, 0.4, 0.4 });
    SimulationSettings s = soft(youngs[k % 3], PRECISION_F64);
    s.integrator = (Integrator)(INTEGRATOR_MIDPOINT + k / 3);
    s.gravity[2] = -9.81;
    s.has_floor = true;
    s.floor_height = -0.5;
    const Energy end = walk_from_rest(&mesh, &s, 60, &walk, &gained);
    const double fall = mass_of(&mesh, s.density) * 9.81 * 0.5;
    printf(
        "  %s, E %.0e Pa: energy gained %.1e m g h, %d steps damped, kinetic and elastic energy at the end %.3f m g h; "
        "%.1f Newton iterations per step\n",
        integrator_names[s.integrator], youngs[k % 3], gained / fall, walk.damped, (end.kinetic + end.elastic) / fall,
        walk.newton / 60.0);
    assert_true(walk.crossed == 0 && walk.unfinished == 0);
    assert_true(gained < 1e-5 * fall);
    mesh_destroy(&mesh);
  }
}

typedef enum Ground { GROUND_FLOOR, GROUND_PLANE, GROUND_BOX, GROUNDS } Ground;

// Puts a flat block on a slope: on the floor with inclined gravity, or on an inclined plane or box.
static void put_on_slope(Ground ground, double degrees, double young, TetMesh *mesh, SimulationSettings *s) {
  const double slope = degrees * acos(-1.0) / 180, sine = sin(slope), cosine = cos(slope);
  *mesh = box(4, 4, 2, (double[3]){ 0.5, 0.5, 0.2 });
  *s = soft(young, PRECISION_F64);
  s->friction = 0.5;
  s->friction_sticks = true;
  if (ground == GROUND_FLOOR) {
    s->has_floor = true;
    s->floor_height = -0.001;
    s->gravity[0] = 9.81 * sine;
    s->gravity[2] = -9.81 * cosine;
    return;
  }

  // the slope descends along x
  const double along[3] = { cosine, 0, -sine }, normal[3] = { sine, 0, cosine };
  s->gravity[2] = -9.81;
  s->obstacle_count = 1;
  s->obstacles[0] = plane_through(0, 0, 0, normal, 0.5);
  if (ground == GROUND_BOX) {
    Obstacle *o = &s->obstacles[0];
    o->kind = OBSTACLE_BOX;
    o->size[0] = 9.3;
    o->size[1] = 9.7;
    o->size[2] = 0.5;
    for (int i = 0; i < 3; i++) o->centre[i] = -0.5 * normal[i] + 0.113 * o->axis[0][i];
  }

  for (int a = 0; a < mesh->node_count; a++) {
    const double x = mesh->X[a][0], z = mesh->X[a][2] + 0.001;
    mesh->X[a][0] = along[0] * x + normal[0] * z;
    mesh->X[a][2] = along[2] * x + normal[2] * z;
  }
}

// Simulates a block on a slope for `steps` steps. Returns its displacement down the slope, m. *late receives its
// displacement in the last half second, m.
static double slide(Ground ground, double degrees, double young, int steps, double *late) {
  Error error = { 0 };
  TetMesh mesh;
  SimulationSettings s;
  Simulation *simulation;
  StepReport report;
  double moved[2] = { 0 };
  put_on_slope(ground, degrees, young, &mesh, &s);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  for (int step = 1; step <= steps; step++) {
    MUST(simulation_step(simulation, &report, &error));
    assert_true(report.converged);
    if (step != steps - 30 && step != steps) continue;
    double by[3] = { 0 };
    MUST(simulation_state(simulation, x, NULL, &error));
    for (int a = 0; a < mesh.node_count; a++)
      for (int i = 0; i < 3; i++) by[i] += (x[a][i] - mesh.X[a][i]) / mesh.node_count;
    moved[step == steps] = sqrt(dot3(by, by));
  }

  *late = fabs(moved[1] - moved[0]);
  free(x);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  return moved[1];
}

// Below the friction angle a block must come to rest: in the last half second it does not move at all. A soft block may
// move before, because it sags. Above the friction angle a block must slide like a rigid block.
static void blocks_rest_and_slide_by_coulombs_law(void **state) {
  (void)state;
  const double degrees[] = { 0, 24, 26, 30 };
  for (Ground ground = 0; ground < GROUNDS; ground++)
    for (int k = 0; k < 4; k++) {
      double late, soft_late;
      const double slope = degrees[k] * acos(-1.0) / 180, rigid = 9.81 * (sin(slope) - 0.5 * cos(slope)) * 2;
      const double moved = slide(ground, degrees[k], 1e6, 120, &late);
      const double sagged = slide(ground, degrees[k], 1e4, rigid > 0 ? 120 : 600, &soft_late);
      printf(
          "  %s, %2.0f degrees: slides %.6f m in 2 s, %.1e m in the last 0.5 s; with E = 1e4 Pa: moves by %.4f m, "
          "%.1e m in the last 0.5 s\n",
          (const char *[]){ "floor", "plane", "box" }[ground], degrees[k], moved, late, sagged, soft_late);
      if (rigid > 0) assert_true(fabs(moved - rigid) < 0.02 * rigid);
      if (rigid <= 0) assert_true(moved < 2e-3 && sagged < 0.3 && late == 0 && soft_late == 0);
    }
}

// A plane rotates under a block, at full speed by 1.5 degrees per step. The axis is normal to the plane, 0.3 m from the
// block, or it lies in the plane, so that the block falls off. The block must not gain more energy than the work of the
// plane.
static void a_plane_that_turns_gives_no_more_than_its_work(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Error error = { 0 };
    Simulation *simulation;
    Watch watch;
    Walk walk = { 0 };
    WorkBudget budget;
    Energy energy;
    const bool tips = k / 2;
    TetMesh mesh = box(3, 3, 2, (double[3]){ 0.2, 0.2, 0.1 });
    for (int a = 0; a < mesh.node_count; a++) {
      mesh.X[a][0] += 0.2;
      mesh.X[a][1] -= 0.1;
    }
    SimulationSettings s = soft(1e6, PRECISION_F64);
    s.gravity[2] = -9.81;
    s.friction_sticks = k % 2;
    s.newton_relative = 1e-6;
    s.obstacle_count = 1;
    s.obstacles[0] = plane_through(0, 0, -0.0005, (double[3]){ 0, 0, 1 }, 0.5);
    Obstacle *o = &s.obstacles[0];
    o->motion.spin.about[2] = -0.0005;
    o->motion.spin.axis[tips ? 1 : 2] = tips ? -1 : 1;

    // the plane rests for 0.25 s, accelerates for half a second, and then keeps its speed
    o->motion.spin.angle_count = MOTION_POINTS_MAX;
    for (int i = 0; i < MOTION_POINTS_MAX; i++) {
      const double at = i < 18 ? 0.5 * i / 17 : 0.5 + 2 * (i - 17);
      o->motion.spin.angles[i][0] = 0.25 + at;
      o->motion.spin.angles[i][1] = at < 0.5 ? 90 * at * at : 90 * (at - 0.25);
    }
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    watch_start(&watch, &mesh, &s);
    for (int step = 0; step < 15; step++) walk_step(&walk, simulation, &watch);
    budget_start(&budget, simulation, mesh.node_count);
    for (int step = 15; step < 90; step++) {
      walk_step(&walk, simulation, &watch);
      budget_step(&budget, simulation, o, s.dt, mesh.node_count);
    }
    MUST(simulation_energy(simulation, &energy, &error));
    const double mass = mass_of(&mesh, s.density), speed = sqrt(dot3(energy.linear, energy.linear)) / mass;
    printf(
        "  the plane %s%s: block gains %.4f J by %.4f J of work, in a step at most %.1e J above its work; at %.3f m/s, "
        "%.1f Newton iterations per step\n",
        tips ? "tips" : "turns", k % 2 ? ", with friction_sticks" : "", budget.gained, budget.worked, budget.maximum,
        speed, walk.newton / 90.0);
    const double kinetic = 0.5 * mass * speed * speed;
    assert_true(walk.crossed == 0 && walk.unfinished == 0);
    assert_true(budget.worked > 0 && budget.gained < budget.worked && budget.maximum < 1e-3 * kinetic);

    // the block, 0.3 m from the axis, must turn with the plane, at 90 degrees/s
    if (!tips) assert_true(fabs(speed - 0.3 * acos(-1.0) / 2) < 0.02);
    budget_end(&budget);
    watch_end(&watch);
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }
}

// A ball lies on the floor and on an inclined plane that moves. Results must have the same bits with any number of
// threads, after a continuation from a saved state, and after a reset.
static void the_bits_are_the_same_in_every_run(void **state) {
  (void)state;
  enum { BEFORE = 16, AFTER = 8 };
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Simulation *a, *b, *c;
  StepReport report;
  MUST(mesh_make_shape("sphere", (double[3]){ 0.4, 0.4, 0.4 }, 5, &mesh, &error));
  for (int i = 0; i < mesh.node_count; i++) mesh.X[i][2] += 0.01;
  const size_t n = 3 * (size_t)mesh.node_count, bytes = 2 * n * sizeof(double);
  for (int sticks = 0; sticks < 2; sticks++) {
    SimulationSettings s = soft(1e5, sticks ? PRECISION_F32 : PRECISION_F64);
    s.gravity[2] = -9.81;
    s.has_floor = true;
    s.friction = 0.5;
    s.friction_sticks = sticks;
    s.obstacle_count = 1;
    s.obstacles[0] = plane_through(-0.25, 0, 0, (double[3]){ 0.6, 0, 0.8 }, 0.3);
    s.obstacles[0].motion.point_count = 2;
    s.obstacles[0].motion.path[1][0] = 1;
    s.obstacles[0].motion.path[1][1] = 0.6;
    double *of_a = malloc(bytes), *of_c = malloc(bytes);
    MUST(simulation_create(&a, &mesh, &s, NULL, &error));
    MUST(simulation_create(&b, &mesh, &s, NULL, &error));
    MUST(simulation_create(&c, &mesh, &s, NULL, &error));
    parallel_set_threads(1);
    for (int k = 0; k < BEFORE + AFTER; k++) MUST(simulation_step(a, &report, &error));
    parallel_set_threads(0);
    for (int k = 0; k < BEFORE; k++) MUST(simulation_step(b, &report, &error));
    for (int k = 0; k < 3; k++) MUST(simulation_step(c, &report, &error));
    copy_state(b, c);
    for (int k = 0; k < AFTER; k++) MUST(simulation_step(c, &report, &error));
    MUST(simulation_state(a, (double(*)[3])of_a, (double(*)[3])(of_a + n), &error));
    MUST(simulation_state(c, (double(*)[3])of_c, (double(*)[3])(of_c + n), &error));
    assert_memory_equal(of_a, of_c, bytes);
    MUST(simulation_reset(a, &error));
    for (int k = 0; k < BEFORE + AFTER; k++) MUST(simulation_step(a, &report, &error));
    MUST(simulation_state(a, (double(*)[3])of_c, (double(*)[3])(of_c + n), &error));
    assert_memory_equal(of_a, of_c, bytes);
    simulation_destroy(a);
    simulation_destroy(b);
    simulation_destroy(c);
    free(of_a);
    free(of_c);
  }
  mesh_destroy(&mesh);
}

// A plane pushes a ball on the floor. The motion of the ball must be nearly equal on the CPU and on the tested device.
// Differences by Newton's tolerance and by rounding of logarithms are far below the bound. Without the plane, positions
// would differ by 0.02 m.
static void both_devices_move_alike(void **state) {
  (void)state;
  if (device == DEVICE_CPU) skip();
  for (int sticks = 0; sticks < 2; sticks++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    StepReport report;
    double *x[2], apart = 0;
    MUST(mesh_make_shape("sphere", (double[3]){ 0.4, 0.4, 0.4 }, 5, &mesh, &error));
    for (int a = 0; a < mesh.node_count; a++) mesh.X[a][2] += 0.01;
    for (int k = 0; k < 2; k++) {
      Simulation *simulation;
      SimulationSettings s = soft(1e5, PRECISION_F64);
      s.device = k ? device : DEVICE_CPU;
      s.newton_relative = s.cg_relative = 1e-9;
      s.gravity[2] = -9.81;
      s.has_floor = true;
      s.friction = 0.5;
      s.friction_sticks = sticks;
      s.obstacle_count = 1;
      s.obstacles[0] = plane_through(-0.25, 0, 0, (double[3]){ 0.6, 0, 0.8 }, 0.3);
      s.obstacles[0].motion.point_count = 2;
      s.obstacles[0].motion.path[1][0] = 1;
      s.obstacles[0].motion.path[1][1] = 0.6;
      MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
      for (int step = 0; step < 20; step++) MUST(simulation_step(simulation, &report, &error));
      x[k] = malloc(3 * sizeof *x[k] * (size_t)mesh.node_count);
      MUST(simulation_state(simulation, (double(*)[3])x[k], NULL, &error));
      simulation_destroy(simulation);
    }
    for (int i = 0; i < 3 * mesh.node_count; i++) apart = fmax(apart, fabs(x[0][i] - x[1][i]));
    printf("  %spositions of nodes differ by up to %.1e m\n", sticks ? "with friction_sticks, " : "", apart);
    assert_true(apart < 1e-6);
    free(x[0]);
    free(x[1]);
    mesh_destroy(&mesh);
  }
}

// A body that is not above a plane is refused, and the message names the plane and a node. On request the body is moved
// above the plane.
static void bodies_below_a_plane_are_refused_or_moved_out(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Error error = { 0 };
    Simulation *simulation;
    double farthest, lowest = HUGE_VAL;
    TetMesh mesh = box(2, 2, 2, (double[3]){ 0.2, 0.2, 0.2 });
    SimulationSettings s = soft(1e5, PRECISION_F64);
    const double height = k % 2 ? 0.09 : 0;  // odd k: the plane intersects the body; even k: the body stands on it
    if (k < 2) {
      s.has_floor = true;
      s.floor_height = height;
    }
    if (k >= 2) {
      s.obstacle_count = 1;
      s.obstacles[0] = plane_through(3, 4, height, (double[3]){ 0, 0, 1 }, 0);
    }
    assert_false(simulation_create(&simulation, &mesh, &s, NULL, &error));

    // the nine nodes of the lower face are on or below the plane; the message names one and counts the others
    const char *name = k < 2 ? "the floor: node 1 is on or below this plane" : "obstacles entry 1: node 1 is on";
    if (!strstr(error.message, name) || !strstr(error.message, "(further nodes: 8)")) fail_msg("%s", error.message);
    error = (Error){ 0 };
    MUST(bodies_untangle(&mesh, &s, NULL, &farthest, &error));
    for (int a = 0; a < mesh.node_count; a++) lowest = fmin(lowest, mesh.X[a][2] - height);
    assert_true(lowest > 0 && lowest < 0.01 && farthest < height + 0.01);
    MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
    simulation_destroy(simulation);
    mesh_destroy(&mesh);
  }
}

// The floor of a running simulation can be lowered and removed, but not raised into the body.
static void the_floor_changes_while_it_runs(void **state) {
  (void)state;
  Error error = { 0 };
  Simulation *simulation;
  StepReport report;
  TetMesh mesh = box(2, 2, 2, (double[3]){ 0.2, 0.2, 0.2 });
  SimulationSettings s = soft(1e5, PRECISION_F64);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count), lowest[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL };
  s.gravity[2] = -9.81;
  s.has_floor = true;
  s.floor_height = -0.001;
  s.friction_sticks = true;
  s.friction = 0.3;
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  for (int k = 0; k < 3; k++) {
    if (k == 1) {
      s.floor_height = 0.05;
      assert_false(simulation_adjust(simulation, &s, &error));
      assert_non_null(strstr(error.message, "the floor: node"));
      assert_true(simulation_settings(simulation)->floor_height == -0.001);
      error = (Error){ 0 };
      s.floor_height = -0.1;
    }
    if (k == 2) s.has_floor = false;
    if (k > 0) MUST(simulation_adjust(simulation, &s, &error));
    for (int step = 0; step < 40; step++) MUST(simulation_step(simulation, &report, &error));
    MUST(simulation_state(simulation, x, NULL, &error));
    for (int a = 0; a < mesh.node_count; a++) lowest[k] = fmin(lowest[k], x[a][2]);
  }

  // The body rests just above the floor at -0.001 m, and then at -0.1 m. Without a floor it falls by 2 m in 2/3 s.
  assert_true(lowest[0] > -0.001 && lowest[0] < 0 && lowest[1] > -0.1 && lowest[1] < -0.099 && lowest[2] < -1);

  // a simulation without a floor cannot get one
  s.has_floor = false;
  simulation_destroy(simulation);
  MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
  s.has_floor = true;
  assert_false(simulation_adjust(simulation, &s, &error));
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  free(x);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_point_has_its_nearest_point_in_the_plane),
    cmocka_unit_test(no_step_leads_through_a_plane),
    cmocka_unit_test(a_list_leaves_out_no_pair_that_may_touch),
    cmocka_unit_test(planes_squeeze_as_boxes_do),
    cmocka_unit_test(a_fast_landing_stays_above_the_floor),
    cmocka_unit_test(falling_cubes_gain_no_energy),
    cmocka_unit_test(blocks_rest_and_slide_by_coulombs_law),
    cmocka_unit_test(a_plane_that_turns_gives_no_more_than_its_work),
    cmocka_unit_test(the_bits_are_the_same_in_every_run),
    cmocka_unit_test(both_devices_move_alike),
    cmocka_unit_test(bodies_below_a_plane_are_refused_or_moved_out),
    cmocka_unit_test(the_floor_changes_while_it_runs),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
