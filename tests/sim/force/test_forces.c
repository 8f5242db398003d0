// Tests each force on a body, and the formulas of a time step, in double. A force that has an energy must be minus its
// gradient, and a tangent minus the derivative of its force, by central differences. Friction of slipping nodes is no
// such gradient, and is compared with Coulomb's law. Also tests how a time step changes the energy of an oscillator.
#include "../sim_testing.h"

#include "sim/dynamics/time_step.h"
#include "sim/element/halo.h"
#include "sim/force/forces.h"
#include "sim/force/grabs.h"

// Step of the central differences. 1e-5 is about the cube root of epsilon, so their relative error is some 1e-10.
static const double H = 1e-5;

static void assert_near(const char *what, double got, double expected, double scale) {
  if (!(fabs(got - expected) <= 1e-8 * scale)) fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

static void springs_and_dampers_follow_from_their_energy(void **state) {
  (void)state;
  const double spring = 37, damper = 5, pull = 11;
  for (double u = -1; u < 1.5; u += 0.6) {
    const double slope = (spring_energy(spring, pull, u + H) - spring_energy(spring, pull, u - H)) / (2 * H);
    const double stiffness = (spring_force(spring, pull, u + H) - spring_force(spring, pull, u - H)) / (2 * H);
    assert_near("spring", spring_force(spring, pull, u), -slope, pull);
    assert_near("tangent of the spring", stiffness, -spring, spring);
    assert_near("damper", damper_force(damper, u), -damper * u, damper);
  }
  assert_true(spring_energy(spring, pull, pull / spring) == 0);
  assert_true(spring_energy(0, 0, 0.3) == 0);
}

// A node at rest 0.05 m below a floor at the height 0.2 m. With friction 0.5 and k = 200 N/m it sticks while it is
// within 0.025 m of its anchor.
static const double X[3] = { 0.4, -0.7, 0.15 }, ANCHOR[2] = { 0.01, -0.02 }, AT_REST[3] = { 0, 0, 0 };
static const double HEIGHT = 0.2, K = 200, FRICTION = 0.5;

static FloorContact floor_at(const double u[3]) {
  return floor_contact(X, u, AT_REST, ANCHOR, HEIGHT, K, FRICTION, 0);
}

// Returns (f(u + H e_i) - f(u - H e_i)) / 2H. f is the energy of floor contact if j < 0, otherwise component j of its
// force.
static double floor_slope(const double u[3], int i, int j) {
  double up[3] = { u[0], u[1], u[2] }, down[3] = { u[0], u[1], u[2] };
  up[i] += H;
  down[i] -= H;
  const FloorContact a = floor_at(up), b = floor_at(down);
  return ((j < 0 ? a.energy : a.force[j]) - (j < 0 ? b.energy : b.force[j])) / (2 * H);
}

static void assert_floor_tangent(const double u[3]) {
  const FloorContact c = floor_at(u);
  for (int i = 0; i < 3; i++) assert_near("tangent", c.tangent[i], -floor_slope(u, i, i), K);
  assert_near("tangent xy", c.tangent_xy, -floor_slope(u, 0, 1), K);
  assert_near("tangent yx", c.tangent_xy, -floor_slope(u, 1, 0), K);
}

// The node is 0.01 m from its anchor along both axes, so it sticks.
static void a_sticking_node_has_the_forces_of_two_springs(void **state) {
  (void)state;
  const double u[3] = { 0.02, -0.01, -0.003 };
  const FloorContact c = floor_at(u);
  for (int i = 0; i < 3; i++) assert_near("force", c.force[i], -floor_slope(u, i, -1), K * 0.05);
  assert_floor_tangent(u);
  assert_true(c.force[0] != 0 && c.force[1] != 0 && c.force[2] > 0);
  assert_true(c.anchor_x == ANCHOR[0] && c.anchor_y == ANCHOR[1]);
}

static void a_slipping_node_is_held_by_friction_alone(void **state) {
  (void)state;
  const double u[3] = { 0.09, -0.05, 0.004 }, depth = HEIGHT - X[2] - u[2], limit = FRICTION * K * depth;
  const FloorContact c = floor_at(u);

  // At a fixed normal force, friction is minus the gradient of limit * |e|. `limit` is the largest friction force, and
  // e the vector from the anchor to the node. The normal force is K times the depth.
  for (int i = 0; i < 2; i++) {
    double e[2] = { u[0] - ANCHOR[0], u[1] - ANCHOR[1] };
    e[i] += H;
    const double ahead = hypot(e[0], e[1]);
    e[i] -= 2 * H;
    assert_near("friction", c.force[i], -limit * (ahead - hypot(e[0], e[1])) / (2 * H), limit);
  }

  assert_near("size of friction", hypot(c.force[0], c.force[1]), limit, limit);
  assert_near("normal force", c.force[2], K * depth, K * depth);
  assert_floor_tangent(u);

  // Friction changes with the depth. The tangent omits this change, so that the tangent is symmetric.
  assert_near("change of friction with depth", floor_slope(u, 2, 0), -FRICTION * c.force[0] / limit * K, K);

  // The anchor moves until its spring's force equals the limit of friction. The energy is the sum of the energies of
  // the normal and the tangential spring.
  const double left[2] = { u[0] - c.anchor_x, u[1] - c.anchor_y };
  assert_near("anchor x", K * left[0], -c.force[0], limit);
  assert_near("anchor y", K * left[1], -c.force[1], limit);
  const double springs = 0.5 * K * (depth * depth + left[0] * left[0] + left[1] * left[1]);
  assert_near("energy", c.energy, springs, springs);
}

// The secant stiffness of friction is limit / |e|, with the largest friction force `limit` and the vector e from the
// anchor to the node. The tangent of a slipping node contains `fraction` times this stiffness along the slip direction.
// With fraction = 1 the tangent is limit / |e| in every tangential direction.
static void the_slip_fraction_stiffens_the_slip_direction_only(void **state) {
  (void)state;
  const double u[3] = { 0.09, -0.05, 0.004 }, fraction = 0.3, e[2] = { u[0] - ANCHOR[0], u[1] - ANCHOR[1] };
  const double slip_length = hypot(e[0], e[1]), secant = FRICTION * K * (HEIGHT - X[2] - u[2]) / slip_length;
  const FloorContact none = floor_at(u), some = floor_contact(X, u, AT_REST, ANCHOR, HEIGHT, K, FRICTION, fraction);
  const FloorContact all = floor_contact(X, u, AT_REST, ANCHOR, HEIGHT, K, FRICTION, 1);
  assert_true(secant > 0 && e[0] * e[1] != 0);
  assert_near("xx", some.tangent[0] - none.tangent[0], fraction * secant * e[0] * e[0] / (slip_length * slip_length),
              secant);
  assert_near("yy", some.tangent[1] - none.tangent[1], fraction * secant * e[1] * e[1] / (slip_length * slip_length),
              secant);
  assert_near("xy", some.tangent_xy - none.tangent_xy, fraction * secant * e[0] * e[1] / (slip_length * slip_length),
              secant);
  assert_near("xx with fraction 1", all.tangent[0], secant, secant);
  assert_near("yy with fraction 1", all.tangent[1], secant, secant);
  assert_near("xy with fraction 1", all.tangent_xy, 0, secant);
  assert_true(some.tangent[2] == none.tangent[2] && some.energy == none.energy && some.anchor_x == none.anchor_x);
  for (int i = 0; i < 3; i++) assert_true(some.force[i] == none.force[i]);

  // a sticking node has only the stiffness of its springs
  const double small[3] = { 0.02, -0.01, -0.003 };
  const FloorContact stuck = floor_contact(X, small, AT_REST, ANCHOR, HEIGHT, K, FRICTION, 1);
  assert_true(stuck.tangent[0] == K && stuck.tangent[1] == K && stuck.tangent_xy == 0);
}

static void forces_do_not_jump_where_a_node_slips_or_lifts_off(void **state) {
  (void)state;
  const double reach = FRICTION * (HEIGHT - X[2]), small = 1e-9;
  const double stick[3] = { ANCHOR[0] + 0.6 * (reach - small), ANCHOR[1] + 0.8 * (reach - small), 0 };
  const double slip[3] = { ANCHOR[0] + 0.6 * (reach + small), ANCHOR[1] + 0.8 * (reach + small), 0 };
  const FloorContact a = floor_at(stick), b = floor_at(slip);
  assert_true(a.anchor_x == ANCHOR[0] && b.anchor_x != ANCHOR[0]);
  for (int i = 0; i < 3; i++) assert_near("force where slip begins", b.force[i], a.force[i], 10 * K);
  assert_near("energy where slip begins", b.energy, a.energy, 1);

  // Before slip, the tangent contains both springs. During slip it lacks the term k t t^T along the slip direction t.
  assert_true(a.tangent[0] == K && a.tangent[1] == K && a.tangent_xy == 0);
  assert_near("tangent xx", b.tangent[0], K * (1 - 0.36), 10 * K);
  assert_near("tangent yy", b.tangent[1], K * (1 - 0.64), 10 * K);
  assert_near("tangent xy", b.tangent_xy, -K * 0.48, 10 * K);

  const double on[3] = { 0.02, 0.01, HEIGHT - X[2] - small }, off[3] = { 0.02, 0.01, HEIGHT - X[2] + small };
  const FloorContact in = floor_at(on), out = floor_at(off);
  for (int i = 0; i < 3; i++) assert_near("force at lift-off", in.force[i], out.force[i], K);
  assert_true(in.tangent[2] == K && out.tangent[2] == 0 && out.force[2] == 0 && out.energy == 0);
  assert_true(out.anchor_x == off[0] && out.anchor_y == off[1]);
}

// A node of 2 kg is 0.01 m above the floor. In the next 0.01 s its momentum and its load would move it below the floor.
// So Newton's first evaluation treats it as touching: its spring pulls it down to the floor.
static void nodes_that_will_touch_count_as_touching(void **state) {
  (void)state;
  const double u[3] = { 0, 0, 0.06 }, p[3] = { 0.5, 0, -3 }, load[3] = { 0, 0, -20 };
  double ahead[3];
  floor_ahead(p, load, 2, 0.01, ahead);
  assert_near("predicted displacement x", ahead[0], 0.01 * 0.5 / 2, 1);
  assert_near("predicted displacement z", ahead[2], 0.01 * (-3 - 0.01 * 20) / 2, 1);
  const FloorContact now = floor_at(u), soon = floor_contact(X, u, ahead, ANCHOR, HEIGHT, K, FRICTION, 0);
  assert_true(now.tangent[2] == 0 && now.force[2] == 0);
  assert_true(soon.tangent[2] == K && soon.force[0] == 0);
  assert_near("force on a node that will touch", soon.force[2], -K * 0.01, K);
  floor_ahead(p, load, 2, 0, ahead);
  assert_true(ahead[0] == 0 && ahead[1] == 0 && ahead[2] == 0);
}

// Two nodes with forces of all kinds. The first node sticks to the floor, and the second is above it.
typedef struct Pair {
  double X[6], u[6], p[6], mass[2], origin[3];
  double load[6], pull[6], spring[2], damper[2], contact[2], anchor[4];
  Body body;
  Forces forces;
} Pair;

static void make_pair(Pair *s) {
  *s = (Pair){ .X = { 0.1, 0.2, 0.02, 0.3, -0.1, 0.9 },
               .u = { 0.004, -0.003, -0.01, 0.05, 0.02, -0.03 },
               .p = { 1, 2, 3, -1, 0.5, 2 },
               .mass = { 2, 3 },
               .origin = { 0.3, -0.2, 0.01 },
               .load = { 1, -2, -20, 0.5, 3, -30 },
               .pull = { 4, 5, -6, 7, -8, 9 },
               .spring = { 15, 40 },
               .damper = { 3, 0.5 },
               .contact = { 0.2, 0.3 },
               .anchor = { 0.003, -0.001, 0, 0 } };
  s->body = (Body){ .node_count = 2, .n = 6, .X = s->X, .u = s->u, .p = s->p, .mass = s->mass, .origin = s->origin };
  s->forces = (Forces){ .load = s->load,
                        .pull = s->pull,
                        .spring = s->spring,
                        .damper = s->damper,
                        .floor = { .present = true, .height = 0.05, .modulus = 1000, .friction = 0.7 },
                        .contact = s->contact,
                        .anchor = s->anchor };
}

static double pair_energy(const Pair *s) {
  double energy = 0;
  for (int a = 0; a < 2; a++) add_external_energy(&s->forces, &s->body, a, &energy);
  return energy;
}

static void all_external_forces_together_follow_from_their_energy(void **state) {
  (void)state;
  Pair s;
  make_pair(&s);
  assert_true(floor_on_node(&s.forces, &s.body, 0, s.u, 0, 0).force[2] > 0);
  assert_true(floor_on_node(&s.forces, &s.body, 1, s.u, 0, 0).force[2] == 0);
  for (int i = 0; i < 6; i++) {
    const double u = s.u[i];
    s.u[i] = u + H;
    const double ahead = pair_energy(&s);
    s.u[i] = u - H;
    const double slope = (ahead - pair_energy(&s)) / (2 * H);
    s.u[i] = u;
    const double floor = floor_on_node(&s.forces, &s.body, i / 3, s.u, 0, 0).force[i % 3];
    assert_near("force", force_on_unknown(&s.forces, &s.body, i, u, 0) + floor, -slope, 50);
  }

  // unknown 1 is the displacement along y of node 0, whose damper has 3 kg/s; its velocity is 0.4 m/s
  s.forces.floor.present = false;
  const double with_speed = force_on_unknown(&s.forces, &s.body, 1, s.u[1], 0.4);
  assert_near("damper", force_on_unknown(&s.forces, &s.body, 1, s.u[1], 0) - with_speed, 3 * 0.4, 1);
}

// A time step that is recorded as a CUDA graph contains the parameters of the floor. If one of them changes, the key of
// the recording must change, too, so that a new graph is recorded.
static void the_key_of_a_recorded_step_has_the_numbers_of_the_floor(void **state) {
  (void)state;
  Pair s;
  make_pair(&s);
  const Floor floors[] = { { .present = false, .height = 0.05, .modulus = 1000, .friction = 0.7 },
                           { .present = true, .height = 0.06, .modulus = 1000, .friction = 0.7 },
                           { .present = true, .height = 0.05, .modulus = 1001, .friction = 0.7 },
                           { .present = true, .height = 0.05, .modulus = 1000, .friction = 0.8 } };
  double key[FORCE_ROWS * FORCE_KEYS], other[FORCE_ROWS * FORCE_KEYS];
  forces_key(&s.forces, key);
  forces_key(&s.forces, other);
  assert_memory_equal(key, other, sizeof key);
  for (int k = 0; k < 4; k++) {
    s.forces.floor = floors[k];
    forces_key(&s.forces, other);
    assert_memory_not_equal(key, other, sizeof key);
  }
}

// Returns the residual of a step from u0 to u1 of a mass on a spring and a damper.
static double oscillator_residual(const TimeStep *step, double p0, double u0, double u1) {
  const double force =
      spring_force(90, 30, u0 + step->theta * (u1 - u0)) + damper_force(4, step->inverse_dt * (u1 - u0));
  return step_residual(step, p0, 2, u1 - u0, 0, step->impulse * force);
}

static void the_shift_is_the_derivative_of_the_residual(void **state) {
  (void)state;
  const TimeStep steps[] = { midpoint_step(0.02, 0.3), euler_step(0.02, 0.3), static_step() };
  for (int k = 0; k < 3; k++) {
    const double slope =
        (oscillator_residual(&steps[k], 1.5, 0.2, 0.3 + H) - oscillator_residual(&steps[k], 1.5, 0.2, 0.3 - H)) /
        (2 * H);
    const Forces forces = { .spring = (double[]){ 90 }, .damper = (double[]){ 4 } };
    double shift = step_mass_shift(&steps[k], 2);
    add_unknown_shift(&forces, 0, steps[k].spring_shift, steps[k].damper_shift, &shift);
    assert_near("shift", shift, -slope, shift);
  }
}

// Simulates 500 steps of an oscillator without damper, with k = 90 N/m and m = 2 kg. The midpoint rule keeps its
// energy. Backward Euler multiplies the energy by 1/(1 + k dt^2/m) in each step.
static void steps_keep_or_damp_the_energy_of_an_oscillator(void **state) {
  (void)state;
  const double dt = 0.02, k = 90, m = 2;
  for (int euler = 0; euler < 2; euler++) {
    const TimeStep step = euler ? euler_step(dt, 0) : midpoint_step(dt, 0);
    double u = 0.3, p = -0.8, expected = spring_energy(k, 0, u) + p * p / (2 * m);
    for (int s = 0; s < 500; s++) {
      // the residual is linear in u1, so one Newton iteration suffices
      const double r = step_residual(&step, p, m, 0, 0, step.impulse * spring_force(k, 0, u));
      const double u1 = u + r / (step_mass_shift(&step, m) + step.spring_shift * k), at = u + step.theta * (u1 - u);
      p = step_end_momentum(&step, m, u1 - u, 0, step.impulse * spring_force(k, 0, at));
      u = u1;
      if (euler) expected /= 1 + k * dt * dt / m;
      assert_near(euler ? "backward Euler" : "midpoint rule", spring_energy(k, 0, u) + p * p / (2 * m), expected,
                  expected);
    }
  }
}

static void bdf2_starts_from_a_constant_speed(void **state) {
  (void)state;
  // A step of BDF2 is a step of backward Euler of length 2/3 dt that starts from (4 now - before) / 3. At a constant
  // speed of 0.2 per dt, from before = 0.8 and now = 1, it must end at 1.2.
  assert_near("end of a step of BDF2", step_extrapolate(1, 0.8) + 2.0 / 3 * 0.2, 1.2, 1);
}

// Returns an obstacle of this kind, rotated about all axes.
static Obstacle leaning_obstacle(ObstacleKind kind) {
  return (Obstacle){ .kind = kind,
                     .centre = { 0.1, -0.2, 0.05 },
                     .axis = { { 2 / 3., 2 / 3., 1 / 3. }, { -2 / 3., 1 / 3., 2 / 3. }, { 1 / 3., -2 / 3., 2 / 3. } },
                     .size = { 0.3, 0.2, 0.4 },
                     .friction = FRICTION };
}

static void distances_are_those_of_geometry(void **state) {
  (void)state;

  // Rows: point in the obstacle's frame, and its distance from the surface, computed by hand, m. The radius of sphere
  // and capsule is 0.3 m, the half edges of the box are 0.3, 0.2 and 0.4 m. The ends of the capsule's axis are 0.4 m
  // from its centre.
  static const struct {
    ObstacleKind kind;
    double at[3], distance;
  } rows[] = {
    { OBSTACLE_PLANE, { 5, -7, 0.25 }, 0.25 },      { OBSTACLE_PLANE, { 1, 2, -0.5 }, -0.5 },
    { OBSTACLE_SPHERE, { 0, 0.6, 0.8 }, 0.7 },      { OBSTACLE_SPHERE, { 0, 0, 0 }, -0.3 },
    { OBSTACLE_BOX, { 0.1, 0.5, 0.1 }, 0.3 },       { OBSTACLE_BOX, { 0.6, 0.6, 0.1 }, 0.5 },
    { OBSTACLE_BOX, { 0.5, -0.4, 0.5 }, 0.3 },      { OBSTACLE_BOX, { 0.25, -0.1, 0 }, -0.05 },
    { OBSTACLE_CAPSULE, { 0.3, 0.4, -0.39 }, 0.2 }, { OBSTACLE_CAPSULE, { 0, 0.6, -1.2 }, 0.7 },
    { OBSTACLE_CAPSULE, { 0, -0.1, 0.2 }, -0.2 },
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const Obstacle o = leaning_obstacle(rows[r].kind);
    double x[3], n[3], along = 0;
    for (int i = 0; i < 3; i++) {
      x[i] = o.centre[i];
      for (int k = 0; k < 3; k++) x[i] += o.axis[k][i] * rows[r].at[k];
    }
    assert_near("distance", obstacle_distance(&o, x, n), rows[r].distance, 1e-5);

    // the normal n has the length 1 and is the gradient of the distance
    for (int i = 0; i < 3; i++) {
      double up[3] = { x[0], x[1], x[2] }, down[3] = { x[0], x[1], x[2] }, ignored[3];
      up[i] += H;
      down[i] -= H;
      along += n[i] * n[i];
      if (rows[r].kind != OBSTACLE_SPHERE || rows[r].distance > 0)
        assert_near("gradient of the distance", n[i],
                    (obstacle_distance(&o, up, ignored) - obstacle_distance(&o, down, ignored)) / (2 * H), 1);
    }
    assert_near("length of the normal", along, 1, 1e-5);
  }
}

// Returns the contact of a node that is outside an obstacle before the step, and inside it after the displacement u.
// far: true if the node's friction anchor is so far away that the node slips. Also tests moving obstacles and the
// secant stiffness of friction.
static ObstacleContact leaning_contact(ObstacleKind kind, const double u[3], bool far) {
  static const double u0[3] = { 0.01, -0.02, 0.03 };
  const Obstacle o = leaning_obstacle(kind);
  double x0[3], n[3];
  const double anchor[3] = { 0.012, -0.021 + (far ? 0.2 : 0), 0.028 };
  for (int i = 0; i < 3; i++) x0[i] = o.centre[i] + 0.02 * o.axis[0][i] + 0.01 * o.axis[1][i] + 0.9 * o.axis[2][i];

  // moves the node to 0.01 m outside the surface
  const double gap = obstacle_distance(&o, x0, n) - 0.01;
  for (int i = 0; i < 3; i++) x0[i] -= gap * n[i];
  const ObstacleContact c =
      obstacle_contact(&o, (StepSpan){ 0, 0.2, 0, 0 }, x0, u0, u, AT_REST, AT_REST, 1, 0, anchor, K);

  // A moving obstacle must give the same contact in its own frame, here in the second substep of a step.
  const StepSpan span = { 0.1, 0.2, 0.1, 0 };
  double later[3], gone[3];
  Obstacle moving = o;
  for (int i = 0; i < 3; i++) {
    moving.velocity[i] = 0.3 - 0.2 * i;
    later[i] = x0[i] + span.from * moving.velocity[i];
    gone[i] = u[i] + span.lasts * moving.velocity[i];
  }

  const ObstacleContact m = obstacle_contact(&moving, span, later, u0, gone, AT_REST, AT_REST, 1, 0, anchor, K);
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(m.force[i] - c.force[i]) <= 1e-12 * K);
    assert_true(fabs(m.anchor[i] - c.anchor[i] - span.lasts * moving.velocity[i]) <= 1e-12);
  }
  assert_true(fabs(m.energy - c.energy) <= 1e-12 * K);

  // With the full secant stiffness, the tangent of a slipping node gains the friction force, divided by the distance
  // from the anchor, along the slip direction. Nothing else changes.
  static const int entry[3][3] = { { 0, 3, 4 }, { 3, 1, 5 }, { 4, 5, 2 } };
  const ObstacleContact s =
      obstacle_contact(&o, (StepSpan){ 0, 0.2, 0, 1 }, x0, u0, u, AT_REST, AT_REST, 1, 0, anchor, K);
  double e[3], off = 0, normal = 0;
  for (int i = 0; i < 3; i++) {
    off += n[i] * (u[i] - anchor[i]);
    normal += n[i] * c.force[i];
  }
  for (int i = 0; i < 3; i++) e[i] = u[i] - anchor[i] - off * n[i];
  for (int i = 0; i < 3; i++) {
    double more = 0;
    for (int j = 0; j < 3; j++) more += (s.tangent[entry[i][j]] - c.tangent[entry[i][j]]) * e[j];
    assert_near("secant stiffness of friction", more, far ? normal * n[i] - c.force[i] : 0, K);
    assert_true(s.force[i] == c.force[i] && s.anchor[i] == c.anchor[i]);
  }

  assert_true(s.energy == c.energy);
  return c;
}

static void obstacles_have_the_forces_of_their_springs(void **state) {
  (void)state;
  for (int kind = OBSTACLE_PLANE; kind <= OBSTACLE_CAPSULE; kind++)
    for (int far = 0; far < 2; far++) {
      static const int entry[3][3] = { { 0, 3, 4 }, { 3, 1, 5 }, { 4, 5, 2 } };  // tangent: xx, yy, zz, xy, xz, yz
      const Obstacle o = leaning_obstacle((ObstacleKind)kind);
      const double *n = o.axis[2];
      double u[3], size = 0;
      for (int i = 0; i < 3; i++) u[i] = (double[]){ 0.01, -0.02, 0.03 }[i] - 0.04 * n[i] + 0.002 * o.axis[0][i];
      const ObstacleContact c = leaning_contact((ObstacleKind)kind, u, far);
      for (int i = 0; i < 3; i++) size += c.force[i] * c.force[i];
      assert_true(sqrt(size) > 0.02 * K);
      for (int j = 0; j < 3; j++) {
        double up[3] = { u[0], u[1], u[2] }, down[3] = { u[0], u[1], u[2] };
        up[j] += H;
        down[j] -= H;
        const ObstacleContact a = leaning_contact((ObstacleKind)kind, up, far),
                              b = leaning_contact((ObstacleKind)kind, down, far);

        // The force on a sticking node is minus the gradient of the energy. Friction on a slipping node depends on the
        // normal force, but the tangent neglects this dependence.
        double normal = 0;
        for (int i = 0; i < 3; i++) normal += c.force[i] * n[i];
        if (!far) assert_near("force", c.force[j], -(a.energy - b.energy) / (2 * H), K);
        for (int i = 0; i < 3; i++) {
          double slope = -(a.force[i] - b.force[i]) / (2 * H);
          if (far) slope += (c.force[i] - normal * n[i]) / normal * K * -n[j];
          if (kind == OBSTACLE_PLANE || !far) assert_near("tangent", c.tangent[entry[i][j]], slope, K);
        }
      }

      // the anchor differs from u only along the surface
      double off = 0, slip_length = 0;
      for (int i = 0; i < 3; i++) {
        off += n[i] * (u[i] - c.anchor[i]);
        slip_length += pow(u[i] - c.anchor[i], 2);
      }
      if (kind == OBSTACLE_PLANE) assert_near("distance of the anchor from the surface", off, 0, 1e-5);
      assert_true(slip_length > 0);
    }
}

static bool lost(const Ranks *ranks, double *values, int n, Error *error) {
  (void)ranks, (void)values, (void)n;
  return error_set(error, "the connection is lost");
}

// Grabs need sums over all processes. If such a sum fails, no incomplete grab may remain in the simulation.
static void a_grab_that_fails_is_removed(void **state) {
  (void)state;
  enum { NODE = 3 };
  Error error = { 0 };
  TetMesh mesh = box(1, 1, 1, (double[3]){ 1, 1, 1 });
  Space space;
  Grabs grabs;
  int id;
  MUST(space_create(&space, &mesh, 3, &error));
  MUST(grabs_create(&grabs, DEVICE_CPU, space.node_count, &error));
  const Ranks ranks = { .count = 2, .sum = lost };
  const Halo halo = { .ranks = &ranks, .owned_count = space.node_count };
  double *mass = calloc((size_t)space.node_count, sizeof *mass), (*u)[3] = calloc((size_t)space.node_count, sizeof *u);
  space.halo = &halo;
  for (int k = 0; k < 2 * GRABS_MAX; k++) {
    const double(*now)[3] = (const double(*)[3])u;
    error = (Error){ 0 };
    assert_false(k % 2 ? grabs_add_nodes(&grabs, &space, mass, now, (int[]){ NODE }, 1, 10, &id, &error)
                       : grabs_add(&grabs, &space, mass, now, space.X[NODE], 0.1, NODE, 10, &id, &error));
    assert_string_equal(error.message, "the connection is lost");
  }

  for (int g = 0; g < GRABS_MAX; g++) assert_int_equal(grabs.grab[g].id, 0);
  space.halo = NULL;
  grabs_destroy(&grabs);
  space_destroy(&space);
  mesh_destroy(&mesh);
  free(mass);
  free(u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(springs_and_dampers_follow_from_their_energy),
    cmocka_unit_test(a_sticking_node_has_the_forces_of_two_springs),
    cmocka_unit_test(a_slipping_node_is_held_by_friction_alone),
    cmocka_unit_test(the_slip_fraction_stiffens_the_slip_direction_only),
    cmocka_unit_test(forces_do_not_jump_where_a_node_slips_or_lifts_off),
    cmocka_unit_test(distances_are_those_of_geometry),
    cmocka_unit_test(obstacles_have_the_forces_of_their_springs),
    cmocka_unit_test(nodes_that_will_touch_count_as_touching),
    cmocka_unit_test(all_external_forces_together_follow_from_their_energy),
    cmocka_unit_test(the_key_of_a_recorded_step_has_the_numbers_of_the_floor),
    cmocka_unit_test(the_shift_is_the_derivative_of_the_residual),
    cmocka_unit_test(steps_keep_or_damp_the_energy_of_an_oscillator),
    cmocka_unit_test(bdf2_starts_from_a_constant_speed),
    cmocka_unit_test(a_grab_that_fails_is_removed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
