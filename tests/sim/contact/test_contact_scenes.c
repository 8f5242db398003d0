// Runs shipped scenes with contact. After every step, Newton's method must have converged, and no edge of the surface
// may intersect a triangle, by exact predicates. Also tests contact of a few blocks and balls: reported forces, units,
// settings, overlapping bodies and friction at rest. argv[1]: quick or slow; argv[2]: a pattern for the names of the
// tests to run.
#include "../sim_testing.h"

#include "mesh/join.h"
#include "../scene_walk.h"
#include "sim/contact_report.h"
#include "sim/element/moduli.h"
#include "sim/untangle.h"

// Totals over the steps of a scene. newton: sum of Newton iterations. max_newton: largest number of them in one step.
// unfinished: number of steps that did not converge. parts: number of steps with several substeps. crossed: number of
// steps after which surfaces intersected.
typedef struct Run {
  int steps, newton, max_newton, unfinished, parts, crossed;
  // velocity of each body along x, m/s: after step `EARLY`, and at the end
  double early[SCENE_PARTS_MAX], speed[SCENE_PARTS_MAX];
} Run;

enum { EARLY = 980 };

static bool slow;

// Writes the velocity of each body along x, m/s, to `speed`.
static void read_speeds(Simulation *simulation, double *speed) {
  Error error = { 0 };
  BodyMotion motion[SCENE_PARTS_MAX];
  MUST(simulation_bodies(simulation, motion, &error));
  for (int k = 0; k < simulation_body_count(simulation); k++) speed[k] = motion[k].linear[0] / motion[k].mass;
}

// Simulates the first `steps` steps of a scene. After each step, searches for intersections of surfaces.
static Run run_scene(const char *name, int steps) {
  Error error = { 0 };
  Run run = { 0 };
  SceneWalk w = scene_walk_start(name, DEVICE_CPU);
  while (run.steps < steps) {
    StepReport report;
    MUST(session_step(w.session, &report, &error));
    run.steps++;
    run.newton += report.newton_iterations;
    run.unfinished += !report.converged;
    run.parts += report.substeps > 1;
    run.crossed += watch_crossings(&w.watch, w.session->simulation) > 0;
    if (report.newton_iterations > run.max_newton) run.max_newton = report.newton_iterations;
    if (run.steps == EARLY) read_speeds(w.session->simulation, run.early);
  }

  printf(
      "  scene %s, %d steps: %.1f Newton iterations per step, at most %d; %d steps with substeps, %d did not converge, "
      "%d with intersections\n",
      name, run.steps, (double)run.newton / run.steps, run.max_newton, run.parts, run.unfinished, run.crossed);
  assert_int_equal(run.crossed, 0);
  assert_int_equal(run.unfinished, 0);
  read_speeds(w.session->simulation, run.speed);
  scene_walk_end(&w);
  return run;
}

static void a_fist_closes_around_a_ball(void **state) {
  (void)state;
  // Quick tests skip this scene, since the hand touches the ball only after step 109. They test self-contact of a hand
  // in fingers_are_pinched.
  if (!slow) skip();
  run_scene("fist_coarse", 240);
}

static void ten_bodies_fall_into_a_bowl(void **state) {
  (void)state;
  run_scene("heap_coarse", slow ? 300 : 40);
}

// A bowl, which is a mesh obstacle, shakes from 1.5 s on.
static void balls_fall_into_a_bowl_that_shakes(void **state) {
  (void)state;
  run_scene("basin", slow ? 240 : 40);
}

static void bodies_tumble_in_a_drum(void **state) {
  (void)state;
  run_scene("tumbler", slow ? 240 : 60);
}

static void an_octopus_goes_through_a_ring(void **state) {
  (void)state;
  run_scene("octopus", slow ? 240 : 31);  // the arms touch the ring from step 25 on, so 31 steps include contact
}

static void balls_swing_against_each_other(void **state) {
  (void)state;

  // The simulation of all collisions takes ten seconds. So quick tests take only the first 40 steps, and leave the
  // speeds after one collision to the cases `bars` and `collide` of `pliant verify`.
  if (!slow) {
    run_scene("cradle", 40);
    return;
  }
  run_scene("cradle", 6000);
  const Run run = run_scene("cradle", 1330);
  printf("  before the collisions, the first of five balls moves at %.2f m/s; after them, the last moves at %.2f m/s\n",
         run.early[0], run.speed[4]);

  // Each of the four collisions transmits about nine tenths of the speed to the next ball. So the last ball moves at
  // 0.9^4 = 0.66 of the speed of the first ball before the collisions.
  assert_true(run.early[0] > 1.2 && run.early[4] < 0.05 && run.speed[4] > 0.6 * run.early[0]);
  for (int k = 0; k < 4; k++) assert_true(fabs(run.speed[k]) < 0.7 * run.speed[4]);
}

static void bricks_stand(void **state) {
  (void)state;
  run_scene("bricks", slow ? 1200 : 8);
}

static void four_bodies_fall_onto_each_other(void **state) {
  (void)state;
  run_scene("pile", slow ? 60 : 6);
}

static void fingers_are_pinched(void **state) {
  (void)state;
  run_scene("pinch_coarse", slow ? 150 : 30);
}

// Bodies in contact: the mesh of all of them, the settings, and the simulation, which bodies_create creates.
typedef struct Bodies {
  TetMesh mesh;
  SimulationSettings settings;
  Simulation *simulation;
} Bodies;

// Creates the simulation from mesh and settings. pinned: as for simulation_create.
static void bodies_create(Bodies *b, const uint8_t *pinned) {
  Error error = { 0 };
  MUST(simulation_create(&b->simulation, &b->mesh, &b->settings, pinned, &error));
}

// Frees the mesh, and the simulation if it was created.
static void bodies_destroy(Bodies *b) {
  simulation_destroy(b->simulation);
  mesh_destroy(&b->mesh);
}

// Takes `steps` time steps, and returns the report of the last one.
static StepReport bodies_step(Bodies *b, int steps) {
  Error error = { 0 };
  StepReport report = { 0 };
  for (int k = 0; k < steps; k++) MUST(simulation_step(b->simulation, &report, &error));
  return report;
}

// Makes a block above a larger one, with a gap of `apart` m between them. The larger block is 1.5 mm above a floor.
// Lengths are in a unit of 1 m / `unit`, since a test compares the results in two units of length. The
// caller may change mesh and settings, and then calls bodies_create.
static Bodies two_blocks(double unit, double apart, Precision precision) {
  Error error = { 0 };
  Bodies b = { .settings = simulation_defaults() };
  TetMesh *mesh = &b.mesh, upper = { 0 };
  SimulationSettings *s = &b.settings;
  const double large[3] = { 0.4 * unit, 0.4 * unit, 0.1 * unit }, small[3] = { 0.2 * unit, 0.2 * unit, 0.1 * unit };
  MUST(mesh_make_box(4, 4, 1, large, mesh, &error));
  MUST(mesh_make_box(3, 3, 2, small, &upper, &error));
  const int below = mesh->node_count;
  for (int a = 0; a < upper.node_count; a++)
    for (int i = 0; i < 3; i++) upper.X[a][i] += (i < 2 ? 0.093 : 0.1 + apart) * unit;
  MUST(mesh_join(mesh, &upper, &error));
  mesh_destroy(&upper);
  mesh->body = malloc(sizeof *mesh->body * (size_t)mesh->node_count);
  for (int a = 0; a < mesh->node_count; a++) mesh->body[a] = a >= below;
  s->self_contact = true;
  s->precision = precision;
  s->friction = 0.4;

  // moduli in terms of kg, s and the unit of length; 1 Pa = 1 kg/(m s^2)
  s->mu = lame_mu(1e5, 0.3) / unit;
  s->lambda = lame_lambda(1e5, 0.3) / unit;
  s->density = 1000 / (unit * unit * unit);
  s->gravity[2] = -9.81 * unit;
  s->gravity[0] = 0.5 * unit;
  s->has_floor = true;
  s->floor_height = -0.0015 * unit;
  return b;
}

static void contact_forces_are_reported_by_bodies_and_nodes(void **state) {
  (void)state;
  Error error = { 0 };
  BodyContact *list;
  int count;
  Bodies b = two_blocks(1, 0.002, PRECISION_F64);
  TetMesh *mesh = &b.mesh;
  bodies_create(&b, NULL);
  MUST(contact_of_bodies(b.simulation, &list, &count, &error));
  assert_int_equal(count, 0);
  assert_null(list);
  bodies_step(&b, 90);
  MUST(contact_of_bodies(b.simulation, &list, &count, &error));
  assert_int_equal(count, 2);

  // mass of the upper block, kg; the lower block has four times this mass
  const double mass = 0.2 * 0.2 * 0.1 * 1000, both = 5 * mass;

  // All 25 nodes of the lower face touch the floor, which carries the weight of both blocks. Gravity also has 0.5 m/s^2
  // along x; friction balances this part.
  assert_true(list[1].body[0] == 0 && list[1].body[1] == CONTACT_FLOOR && list[1].touching == 25);
  printf("  the floor bears (%.6f, %.6f, %.6f) N\n", list[1].force[0], list[1].force[1], list[1].force[2]);
  assert_true(fabs(list[1].force[2] - both * 9.81) < 1e-3 * both * 9.81 && list[1].push == list[1].force[2]);
  assert_true(fabs(list[1].force[0] + both * 0.5) < 1e-2 * both * 9.81);
  printf("  the upper block presses with (%.3f, %.3f, %.3f) N, by %lld contact pairs\n", list->force[0], list->force[1],
         list->force[2], (long long)list->touching);
  assert_true(list->body[0] == 0 && list->body[1] == 1 && list->touching > 9);

  // The force on the upper block balances its weight; friction balances the horizontal part of gravity.
  assert_true(fabs(list->force[2] + mass * 9.81) < 0.01 * mass * 9.81);
  assert_true(fabs(list->force[0] - mass * 0.5) < 0.02 * mass * 9.81);
  double(*force)[3] = malloc(sizeof *force * (size_t)mesh->node_count), sum[3][3] = { { 0 } };
  double *pressure = malloc(sizeof *pressure * (size_t)mesh->node_count), highest = 0, all = 0;
  float(*arrows)[3] = malloc(sizeof *arrows * (size_t)mesh->node_count);
  float *field = malloc(sizeof *field * ((size_t)mesh->node_count + FIELD_EXTRA));
  MUST(contact_forces_on_nodes(b.simulation, force, &error));
  MUST(contact_pressure(b.simulation, pressure, &error));
  MUST(simulation_write_vectors(b.simulation, VECTORS_CONTACT, &arrows[0][0], &error));
  MUST(simulation_write_field(b.simulation, FIELD_PRESSURE, field, &error));

  // sum: forces on the upper side and the sides of the lower block, on the upper block, and on the nodes at the floor
  for (int a = 0; a < mesh->node_count; a++) {
    // between: the node is on one of the faces between the blocks, at the heights 0.1 and 0.102 m
    const bool between = mesh->body[a] ? mesh->X[a][2] < 0.1021 : mesh->X[a][2] > 0.0999, under = mesh->X[a][2] == 0;
    for (int i = 0; i < 3; i++) sum[under ? 2 : mesh->body[a]][i] += force[a][i];
    for (int i = 0; i < 3; i++) assert_true(arrows[a][i] == (float)force[a][i]);
    assert_true(field[a] == (float)pressure[a]);
    assert_true(between || under || pressure[a] == 0);
    all = fmax(all, pressure[a]);
    if (!under) highest = fmax(highest, pressure[a]);
  }

  assert_true(field[mesh->node_count + FIELD_LARGEST] == (float)all);

  // The mean pressure is the weight divided by the block's base of 0.04 m^2. The bounds are wide: a node on the rim of
  // the base has a low pressure, because its area includes part of the side faces, so other nodes carry more.
  printf("  the highest pressure is %.2f times the mean pressure\n", highest * 0.04 / (mass * 9.81));
  assert_true(highest > 0.3 * mass * 9.81 / 0.04 && highest < 10 * mass * 9.81 / 0.04);

  // the forces between the blocks are opposite
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(sum[0][i] - list->force[i]) < 1e-9 * mass * 9.81);
    assert_true(fabs(sum[0][i] + sum[1][i]) < 1e-9 * mass * 9.81);
    assert_true(fabs(sum[2][i] - list[1].force[i]) < 1e-9 * mass * 9.81);
  }

  free(list);
  free(force);
  free(pressure);
  free(arrows);
  free(field);
  bodies_destroy(&b);
}

// A block falls on a moving one and bounces. In each step, the listed forces on a body must be the sum of the forces on
// its nodes, also if only friction acts, because the surfaces have separated since the start of the step.
static void listed_forces_are_the_sums_over_nodes(void **state) {
  (void)state;
  Error error = { 0 };
  int only_friction = 0, steps_with_forces = 0;
  Bodies b = two_blocks(1, 0.1, PRECISION_F64);
  b.settings.gravity[0] = 3;
  b.settings.mu *= 10;
  b.settings.lambda *= 10;
  b.settings.dt = 1.0 / 240;
  bodies_create(&b, NULL);
  double(*force)[3] = malloc(sizeof *force * (size_t)b.mesh.node_count);
  double *push = malloc(sizeof *push * (size_t)b.mesh.node_count);
  for (int step = 0; step < 60; step++) {
    BodyContact *list;
    int count;
    double listed[2][3] = { 0 }, sum[2][3] = { 0 }, pushes[2] = { 0 }, largest = 1;
    bodies_step(&b, 1);
    MUST(contact_of_bodies(b.simulation, &list, &count, &error));
    MUST(contact_loads_on_nodes(b.simulation, force, push, &error));
    for (int k = 0; k < count; k++) {
      only_friction += list[k].touching == 0;
      for (int end = 0; end < 2; end++) {
        const int body = list[k].body[end];
        if (body < 0) continue;
        pushes[0] += list[k].push;
        for (int i = 0; i < 3; i++) listed[body][i] += end ? -list[k].force[i] : list[k].force[i];
      }
    }
    for (int a = 0; a < b.mesh.node_count; a++) {
      pushes[1] += push[a];
      for (int i = 0; i < 3; i++) sum[b.mesh.body[a]][i] += force[a][i];
    }
    steps_with_forces += count > 0;
    largest = fmax(largest, pushes[0]);
    assert_true(fabs(pushes[1] - pushes[0]) <= 1e-9 * largest);
    for (int body = 0; body < 2; body++)
      for (int i = 0; i < 3; i++) assert_true(fabs(sum[body][i] - listed[body][i]) <= 1e-9 * largest);
    free(list);
  }

  printf("  forces in %d steps; in %d of them, pairs with friction alone\n", steps_with_forces, only_friction);
  assert_true(steps_with_forces > 20 && only_friction > 0);
  free(force);
  free(push);
  bodies_destroy(&b);
}

// Two stacked blocks rest on an obstacle: a mesh, a box or a plane. The reported force on the obstacle must be the
// weight of both blocks.
static void forces_on_an_obstacle_are_reported(void **state) {
  (void)state;
  int triangle[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
  double X[4][3] = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 }, { -1, 1, 0 } };
  const ObstacleSurface sheet = { 4, 2, X, triangle };
  const Obstacle under[] = { { .kind = OBSTACLE_MESH, .surface = &sheet, .size = { 1 } },
                             { .kind = OBSTACLE_BOX, .centre = { 0, 0, -0.1 }, .size = { 1, 1, 0.1 } },
                             { .kind = OBSTACLE_PLANE } };
  for (int kind = 0; kind < 3; kind++) {
    Error error = { 0 };
    BodyContact *list;
    int count;
    Bodies b = two_blocks(1, 0.002, PRECISION_F64);
    SimulationSettings *s = &b.settings;
    s->has_floor = false;
    s->friction_sticks = true;
    s->obstacle_count = 2;

    // the second obstacle (k = 1) carries the blocks; the first one is 1 m lower and touches nothing
    for (int k = 0; k < 2; k++) {
      s->obstacles[k] = under[kind];
      s->obstacles[k].friction = 0.4;
      s->obstacles[k].centre[2] -= k ? 0.001 : 1;
      for (int i = 0; i < 3; i++) s->obstacles[k].axis[i][i] = 1;
    }
    bodies_create(&b, NULL);
    bodies_step(&b, 90);
    MUST(contact_of_bodies(b.simulation, &list, &count, &error));
    assert_int_equal(count, 2);
    const double weight = 0.2 * 0.2 * 0.1 * 1000 * 9.81, both = weight + 0.4 * 0.4 * 0.1 * 1000 * 9.81;
    const BodyContact *between = &list[0], *below = &list[1];
    assert_true(between->body[0] == 0 && between->body[1] == 1 && below->body[0] == 0 && below->body[1] == -2);
    printf("  the obstacle bears (%.6f, %.6f, %.6f) N; relative error of the vertical force %.1e\n", below->force[0],
           below->force[1], below->force[2], fabs(below->force[2] - both) / both);

    // the relative tolerance of Newton's method is 1e-3
    assert_true(fabs(below->force[2] - both) < 1e-3 * both && fabs(below->push - both) < 1e-2 * both);
    assert_true(fabs(between->force[2] + weight) < 2e-3 * weight);

    // friction balances the horizontal part of gravity
    assert_true(fabs(below->force[0] + both * 0.5 / 9.81) < 1e-3 * both);
    char name[CONTACT_NAME];
    contact_name_obstacle(below->body[1], name);
    assert_string_equal(name, "obstacle 2");
    free(list);
    bodies_destroy(&b);
  }
}

static void millimetres_move_as_metres_do(void **state) {
  (void)state;
  enum { STEPS = 12 };
  const double units[] = { 1, 1000 };
  double *x[2], maximum = 0;
  int nodes = 0;
  for (int k = 0; k < 2; k++) {
    Error error = { 0 };
    BodyContact *list;
    int count;
    Bodies b = two_blocks(units[k], 0.005, PRECISION_F64);
    b.settings.newton_relative = 1e-9;
    b.settings.cg_relative = 1e-8;
    b.settings.newton_max = 60;
    bodies_create(&b, NULL);
    bodies_step(&b, STEPS);
    MUST(contact_of_bodies(b.simulation, &list, &count, &error));
    assert_int_equal(count, 2);  // contact between the blocks, and between the lower block and the floor
    free(list);
    nodes = b.mesh.node_count;
    x[k] = malloc(sizeof(double) * 3 * (size_t)nodes);
    MUST(simulation_state(b.simulation, (double(*)[3])x[k], NULL, &error));
    bodies_destroy(&b);
  }

  for (int i = 0; i < 3 * nodes; i++) maximum = fmax(maximum, fabs(x[1][i] / units[1] - x[0][i]));
  printf("  positions in the two units of length differ by at most %.1e m\n", maximum);
  assert_true(maximum < 1e-8);
  free(x[0]);
  free(x[1]);
}

// In float, a block that falls on another one 1 km from the origin moves as at the origin.
static void far_scenes_move_as_near_ones(void **state) {
  (void)state;
  enum { STEPS = 30 };
  const double shift[3] = { 1000, -500, 0 };
  double(*x[2])[3], largest = 0;
  int nodes = 0;
  for (int k = 0; k < 2; k++) {
    Error error = { 0 };
    Bodies b = two_blocks(1, 0.02, PRECISION_F32);
    for (int a = 0; a < b.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) b.mesh.X[a][i] += k * shift[i];
    nodes = b.mesh.node_count;
    x[k] = malloc(sizeof *x[k] * (size_t)nodes);
    bodies_create(&b, NULL);
    for (int step = 0; step < STEPS; step++) {
      const StepReport report = bodies_step(&b, 1);
      assert_true(report.converged);
    }
    MUST(simulation_state(b.simulation, x[k], NULL, &error));
    bodies_destroy(&b);
  }

  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++) largest = fmax(largest, fabs(x[1][a][i] - shift[i] - x[0][a][i]));
  printf("  1 km from the origin, positions differ by at most %.1e m\n", largest);
  assert_true(largest < 1e-3);
  free(x[0]);
  free(x[1]);
}

static void distance_and_modulus_are_those_asked_for(void **state) {
  (void)state;

  // contact distance, m, and contact modulus, Pa; 0: the default
  const double asked[][2] = { { 0, 0 }, { 3e-3, 0 }, { 3e-3, 1e3 } };
  double gap[3];
  for (int k = 0; k < 3; k++) {
    Error error = { 0 };
    Bodies b = two_blocks(1, 0.002, PRECISION_F64);
    b.settings.contact_distance = asked[k][0];
    b.settings.contact_modulus = asked[k][1];
    b.settings.gravity[0] = 0;
    bodies_create(&b, NULL);
    bodies_step(&b, 60);
    double(*x)[3] = malloc(sizeof *x * (size_t)b.mesh.node_count), low = HUGE_VAL, high = -HUGE_VAL;
    MUST(simulation_state(b.simulation, x, NULL, &error));
    for (int a = 0; a < b.mesh.node_count; a++) {
      if (b.mesh.body[a]) low = fmin(low, x[a][2]);

      // highest node of the lower block that is under the centre of the upper block
      if (!b.mesh.body[a] && fabs(x[a][0] - 0.2) < 0.01 && fabs(x[a][1] - 0.2) < 0.01) high = fmax(high, x[a][2]);
    }
    gap[k] = low - high;
    free(x);
    bodies_destroy(&b);
  }

  printf("  gaps between the blocks: %.2e, %.2e, %.2e m\n", gap[0], gap[1], gap[2]);

  // The weight of the upper block causes a pressure of 981 Pa. The default contact modulus is ten times this pressure;
  // it applies to the first two gaps. The third gap has a modulus of 1 kPa, so it is smaller.
  assert_true(gap[0] > 0 && gap[0] < 1.2e-3);
  assert_true(gap[1] > 0.6 * 3e-3 && gap[1] < 3e-3);
  assert_true(gap[2] > 0.2 * 3e-3 && gap[2] < 0.9 * gap[1]);
}

static void bodies_that_overlap_are_named(void **state) {
  (void)state;
  Error error = { 0 };
  Bodies b = two_blocks(1, -0.02, PRECISION_F32);
  assert_false(simulation_create(&b.simulation, &b.mesh, &b.settings, NULL, &error));
  if (!strstr(error.message, "bodies ") || !strstr(error.message, "counted from 0: the surface intersects itself"))
    fail_msg("%s", error.message);
  mesh_destroy(&b.mesh);
}

static void bodies_that_overlap_are_moved_apart(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    Error error = { 0 };
    double farthest, lowest[2] = { HUGE_VAL, HUGE_VAL };
    Bodies b = two_blocks(1, k == 3 ? 0.05 : -0.02, PRECISION_F32);
    TetMesh *mesh = &b.mesh;
    b.settings.has_floor = k == 4;
    b.settings.floor_height = -2e-3 * hypot(hypot(0.4, 0.4), 0.18);
    uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
    for (int a = 0; a < mesh->node_count; a++) pinned[a] = k == 2 || (k == 1 && mesh->body[a] == 0) ? PIN_ALL : 0;
    const bool ok = bodies_untangle(mesh, &b.settings, pinned, &farthest, &error);

    // two pinned bodies cannot be moved apart, and the error says so
    assert_int_equal(ok, k != 2);
    if (k == 2) assert_non_null(strstr(error.message, "pins hold both"));
    if (k == 3) assert_true(farthest == 0);
    for (int a = 0; a < mesh->node_count; a++) lowest[mesh->body[a]] = fmin(lowest[mesh->body[a]], mesh->X[a][2]);

    // Two free bodies move by half of the distance each, one up and one down. If one body is pinned, the other moves by
    // the whole distance. If a floor is directly below the lower body (k = 4), only the upper body moves.
    const double apart = lowest[1] - lowest[0] - 0.1;
    printf("  the blocks are %.4f m apart, and moved by up to %.4f m\n", apart, farthest);
    if (k < 2 || k == 4) assert_true(apart > 0.001 && apart < 0.005);
    if (k < 2 || k == 4)
      assert_true(fabs(farthest - (apart + 0.02) * (k ? 1 : 0.5)) < 1e-12 && (fabs(lowest[0]) < 1e-12) == (k > 0));
    if (k != 2) bodies_create(&b, pinned);
    free(pinned);
    bodies_destroy(&b);
  }
}

// Two overlapping blocks start 0.3 m below the floor, in a wedge between the floor and a plane. They must be moved
// apart, and out of floor and plane.
static void bodies_under_the_floor_are_moved_out(void **state) {
  (void)state;
  for (int held = 0; held < 2; held++) {
    Error error = { 0 };
    Energy energy;
    double farthest, lowest[2] = { HUGE_VAL, HUGE_VAL }, nearest = HUGE_VAL;
    Bodies b = two_blocks(1, -0.02, PRECISION_F64);
    TetMesh *mesh = &b.mesh;
    SimulationSettings *s = &b.settings;
    s->floor_height = 0.3;
    s->obstacle_count = 1;
    s->obstacles[0] = (Obstacle){ .kind = OBSTACLE_PLANE,
                                  .centre = { 0.1, 0, 0.3 },
                                  .axis = { { 0.8, 0, -0.6 }, { 0, 1, 0 }, { 0.6, 0, 0.8 } } };
    uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
    for (int a = 0; a < mesh->node_count; a++) pinned[a] = held && mesh->body[a] == 0 ? PIN_ALL : 0;
    MUST(bodies_untangle(mesh, s, pinned, &farthest, &error));
    for (int a = 0; a < mesh->node_count; a++) {
      double off = 0;
      for (int i = 0; i < 3; i++) off += s->obstacles[0].axis[2][i] * (mesh->X[a][i] - s->obstacles[0].centre[i]);
      lowest[mesh->body[a]] = fmin(lowest[mesh->body[a]], mesh->X[a][2]);
      if (mesh->body[a]) nearest = fmin(nearest, off);
    }
    printf("  lowest points at z = %.4f and %.4f m, the second block %.4f m off the plane; moved by %.4f m\n",
           lowest[0], lowest[1], nearest, farthest);

    // a pinned body is not moved
    assert_true(held ? lowest[0] == 0 : lowest[0] > 0.3 - 1e-12);
    assert_true(lowest[1] > 0.3 - 1e-12 && nearest > -1e-12 && farthest > 0.2 && farthest < 1);
    for (int a = 0; a < mesh->node_count; a++) pinned[a] = 0;
    if (!held) {
      // The total energy is zero before the blocks are moved out of the floor. Afterwards it must stay below zero, so
      // that the move adds no energy.
      bodies_create(&b, NULL);
      bodies_step(&b, 20);
      MUST(simulation_energy(b.simulation, &energy, &error));
      assert_true(energy.kinetic + energy.elastic + energy.potential < 0);
    }
    free(pinned);
    bodies_destroy(&b);
  }
}

// Stacks four cubes with small lateral offsets, and waits until they are at rest. Then no cube may move by more than
// `maximum` times its side in `steps` steps.
static void stack(bool sticks, int steps, double maximum) {
  enum { BLOCKS = 4, SETTLE = 240 };
  Error error = { 0 };
  Bodies b = { .settings = simulation_defaults() };
  SimulationSettings *s = &b.settings;
  const double side = 0.2;
  int first[BLOCKS + 1] = { 0 }, newton = 0;
  for (int k = 0; k < BLOCKS; k++) {
    TetMesh block = { 0 };
    MUST(mesh_make_box(2, 2, 2, (double[3]){ side, side, side }, &block, &error));
    const double by[3] = { 0.01 * (k % 2), 0.013 * (k % 3), k * (side + 0.0018) };
    for (int a = 0; a < block.node_count; a++)
      for (int i = 0; i < 3; i++) block.X[a][i] += by[i];
    MUST(mesh_join(&b.mesh, &block, &error));
    mesh_destroy(&block);
    first[k + 1] = b.mesh.node_count;
  }

  s->self_contact = true;
  s->mu = lame_mu(1e6, 0.3);
  s->lambda = lame_lambda(1e6, 0.3);
  s->friction = 0.5;
  s->gravity[2] = -9.81;
  s->has_floor = true;
  s->floor_height = -0.001;
  s->friction_sticks = sticks;
  bodies_create(&b, NULL);
  double(*x)[3] = malloc(sizeof *x * (size_t)b.mesh.node_count), middle[2][BLOCKS][3] = { 0 }, crept = 0;
  for (int k = 0; k < SETTLE + steps; k++) {
    const StepReport report = bodies_step(&b, 1);
    newton += report.newton_iterations;
    if (k + 1 != SETTLE && k + 1 != SETTLE + steps) continue;
    MUST(simulation_state(b.simulation, x, NULL, &error));
    for (int block = 0; block < BLOCKS; block++)
      for (int a = first[block]; a < first[block + 1]; a++)
        for (int i = 0; i < 3; i++) middle[k + 1 > SETTLE][block][i] += x[a][i] / (first[block + 1] - first[block]);
  }

  for (int block = 0; block < BLOCKS; block++)
    for (int i = 0; i < 3; i++) crept = fmax(crept, fabs(middle[1][block][i] - middle[0][block][i]));
  printf("  %sin %d steps a block moved by at most %.2e of its side; %.2f Newton iterations per step\n",
         sticks ? "with friction_sticks, " : "", steps, crept / side, (double)newton / (SETTLE + steps));
  assert_true(crept < maximum * side);
  free(x);
  bodies_destroy(&b);
}

static void a_stack_does_not_creep(void **state) {
  (void)state;
  stack(true, slow ? 10000 : 300, 1e-6);
  if (slow) stack(false, 10000, 0.01);
}

// Adds an obstacle: a plane at `at` along an axis, whose outward normal is `normal` (1 or -1) times this axis.
static void add_wall(SimulationSettings *s, int axis, double at, double normal) {
  Obstacle *o = &s->obstacles[s->obstacle_count++];
  *o = (Obstacle){ .kind = OBSTACLE_PLANE };
  o->centre[axis] = at;
  o->axis[2][axis] = normal;
  o->axis[0][(axis + 1) % 3] = normal;
  o->axis[1][(axis + 2) % 3] = 1;
}

// Five balls are enclosed by walls. A moving plane presses one ball into the gap between the other four, without
// friction. So surfaces slide past each other by several elements. If the contact energy had ridges at edges of the
// surface, Newton's method would take 10.7 iterations per step, and up to 33 in one step.
static void balls_slide_past_each_other_without_friction(void **state) {
  (void)state;
  enum { BALLS = 5, STEPS = 25 };
  static const double at[BALLS][3] = {
    { -0.26, -0.26, 0.005 }, { 0.26, -0.26, 0.005 }, { -0.26, 0.26, 0.005 }, { 0.26, 0.26, 0.005 }, { 0, 0, 0.37 },
  };
  Error error = { 0 };
  Bodies b = { .settings = simulation_defaults() };
  SimulationSettings *s = &b.settings;
  Watch watch;
  int newton = 0, largest = 0;
  for (int k = 0; k < BALLS; k++) {
    TetMesh ball = { 0 };
    MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 12, k ? &ball : &b.mesh, &error));
    TetMesh *made = k ? &ball : &b.mesh;
    for (int a = 0; a < made->node_count; a++)
      for (int i = 0; i < 3; i++) made->X[a][i] += at[k][i];
    if (k) MUST(mesh_join(&b.mesh, &ball, &error));
    mesh_destroy(&ball);
  }

  s->self_contact = true;
  s->mu = lame_mu(1e5, 0.4);
  s->lambda = lame_lambda(1e5, 0.4);
  s->density = 1000;
  s->gravity[2] = -9.81;
  s->dt = 1.0 / 60;
  s->newton_max = 200;
  s->newton_relative = 1e-3;
  for (int axis = 0; axis < 2; axis++) {
    add_wall(s, axis, -0.52, 1);
    add_wall(s, axis, 0.52, -1);
  }
  add_wall(s, 2, 0, 1);
  add_wall(s, 2, 0.88, -1);
  s->obstacles[5].motion.point_count = 2;
  s->obstacles[5].motion.path[1][0] = 1;
  s->obstacles[5].motion.path[1][3] = -0.352;
  bodies_create(&b, NULL);
  watch_start(&watch, &b.mesh, s);
  for (int step = 0; step < STEPS; step++) {
    const StepReport report = bodies_step(&b, 1);
    assert_true(report.converged && report.substeps == 1);
    newton += report.newton_iterations;
    if (report.newton_iterations > largest) largest = report.newton_iterations;
  }

  assert_int_equal(watch_crossings(&watch, b.simulation), 0);
  printf("  five balls: %.1f Newton iterations per step, at most %d\n", (double)newton / STEPS, largest);
  assert_true(newton <= 6 * STEPS && largest <= 12);
  watch_end(&watch);
  bodies_destroy(&b);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_fist_closes_around_a_ball),
    cmocka_unit_test(ten_bodies_fall_into_a_bowl),
    cmocka_unit_test(balls_fall_into_a_bowl_that_shakes),
    cmocka_unit_test(bodies_tumble_in_a_drum),
    cmocka_unit_test(an_octopus_goes_through_a_ring),
    cmocka_unit_test(balls_swing_against_each_other),
    cmocka_unit_test(bricks_stand),
    cmocka_unit_test(four_bodies_fall_onto_each_other),
    cmocka_unit_test(fingers_are_pinched),
    cmocka_unit_test(contact_forces_are_reported_by_bodies_and_nodes),
    cmocka_unit_test(listed_forces_are_the_sums_over_nodes),
    cmocka_unit_test(forces_on_an_obstacle_are_reported),
    cmocka_unit_test(millimetres_move_as_metres_do),
    cmocka_unit_test(far_scenes_move_as_near_ones),
    cmocka_unit_test(distance_and_modulus_are_those_asked_for),
    cmocka_unit_test(bodies_that_overlap_are_named),
    cmocka_unit_test(bodies_that_overlap_are_moved_apart),
    cmocka_unit_test(bodies_under_the_floor_are_moved_out),
    cmocka_unit_test(a_stack_does_not_creep),
    cmocka_unit_test(balls_slide_past_each_other_without_friction),
  };
  slow = count > 1 && strcmp(words[1], "slow") == 0;
  if (count > 2) cmocka_set_test_filter(words[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
