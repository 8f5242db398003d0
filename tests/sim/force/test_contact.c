// Tests contact with the floor and with obstacles, for the integrators midpoint, euler, bdf2 and auto, soft and stiff
// bodies, float and double. No body gains energy, balls rebound no higher than they fell, boxes come to rest, and
// slopes obey Coulomb's law. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../sim_testing.h"

#include "mesh/shapes.h"
#include "sim/element/moduli.h"
#include "sim/force/obstacle.h"
#include "sim/settings.h"

static Device device;
// true: each combination of stiffness and angle is tested in both precisions; false: in one of them, alternately
static bool both_precisions;
static const double GRAVITY = 9.81, DENSITY = 1000;

static const char *name_of(Integrator integrator) {
  static const char *const names[] = { "auto", "midpoint", "euler", "bdf2" };
  return names[integrator];
}

// A body above or on a floor, and quantities that are measured in its simulation.
typedef struct Trial {
  TetMesh mesh;
  Simulation *simulation;
  double *mass, total_mass;       // [node_count] and sum, kg
  double (*x)[3], (*p)[3];        // [node_count] positions, m, and momenta, kg m/s
  double at_start, gained;        // J: initial energy, and largest excess of the energy over it
  int steps, newton, unfinished;  // numbers of steps, of Newton iterations, and of steps that did not converge
} Trial;

// Makes a body of this shape. Returns the settings that all trials share.
static SimulationSettings trial_body(Trial *t, const char *shape, const double size[3], int cells, double young,
                                     Precision precision, Integrator integrator) {
  Error error = { 0 };
  *t = (Trial){ 0 };
  MUST(mesh_make_shape(shape, size, cells, &t->mesh, &error));
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.integrator = integrator;
  s.mu = lame_mu(young, 0.3);
  s.lambda = lame_lambda(young, 0.3);
  s.density = DENSITY;
  return s;
}

static void trial_start(Trial *t, const SimulationSettings *s) {
  Error error = { 0 };
  const size_t n = (size_t)t->mesh.node_count;
  t->mass = malloc(n * sizeof *t->mass);
  t->x = malloc(n * sizeof *t->x);
  t->p = malloc(n * sizeof *t->p);
  mesh_lumped_mass(&t->mesh, DENSITY, t->mass);
  for (size_t a = 0; a < n; a++) t->total_mass += t->mass[a];
  MUST(simulation_create(&t->simulation, &t->mesh, s, NULL, &error));
  t->at_start = energy_of(t->simulation);
}

// Creates the simulation of a body at rest, `gap` m above a floor. Gravity is inclined by the angle `slope`, in
// radians.
static void trial_begin(Trial *t, const char *shape, const double size[3], int cells, double young, Precision precision,
                        Integrator integrator, double gap, double slope, double friction) {
  double low[3], high[3];
  SimulationSettings s = trial_body(t, shape, size, cells, young, precision, integrator);
  mesh_bounds(&t->mesh, low, high);

  // The floor is horizontal, and inclined gravity models the slope. The horizontal part of gravity is parallel to no
  // axis.
  s.gravity[0] = GRAVITY * sin(slope) * 0.8;
  s.gravity[1] = GRAVITY * sin(slope) * 0.6;
  s.gravity[2] = -GRAVITY * cos(slope);
  s.has_floor = true;
  s.floor_height = low[2] - gap;
  s.friction = friction;
  trial_start(t, &s);
}

static void trial_end(Trial *t) {
  simulation_destroy(t->simulation);
  mesh_destroy(&t->mesh);
  free(t->mass);
  free(t->x);
  free(t->p);
}

static void trial_step(Trial *t) {
  Error error = { 0 };
  StepReport report;
  MUST(simulation_step(t->simulation, &report, &error));
  assert_true(report.min_J > 0);
  t->steps++;
  t->newton += report.newton_iterations;
  t->unfinished += !report.converged;
  t->gained = fmax(t->gained, energy_of(t->simulation) - t->at_start);
}

// Computes the centre of mass, m, and its velocity, m/s. Returns the largest speed of a node.
static double trial_motion(Trial *t, double centre[3], double velocity[3]) {
  Error error = { 0 };
  double fastest = 0;
  MUST(simulation_state(t->simulation, t->x, t->p, &error));
  for (int i = 0; i < 3; i++) centre[i] = velocity[i] = 0;
  for (int a = 0; a < t->mesh.node_count; a++) {
    for (int i = 0; i < 3; i++) {
      centre[i] += t->mass[a] * t->x[a][i] / t->total_mass;
      velocity[i] += t->p[a][i] / t->total_mass;
      fastest = fmax(fastest, fabs(t->p[a][i]) / t->mass[a]);
    }
  }
  return fastest;
}

// A ball of 0.5 m falls by 0.5 or 0.46 m. Its energy never exceeds the initial energy, and it rebounds no higher than
// it fell.
static void no_ball_rebounds_higher_than_it_fell(void **state) {
  (void)state;

  // The rebound of a stiff ball depends on the moment within a time step at which it hits the floor. So two heights are
  // tested.
  const double falls[] = { 0.5, 0.46 }, youngs[] = { 1e4, 1e5, 1e6, 1e7, 1e9 };
  for (int integrator = INTEGRATOR_MIDPOINT; integrator <= INTEGRATOR_BDF2; integrator++)
    for (size_t k = 0; k < sizeof youngs / sizeof *youngs; k++)
      for (int round = 0; round < 4; round++) {
        if (!both_precisions && (round / 2 + round + integrator + (int)k) % 2) continue;
        const int precision = round % 2 ? PRECISION_F64 : PRECISION_F32;
        const double fall = falls[round / 2];
        Trial t;
        double centre[3], velocity[3], lowest = HUGE_VAL, highest = -HUGE_VAL;
        trial_begin(&t, "sphere", (double[3]){ 0.5, 0.5, 0.5 }, 4, youngs[k], (Precision)precision,
                    (Integrator)integrator, fall, 0, 0);
        trial_motion(&t, centre, velocity);
        const double touching = centre[2] - fall;
        while (t.steps < 90) {
          trial_step(&t);
          trial_motion(&t, centre, velocity);
          lowest = fmin(lowest, centre[2] - touching);
          if (velocity[2] > 0) highest = fmax(highest, centre[2] - touching);
        }
        printf(
            "  %s, E %.0e Pa, %s: rebounds to %.3f times its fall of %.2f m, gains at most %.1e m g h of energy, "
            "%.1f Newton iterations per step\n",
            name_of((Integrator)integrator), youngs[k], precision_name((Precision)precision), highest / fall, fall,
            t.gained / (t.total_mass * GRAVITY * fall), (double)t.newton / t.steps);
        assert_true(t.gained < 1e-3 * t.total_mass * GRAVITY * fall);
        assert_true(highest < fall);

        // the ball has reached the floor, and has not fallen through it
        assert_true(lowest < 0.01 && lowest > -0.5 * fall);
        assert_int_equal(t.unfinished, 0);
        trial_end(&t);
      }
}

// A flat box comes to rest on a floor and stays there, with euler_spin, the default integrator for scenes with a floor.
static void check_rest(int seconds) {
  const double youngs[] = { 1e4, 1e6, 1e9 };
  for (size_t k = 0; k < sizeof youngs / sizeof *youngs; k++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      Trial t;
      double centre[3], velocity[3], fastest = 0, at_end = 0;
      trial_begin(&t, "box", (double[3]){ 0.5, 0.5, 0.2 }, 3, youngs[k], (Precision)precision, INTEGRATOR_AUTO, 0, 0,
                  0.5);
      while (t.steps < seconds * 60) {
        trial_step(&t);
        const double speed = trial_motion(&t, centre, velocity);
        if (t.steps >= 2 * 60) fastest = fmax(fastest, speed);
        if (t.steps >= (seconds - 1) * 60) at_end = fmax(at_end, speed);
      }
      printf(
          "  E %.0e Pa, %s: no node is faster than %.1e m/s from 2 s to %d s, nor than %.1e m/s in the last second\n",
          youngs[k], precision_name((Precision)precision), fastest, seconds, at_end);
      assert_true(fastest < 5e-4 && at_end == 0);
      assert_true(t.gained < 1e-3);
      trial_end(&t);
    }
}

static void a_box_comes_to_rest(void **state) {
  (void)state;
  check_rest(device == DEVICE_CUDA ? 62 : 8);
}

static void long_rest_stays_at_rest(void **state) {
  (void)state;
  check_rest(62);
}

// Returns a plane at the distance `gap`, m, below the origin. Its normal is tilted from z by the angle `tilt`, in a
// direction that is parallel to no axis.
static Obstacle tilted_plane(double tilt, double gap, double friction) {
  const double n[3] = { 0.8 * sin(tilt), 0.6 * sin(tilt), cos(tilt) };
  return (Obstacle){ .kind = OBSTACLE_PLANE,
                     .centre = { -gap * n[0], -gap * n[1], -gap * n[2] },
                     .axis = { { 0.6, -0.8, 0 }, { 0.8 * n[2], 0.6 * n[2], -sin(tilt) }, { n[0], n[1], n[2] } },
                     .friction = friction };
}

// These boxes are so small that a free fall in one time step is about as long as a box is high, or longer. They must
// come to rest like large boxes. In particular, a step must not treat all nodes of a box as touching the floor.
static void a_small_box_comes_to_rest_at_once(void **state) {
  (void)state;
  const struct { double size, young; } cases[] = { { 3e-3, 1e4 }, { 3e-3, 1e6 }, { 3e-4, 1e5 } };
  for (int k = 0; k < 12; k++) {
    Trial t;
    Error error = { 0 };
    const double size = cases[k / 4].size, young = cases[k / 4].young, friction = k % 2 ? 0.5 : 0;
    const bool plane = k / 2 % 2;
    SimulationSettings s =
        trial_body(&t, "box", (double[3]){ size, size, size }, 3, young, PRECISION_F64, INTEGRATOR_AUTO);
    s.gravity[2] = -GRAVITY;
    s.has_floor = !plane;
    s.friction = friction;
    s.obstacle_count = plane;
    if (plane) s.obstacles[0] = tilted_plane(0, 0, friction);
    trial_start(&t, &s);
    int parts = 0;
    StepReport report;
    for (int step = 0; step < 30; step++) {
      MUST(simulation_step(t.simulation, &report, &error));
      t.newton += report.newton_iterations;
      t.unfinished += !report.converged;
      parts += report.substeps - 1;
    }
    double centre[3], velocity[3];
    const double fastest = trial_motion(&t, centre, velocity);
    printf("  box of %g m, E %.0e Pa, on a %s, friction %g: %d Newton iterations in 30 steps, fastest node %.1e m/s\n",
           size, young, plane ? "plane" : "floor", friction, t.newton, fastest);
    assert_true(t.newton <= 30 && t.unfinished == 0 && parts == 0 && fastest < 1e-6);
    trial_end(&t);
  }
}

// With friction 0.5 a box rests on slopes of up to 26.57 degrees. On a steeper slope it slides like a rigid block.
static void a_slope_is_coulombs(void **state) {
  (void)state;
  const double friction = 0.5, degrees[] = { 10, 24, 26, 28, 30, 45 }, youngs[] = { 1e6, 1e9 };
  for (int integrator = INTEGRATOR_EULER; integrator <= INTEGRATOR_BDF2; integrator++)
    for (size_t k = 0; k < sizeof youngs / sizeof *youngs; k++)
      for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
        for (size_t d = 0; d < sizeof degrees / sizeof *degrees; d++) {
          if (!both_precisions && (integrator + precision + (int)(k + d)) % 2) continue;
          if (!both_precisions && (degrees[d] == 10 || degrees[d] == 30)) continue;
          Trial t;
          double begin[3], end[3], velocity[3];
          const double slope = degrees[d] * acos(-1) / 180;
          trial_begin(&t, "box", (double[3]){ 0.5, 0.5, 0.2 }, 2, youngs[k], (Precision)precision,
                      (Integrator)integrator, 0, slope, friction);
          trial_motion(&t, begin, velocity);
          while (t.steps < 60) trial_step(&t);
          trial_motion(&t, end, velocity);
          const double moved = hypot(end[0] - begin[0], end[1] - begin[1]);

          // distance of a rigid block in 1 s, a t^2 / 2
          const double rigid = fmax(0, GRAVITY * (sin(slope) - friction * cos(slope))) / 2;
          printf(
              "  %s, E %.0e Pa, %s, %.0f degrees: slides %.5f m, a rigid block %.5f m; "
              "%.1f Newton iterations per step\n",
              name_of((Integrator)integrator), youngs[k], precision_name((Precision)precision), degrees[d], moved,
              rigid, (double)t.newton / t.steps);
          if (rigid == 0)
            assert_true(moved < 1e-3);
          else
            assert_true(fabs(moved / rigid - 1) < 0.05);
          assert_true(t.gained < 0.01 * t.total_mass * GRAVITY * 0.2);
          trial_end(&t);
        }
}

// A ball of 0.5 m falls 0.4 m, off-centre, onto an obstacle of each kind, and rolls or slides off. Its energy must
// never exceed the initial energy.
static void no_obstacle_feeds_energy(void **state) {
  (void)state;
  Obstacle obstacles[4] = { tilted_plane(0.35, 0.65, 0) };
  for (int k = 1; k < 4; k++) memcpy(obstacles[k].axis, obstacles[0].axis, sizeof obstacles[k].axis);
  obstacles[1].kind = OBSTACLE_SPHERE;
  obstacles[1].size[0] = 0.3;
  obstacles[2].kind = OBSTACLE_BOX;
  obstacles[3].kind = OBSTACLE_CAPSULE;
  obstacles[3].size[0] = 0.2;
  obstacles[3].size[2] = 0.1;
  for (int i = 0; i < 3; i++) obstacles[2].size[i] = 0.2;
  for (int k = 1; k < 4; k++) {
    obstacles[k].centre[0] = 0.08;
    obstacles[k].centre[2] = -0.95;
  }
  const char *const names[] = { "plane", "sphere", "box", "capsule" };
  const double youngs[] = { 1e4, 1e6, 1e9 };
  for (int kind = 0; kind < 4; kind++)
    for (int integrator = kind == OBSTACLE_PLANE ? INTEGRATOR_MIDPOINT : INTEGRATOR_EULER;
         integrator <= INTEGRATOR_BDF2; integrator++)
      for (int round = 0; round < 3; round++) {
        Trial t;
        double centre[3], velocity[3], touched = 0;
        const Precision precision = round == 1 ? PRECISION_F64 : PRECISION_F32;
        SimulationSettings s =
            trial_body(&t, "sphere", (double[3]){ 0.5, 0.5, 0.5 }, 3, youngs[round], precision, (Integrator)integrator);
        s.gravity[2] = -GRAVITY;
        s.obstacle_count = 1;
        s.obstacles[0] = obstacles[kind];
        s.obstacles[0].friction = (kind + integrator + round) % 2 ? 0.5 : 0;

        // places the obstacle relative to the centre of the mesh
        double low[3], high[3];
        mesh_bounds(&t.mesh, low, high);
        for (int i = 0; i < 3; i++) s.obstacles[0].centre[i] += (low[i] + high[i]) / 2;
        trial_start(&t, &s);
        trial_motion(&t, centre, velocity);
        const double height = centre[2];
        double deepest = 0;
        while (t.steps < 60) {
          trial_step(&t);
          trial_motion(&t, centre, velocity);
          touched = fmax(touched, fabs(velocity[0]) + fabs(velocity[1]));
          for (int a = 0; a < t.mesh.node_count; a++) {
            double n[3];
            deepest = fmin(deepest, obstacle_distance(&s.obstacles[0], t.x[a], n));
          }
        }
        const double fall = t.total_mass * GRAVITY * 0.4;
        printf(
            "  %s, %s, E %.0e Pa, %s, friction %.1f: falls %.2f m, enters the obstacle by %.3f m, "
            "gains at most %.1e m g h of energy, %.1f Newton iterations per step\n",
            names[kind], name_of((Integrator)integrator), youngs[round], precision_name(precision),
            s.obstacles[0].friction, height - centre[2], -deepest, t.gained / fall, (double)t.newton / t.steps);
        assert_true(t.gained < 1e-3 * fall);

        // The contact must push the ball sideways. The only exception is a stiff ball (1e9 Pa) with friction: in float,
        // rounding errors may keep it on top of a sphere.
        assert_true(touched > 0.1 || (round == 2 && s.obstacles[0].friction > 0));
        assert_true(deepest > -0.12);
        assert_int_equal(t.unfinished, 0);
        trial_end(&t);
      }
}

static void the_midpoint_rule_is_refused_with_obstacles_but_planes(void **state) {
  (void)state;
  Error error = { 0 };
  SimulationSettings s = simulation_defaults();
  s.integrator = INTEGRATOR_MIDPOINT;
  assert_true(settings_check(&s, &error));
  s.obstacle_count = 1;
  s.obstacles[0] = tilted_plane(0, 1, 0);
  assert_true(settings_check(&s, &error));
  s.obstacles[0].motion.spin = (Spin){ .axis = { 0, 0, 1 }, .speed = 1 };
  assert_false(settings_check(&s, &error));
  assert_non_null(strstr(error.message, "use \"auto\", \"euler\" or \"bdf2\""));
  s.integrator = INTEGRATOR_AUTO;
  assert_true(settings_check(&s, &error));
  assert_int_equal(simulation_integrator(&s), INTEGRATOR_EULER_SPIN);
}

// A box on a tilted plane, with gravity along -z, must move like the box of a_slope_is_coulombs, for which gravity is
// inclined and the floor horizontal.
static void a_tilted_plane_is_coulombs(void **state) {
  (void)state;
  const double friction = 0.5, degrees[] = { 24, 30 }, youngs[] = { 1e6, 1e9 };
  for (int integrator = INTEGRATOR_EULER; integrator <= INTEGRATOR_BDF2; integrator++)
    for (int round = 0; round < 8; round++) {
      if (!both_precisions && (integrator + round + round / 2 + round / 4) % 2) continue;
      Trial t;
      double begin[3], end[3], velocity[3];
      const double slope = degrees[round % 2] * acos(-1) / 180, young = youngs[round / 2 % 2];
      const Precision precision = round / 4 ? PRECISION_F64 : PRECISION_F32;
      SimulationSettings s =
          trial_body(&t, "box", (double[3]){ 0.5, 0.5, 0.2 }, 2, young, precision, (Integrator)integrator);
      double low[3], high[3];
      mesh_bounds(&t.mesh, low, high);
      s.gravity[2] = -GRAVITY;
      s.obstacle_count = 1;
      s.obstacles[0] = tilted_plane(slope, 0, friction);

      // rotates the box so that its lower face is on the plane
      for (int a = 0; a < t.mesh.node_count; a++) {
        const double from[3] = { t.mesh.X[a][0], t.mesh.X[a][1], t.mesh.X[a][2] - low[2] };
        for (int i = 0; i < 3; i++) {
          t.mesh.X[a][i] = 0;

          // columns of the rotation are the plane's axes, which form a right-handed frame
          for (int k = 0; k < 3; k++) t.mesh.X[a][i] += s.obstacles[0].axis[k][i] * from[k];
        }
      }
      trial_start(&t, &s);
      trial_motion(&t, begin, velocity);
      while (t.steps < 60) trial_step(&t);
      trial_motion(&t, end, velocity);
      const double moved = hypot(hypot(end[0] - begin[0], end[1] - begin[1]), end[2] - begin[2]);
      const double rigid = fmax(0, GRAVITY * (sin(slope) - friction * cos(slope))) / 2;  // distance in 1 s, a t^2 / 2
      printf(
          "  %s, E %.0e Pa, %s, %.0f degrees: slides %.5f m, a rigid block %.5f m; %.1f Newton iterations per step\n",
          name_of((Integrator)integrator), young, precision_name(precision), degrees[round % 2], moved, rigid,
          (double)t.newton / t.steps);
      if (rigid == 0)
        assert_true(moved < 1e-3);
      else
        assert_true(fabs(moved / rigid - 1) < 0.05);
      assert_true(t.gained < 0.01 * t.total_mass * GRAVITY * 0.2);
      trial_end(&t);
    }
}

static void long_contact_in_both_precisions(void **state) {
  both_precisions = true;
  no_ball_rebounds_higher_than_it_fell(state);
  a_slope_is_coulombs(state);
  a_tilted_plane_is_coulombs(state);
  both_precisions = device == DEVICE_CUDA;
}

// A state that is saved during contact contains the friction anchors, the points at which nodes stick. So a simulation
// that restores the state must continue with the same bits.
static void a_saved_state_sticks_where_it_did(void **state) {
  (void)state;
  Trial t, other;
  Trial *const both[] = { &t, &other };
  for (int k = 0; k < 2; k++) {
    SimulationSettings s =
        trial_body(both[k], "box", (double[3]){ 0.5, 0.5, 0.2 }, 2, 1e5, PRECISION_F64, INTEGRATOR_EULER);
    s.gravity[2] = -GRAVITY;
    s.has_floor = true;
    s.floor_height = -0.3;
    s.friction = 0.4;
    s.obstacle_count = 2;
    s.obstacles[0] = tilted_plane(0.3, 0.15, 0.6);
    s.obstacles[1] = tilted_plane(-0.2, 0.2, 0.3);
    Spin *spin = &s.obstacles[1].motion.spin;  // the second plane rotates
    spin->axis[2] = 1;
    spin->speed = 40;
    trial_start(both[k], &s);
  }

  for (int k = 0; k < 20; k++) trial_step(&t);
  copy_state(t.simulation, other.simulation);
  double at[2][3], velocity[3];
  for (int k = 0; k < 20; k++) {
    trial_step(&t);
    trial_step(&other);
  }
  for (int k = 0; k < 2; k++) trial_motion(both[k], at[k], velocity);
  assert_memory_equal(t.x, other.x, sizeof *t.x * (size_t)t.mesh.node_count);
  trial_end(&t);
  trial_end(&other);
}

// A moving obstacle hits a ball at rest, and a moving ball hits an obstacle at rest. Relative to the obstacle both
// motions of the ball must be equal.
static void moving_obstacles_act_as_fixed_ones(void **state) {
  (void)state;
  for (int kind = OBSTACLE_PLANE; kind <= OBSTACLE_SPHERE; kind++)
    for (int halved = 0; halved < 2; halved++) {
      double centre[2][3], velocity[2][3];
      int parts = 0;
      for (int moves = 0; moves < 2; moves++) {
        Error error = { 0 };
        StepReport report;
        Trial t;
        SimulationSettings s =
            trial_body(&t, "sphere", (double[3]){ 0.5, 0.5, 0.5 }, 4, 1e5, PRECISION_F64, INTEGRATOR_EULER);

        // If `halved` is true, the case with the moving obstacle allows few iterations per step, so that steps are
        // halved once or twice. The case with the fixed obstacle is the reference, and has the time step dt / 4.
        s.newton_relative = 1e-9;
        s.cg_relative = 1e-8;
        if (halved && moves) {
          s.newton_max = 3;
          s.halvings_max = 2;
        }
        if (halved && !moves) {
          s.dt /= 4;
          s.newton_max = 50;
        }
        Obstacle *o = &s.obstacles[s.obstacle_count++];
        *o = (Obstacle){ .kind = (ObstacleKind)kind,
                         .friction = 0.3,
                         .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
        o->size[0] = 0.3;
        o->centre[2] = kind == OBSTACLE_PLANE ? -0.05 : -0.33;
        o->centre[0] = kind == OBSTACLE_PLANE ? 0 : 0.1;
        const double path[2][4] = { { 0, 0, 0, 0 }, { 2, 1, 0.5, 2 } };  // velocity (0.5, 0.25, 1) m/s
        o->motion.point_count = moves ? 2 : 0;
        memcpy(o->motion.path, path, sizeof path);
        trial_start(&t, &s);
        for (int a = 0; a < t.mesh.node_count; a++)
          for (int i = 0; i < 3; i++) t.p[a][i] = moves ? 0 : -t.mass[a] * path[1][1 + i] / 2;
        MUST(simulation_set_state(t.simulation, NULL, (const double(*)[3])t.p, &error));
        for (int n = 0; n < (halved && !moves ? 80 : 20); n++) {
          MUST(simulation_step(t.simulation, &report, &error));
          parts += report.substeps > 1;
        }
        trial_motion(&t, centre[moves], velocity[moves]);
        for (int i = 0; i < 3 && !moves; i++) {
          velocity[0][i] += path[1][1 + i] / 2;
          centre[0][i] += simulation_time(t.simulation) * path[1][1 + i] / 2;
        }
        trial_end(&t);
      }
      printf("  obstacle kind %d: the ball rises at %.3f m/s, expected %.3f m/s; %d steps have substeps\n", kind,
             velocity[1][2], velocity[0][2], parts);
      assert_true(velocity[1][2] > 0.5);  // the obstacle has pushed the ball
      assert_true(parts > 0 || !halved);
      for (int i = 0; i < 3; i++) {
        // the bound with halved steps is wide, since rounding may decide whether a step is halved
        assert_true(fabs(velocity[0][i] - velocity[1][i]) < (halved ? 0.05 : 1e-5));
        assert_true(fabs(centre[0][i] - centre[1][i]) < (halved ? 0.01 : 1e-5));
      }
    }
}

// A plane under a box starts to move sideways. Friction carries the box along: after t seconds its speed is at most
// friction * g * t.
static void a_moving_plane_carries_a_box(void **state) {
  (void)state;
  const Integrator integrators[] = { INTEGRATOR_EULER, INTEGRATOR_BDF2 };
  for (int k = 0; k < 4; k++) {
    const double speed = k % 2 ? 5 : 0.5, friction = 0.5;
    Trial t;
    double centre[3], velocity[3];
    SimulationSettings s =
        trial_body(&t, "box", (double[3]){ 0.5, 0.5, 0.2 }, 2, 1e6, PRECISION_F32, integrators[k / 2]);
    Obstacle *o = &s.obstacles[s.obstacle_count++];
    *o = (Obstacle){ .kind = OBSTACLE_PLANE, .friction = friction, .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    const double path[2][4] = { { 0.2, 0, 0, 0 }, { 10.2, 0.6 * 10 * speed, 0.8 * 10 * speed, 0 } };
    o->motion.point_count = 2;
    memcpy(o->motion.path, path, sizeof path);
    s.gravity[2] = -GRAVITY;
    trial_start(&t, &s);
    while (t.steps < 42) trial_step(&t);
    trial_motion(&t, centre, velocity);
    const double expected = fmin(speed, friction * GRAVITY * (t.steps / 60.0 - 0.2));
    printf("  %s, plane at %.1f m/s: box at %.3f m/s, expected %.3f m/s\n", name_of(integrators[k / 2]), speed,
           hypot(velocity[0], velocity[1]), expected);
    assert_true(fabs(hypot(velocity[0], velocity[1]) - expected) < 0.05 * expected);
    assert_true(fabs(velocity[1] - 4.0 / 3 * velocity[0]) < 0.02 * expected);
    trial_end(&t);
  }
}

// Returns a rotation at `speed` radians/s about an axis through the point `about`.
static Spin spin_of(const double axis[3], const double about[3], double speed) {
  Spin spin = { .speed = speed * 180 / acos(-1.0) };
  for (int i = 0; i < 3; i++) {
    spin.axis[i] = axis[i];
    spin.about[i] = about[i];
  }
  return spin;
}

// A plank lies on two rotating rollers. Friction accelerates it by mu g, until it has the speed of the rollers'
// surfaces.
static void rollers_drive_what_lies_on_them(void **state) {
  (void)state;
  const double radius = 1, speed = 1, friction = 0.4;
  for (int k = 0; k < 2; k++) {
    const Integrator integrator = k ? INTEGRATOR_BDF2 : INTEGRATOR_EULER;
    Trial t;
    double begin[3], centre[3], velocity[3];
    SimulationSettings s =
        trial_body(&t, "box", (double[3]){ 2.4, 0.2, 0.2 }, 2, 1e7, k ? PRECISION_F64 : PRECISION_F32, integrator);
    double low[3], high[3];
    mesh_bounds(&t.mesh, low, high);
    s.obstacle_count = 2;
    for (int r = 0; r < 2; r++) {
      Obstacle *o = &s.obstacles[r];
      *o = (Obstacle){ .kind = OBSTACLE_CAPSULE, .friction = friction, .size = { radius, 0, 1 } };
      const double axis[3][3] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };  // the roller lies along y
      memcpy(o->axis, axis, sizeof axis);
      o->centre[0] = (low[0] + high[0]) / 2 + (r ? 1.1 : -0.2);
      o->centre[1] = (low[1] + high[1]) / 2;
      o->centre[2] = low[2] - radius;
      o->motion.spin = spin_of(o->axis[2], o->centre, speed / radius);
    }
    s.gravity[2] = -GRAVITY;
    trial_start(&t, &s);
    trial_motion(&t, begin, velocity);
    double halfway = 0;
    while (t.steps < 60) {
      trial_step(&t);
      trial_motion(&t, centre, velocity);
      if (t.steps == 10) halfway = velocity[0];
    }

    // expected distance: v^2 / (2 a) while the plank slips with the acceleration a, then v times the remaining time
    const double slips = speed / (friction * GRAVITY), slide = speed * (1 - slips / 2);
    printf(
        "  %s, %s: %.3f m/s after 1/6 s, expected %.3f; %.4f m/s after 1 s, expected %.1f; "
        "distance %.3f m, expected %.3f; sinks by %.4f m\n",
        name_of(integrator), precision_name(s.precision), halfway, friction * GRAVITY / 6, velocity[0], speed,
        centre[0] - begin[0], slide, begin[2] - centre[2]);
    assert_true(fabs(halfway - friction * GRAVITY / 6) < 0.1 * friction * GRAVITY / 6);

    // the speed varies, since nodes of the plank, 0.1 m apart, touch the rollers one after the other
    assert_true(fabs(velocity[0] - speed) < 0.05 * speed);
    assert_true(fabs(centre[0] - begin[0] - slide) < 0.05 * slide);
    assert_true(fabs(centre[2] - begin[2]) < 0.01);  // the rollers do not lift the plank
    trial_end(&t);
  }
}

// A box on a rotating plane rotates with the plane, and keeps its position on it, since friction is sufficient.
static void a_turning_plane_carries_a_box(void **state) {
  (void)state;
  const double turning = 2, radius = 0.6;
  for (int k = 0; k < 2; k++) {
    const Integrator integrator = k ? INTEGRATOR_BDF2 : INTEGRATOR_EULER;
    Trial t;
    Error error = { 0 };
    double low[3], high[3], centre[3], velocity[3];
    SimulationSettings s =
        trial_body(&t, "box", (double[3]){ 0.3, 0.3, 0.1 }, 2, 1e6, k ? PRECISION_F64 : PRECISION_F32, integrator);
    mesh_bounds(&t.mesh, low, high);
    for (int a = 0; a < t.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) t.mesh.X[a][i] -= i < 2 ? (low[i] + high[i]) / 2 - (i == 0 ? radius : 0) : low[2];
    Obstacle *o = &s.obstacles[s.obstacle_count++];
    *o = (Obstacle){ .kind = OBSTACLE_PLANE, .friction = 0.5, .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    o->motion.spin = spin_of(o->axis[2], o->centre, turning);
    s.gravity[2] = -GRAVITY;
    trial_start(&t, &s);
    double(*v)[3] = calloc((size_t)t.mesh.node_count, sizeof *v);
    for (int a = 0; a < t.mesh.node_count; a++) {
      v[a][0] = -turning * t.mesh.X[a][1];
      v[a][1] = turning * t.mesh.X[a][0];
    }
    MUST(simulation_set_velocities(t.simulation, (const double(*)[3])v, &error));
    free(v);
    while (t.steps < 45) trial_step(&t);
    trial_motion(&t, centre, velocity);
    const double around = atan2(centre[1], centre[0]), expected = turning * 0.75, far = hypot(centre[0], centre[1]);
    printf("  %s, %s: the box turns by %.4f rad, expected %.4f, at %.4f m from the axis and %.4f m/s\n",
           name_of(integrator), precision_name(s.precision), around, expected, far, hypot(velocity[0], velocity[1]));
    assert_true(fabs(around - expected) < 0.01);
    assert_true(fabs(far - radius) < 0.01);
    assert_true(fabs(hypot(velocity[0], velocity[1]) - turning * radius) < 0.02 * turning * radius);
    trial_end(&t);
  }
}

// A rotating beam sweeps a ball along. The tip of the beam moves by 0.15 m per step, but no node of the ball may pass
// through the beam.
static void a_beam_that_turns_pushes(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const Integrator integrator = k % 2 ? INTEGRATOR_BDF2 : INTEGRATOR_EULER;
    Trial t;
    double low[3], high[3], centre[3], velocity[3], deepest = HUGE_VAL, gradient[3];
    SimulationSettings s = trial_body(&t, "sphere", (double[3]){ 0.3, 0.3, 0.3 }, 3, 1e6,
                                      k / 2 ? PRECISION_F64 : PRECISION_F32, integrator);
    mesh_bounds(&t.mesh, low, high);
    for (int a = 0; a < t.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) t.mesh.X[a][i] -= (low[i] + high[i]) / 2 - (i == 0 ? 0.5 : 0);
    Obstacle *o = &s.obstacles[s.obstacle_count++];
    *o = (Obstacle){ .kind = OBSTACLE_BOX, .size = { 0.02, 0.5, 0.3 }, .centre = { 0, -0.5, 0 } };
    for (int i = 0; i < 3; i++) o->axis[i][i] = 1;
    o->motion.spin = spin_of(o->axis[2], (double[3]){ 0, 0, 0 }, 9);
    trial_start(&t, &s);
    while (t.steps < 30) {
      trial_step(&t);
      trial_motion(&t, centre, velocity);
      Obstacle now = *o;
      obstacle_place(&now, t.steps / 60.0);
      for (int a = 0; a < t.mesh.node_count; a++) deepest = fmin(deepest, obstacle_distance(&now, t.x[a], gradient));
    }
    const double speed = hypot(velocity[0], velocity[1]);
    printf("  %s, %s: ball at %.2f m/s, %.3f m from the axis; nodes at most %.4f m inside the beam\n",
           name_of(integrator), precision_name(s.precision), speed, hypot(centre[0], centre[1]), -deepest);
    assert_true(speed > 3 && speed < 20);  // the speed of the beam at the ball is 3.1 to 5.9 m/s
    assert_true(deepest > -0.02);
    trial_end(&t);
  }
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  if (count < 3) cmocka_set_skip_filter("long_*");
  both_precisions = device == DEVICE_CUDA;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_ball_rebounds_higher_than_it_fell),
    cmocka_unit_test(a_box_comes_to_rest),
    cmocka_unit_test(long_rest_stays_at_rest),
    cmocka_unit_test(long_contact_in_both_precisions),
    cmocka_unit_test(a_small_box_comes_to_rest_at_once),
    cmocka_unit_test(a_slope_is_coulombs),
    cmocka_unit_test(no_obstacle_feeds_energy),
    cmocka_unit_test(the_midpoint_rule_is_refused_with_obstacles_but_planes),
    cmocka_unit_test(a_tilted_plane_is_coulombs),
    cmocka_unit_test(a_saved_state_sticks_where_it_did),
    cmocka_unit_test(moving_obstacles_act_as_fixed_ones),
    cmocka_unit_test(a_moving_plane_carries_a_box),
    cmocka_unit_test(rollers_drive_what_lies_on_them),
    cmocka_unit_test(a_turning_plane_carries_a_box),
    cmocka_unit_test(a_beam_that_turns_pushes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
