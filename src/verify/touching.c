// Verification of bodies in contact: a paraboloid under a plate, colliding bars, a block on a slope, a stack of blocks,
// colliding balls. All use self_contact: a barrier energy pushes surfaces apart that are closer than a distance, the
// reach. The reach is small compared with the measured lengths.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "mesh/shapes.h"
#include "verify/specimen.h"
#include "verify/verify.h"

// Returns a copy of the settings in which degree 3, which self_contact does not support, is replaced by 2.
static SimulationSettings that_touch(const SimulationSettings *stages) {
  SimulationSettings s = *stages;
  if (s.degree == 3) s.degree = 2;
  return s;
}

static double pi(void) {
  return acos(-1);
}

static bool steps(Specimen *s, int count, Error *error) {
  StepReport report;
  bool ok = true;
  for (int n = 0; ok && n < count; n++) ok = interrupt_check(error) && simulation_step(s->simulation, &report, error);
  return ok && simulation_state(s->simulation, s->x, s->p, error);
}

// Returns the mass of body number `body`, kg.
static double mass_of_body(const Specimen *s, int body) {
  double sum = 0;
  for (int a = 0; a < s->mesh.node_count; a++) sum += mesh_body(&s->mesh, a) == body ? s->mass[a] : 0;
  return sum;
}

// Computes the displacement *moved of a body's centre of mass along an axis, m, and its momentum along this axis, kg
// m/s.
static void motion_of_body(const Specimen *s, int body, int axis, double *moved, double *momentum) {
  *moved = *momentum = 0;
  for (int a = 0; a < s->mesh.node_count; a++) {
    if (mesh_body(&s->mesh, a) != body) continue;
    *moved += s->mass[a] * (s->x[a][axis] - s->mesh.X[a][axis]);
    *momentum += s->p[a][axis];
  }
  *moved /= mass_of_body(s, body);
}

// Hertz contact. A plate is pressed onto a paraboloid with radius of curvature R, and moves by d after the first
// contact. The force is F = 4/3 E* sqrt(R) d^1.5 with E* = E / (1 - nu^2), on a circle of radius a, a^2 = R d. The
// pressure at distance r from the circle's middle is p0 sqrt(1 - r^2/a^2), p0 = 2 E* a / (pi R). The mesh is a quarter
// of the paraboloid, with small cells at the contact. Nodes far away are held at the displacements of a half space
// under a point force F (Boussinesq).
enum { FINE = 10, COARSE = 6, ACROSS = FINE + COARSE, DEEP = 9, INCREMENTS = 4 };
static const double HERTZ_RADIUS = 1, HERTZ_CIRCLE = 0.1, HERTZ_YOUNG = 1e6, HERTZ_POISSON = 0.3;

static double effective_modulus(void) {
  return HERTZ_YOUNG / (1 - HERTZ_POISSON * HERTZ_POISSON);
}

static double hertz_force(double approach) {
  return 4.0 / 3 * effective_modulus() * sqrt(HERTZ_RADIUS) * pow(approach, 1.5);
}

// Computes the coordinates of the planes between cells: `across` along x and y, `depth` along z. Across, the first FINE
// cells have a sixth of the contact radius as width; each further cell is 1.6 times as wide as the cell before. Along
// z, cells become thicker from the top down.
static void hertz_planes(double across[ACROSS + 1], double depth[DEEP + 1]) {
  double h = HERTZ_CIRCLE / 6;
  across[0] = depth[0] = 0;
  for (int k = 1; k <= ACROSS; k++) across[k] = across[k - 1] + (k > FINE ? h *= 1.6 : h);
  h = HERTZ_CIRCLE / 6;
  for (int k = 1; k <= DEEP; k++) depth[k] = depth[k - 1] + (k > 2 ? h *= 1.5 : h);
}

// Computes the displacement u, m, at point x of the half space z < 0 under a downward force, N, at the origin
// (Boussinesq).
static void boussinesq(double force, const double x[3], double u[3]) {
  const double nu = HERTZ_POISSON, depth = -x[2], r = hypot(x[0], x[1]), rho = hypot(r, depth);
  const double factor = (1 + nu) * force / (2 * pi() * HERTZ_YOUNG);
  const double out = factor * (r * depth / pow(rho, 3) - (1 - 2 * nu) * r / (rho * (rho + depth)));
  u[0] = r > 0 ? out * x[0] / r : 0;
  u[1] = r > 0 ? out * x[1] / r : 0;
  u[2] = -factor * (2 * (1 - nu) / rho + depth * depth / pow(rho, 3));
}

// The bodies of the Hertz contact: nodes of the paraboloid come first, then those of the plate.
typedef struct Hertz {
  Specimen s;
  int below;     // number of nodes of the paraboloid
  uint8_t *far;  // [below] 1: held at Boussinesq's displacement
  uint8_t *top;  // [below] 1: on the top surface
  double *area;  // [below] m^2, part of the top surface's area, projected along z, that belongs to the node
  double plate;  // m, height of the plate's lower face at rest
  int grab;
} Hertz;

static bool hertz_make(Hertz *h, const SimulationSettings *stages, double reach, Error *error) {
  double across[ACROSS + 1], depth[DEEP + 1];
  hertz_planes(across, depth);
  const double unit[3] = { ACROSS, ACROSS, DEEP }, slab[3] = { 0.27, 0.27, 0.1 };
  TetMesh plate = { 0 };
  Specimen *s = &h->s;

  // the case tests contact and not elements, so it uses linear tets at any degree
  SimulationSettings of_one = *stages;
  of_one.degree = 1;
  if (!specimen_box(s, &of_one, (int[3]){ ACROSS, ACROSS, DEEP }, unit, HERTZ_YOUNG, HERTZ_POISSON, 1, error))
    return false;
  h->below = s->mesh.node_count;
  h->area = array_new(h->below, sizeof *h->area, "areas", error);
  h->far = array_new(h->below, 1, "nodes", error);
  h->top = array_new(h->below, 1, "nodes", error);
  if (!h->area || !h->far || !h->top) return false;
  for (int a = 0; a < h->below; a++) {
    double *X = s->mesh.X[a];
    const int at[3] = { (int)lround(X[0]), (int)lround(X[1]), DEEP - (int)lround(X[2]) };
    for (int i = 0; i < 2; i++) X[i] = across[at[i]];
    const double r = fmin(hypot(X[0], X[1]), 2.5 * HERTZ_CIRCLE);
    X[2] = -depth[at[2]] - r * r / (2 * HERTZ_RADIUS) * (1 - depth[at[2]] / depth[DEEP]);
    h->far[a] = at[0] == ACROSS || at[1] == ACROSS || at[2] == DEEP;
    h->top[a] = at[2] == 0;
  }

  // each triangle of the top surface gives a third of its area to each of its nodes
  for (int e = 0; e < s->mesh.tet_count; e++)
    for (int k = 0; k < 4; k++) {
      const int n[3] = { s->mesh.tet[e][(k + 1) % 4], s->mesh.tet[e][(k + 2) % 4], s->mesh.tet[e][(k + 3) % 4] };
      if (!h->top[n[0]] || !h->top[n[1]] || !h->top[n[2]]) continue;
      const double *a = s->mesh.X[n[0]], *b = s->mesh.X[n[1]], *c = s->mesh.X[n[2]];
      const double twice = fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
      for (int j = 0; j < 3; j++) h->area[n[j]] += twice / 6;
    }
  h->plate = 1.5 * reach;
  if (!mesh_make_box(1, 1, 1, slab, &plate, error) ||
      !specimen_add(s, &plate, (double[3]){ -0.02, -0.02, h->plate }, error))
    return false;
  for (int a = 0; a < h->below; a++) {
    const double *X = s->mesh.X[a];
    s->pinned[a] = h->far[a] ? PIN_ALL : (uint8_t)((X[0] == 0 ? PIN_X : 0) | (X[1] == 0 ? PIN_Y : 0));
  }
  const double corner[3] = { 0.25, 0.25, h->plate + slab[2] };
  specimen_touches(s, reach);
  s->settings.newton_relative = 1e-8;
  s->settings.cg_relative = 1e-4;

  // Newton's method takes 30 to 70 iterations, since the set of contact pairs changes from iteration to iteration.
  s->settings.newton_max = 200;
  return specimen_start(s, error) && simulation_grab(s->simulation, corner, 10, 100 * HERTZ_YOUNG, &h->grab, error);
}

bool verify_hertz(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const double approach = HERTZ_CIRCLE * HERTZ_CIRCLE / HERTZ_RADIUS, reach = 0.02 * approach;
  const double highest = 2 * effective_modulus() * HERTZ_CIRCLE / (pi() * HERTZ_RADIUS);
  Hertz h = { 0 };
  Specimen *s = &h.s;
  bool ok = hertz_make(&h, stages, reach, error);
  for (int k = 1; ok && k <= INCREMENTS; k++) {
    const double down = approach * k / INCREMENTS;
    StepReport step;
    char what[80];
    ok = simulation_state(s->simulation, s->x, NULL, error);
    for (int a = 0; ok && a < h.below; a++) {
      double u[3];
      if (!h.far[a]) continue;
      boussinesq(hertz_force(down), s->mesh.X[a], u);
      for (int i = 0; i < 3; i++)
        if (pin_holds(s->pinned[a], i)) s->x[a][i] = s->mesh.X[a][i] + u[i];
    }

    // the contact barrier keeps a gap of about 0.9 reach under the middle of the plate, so the plate is moved down by
    // 0.9 reach less
    ok = ok && simulation_set_state(s->simulation, (const double(*)[3])s->x, NULL, error);
    ok = ok && simulation_drag(s->simulation, h.grab, (double[3]){ 0, 0, -(down + h.plate - 0.9 * reach) }, error);
    ok = ok && simulation_equilibrium(s->simulation, &step, error);
    ok = ok && (step.converged ||
                error_set(error, "case \"hertz\": no equilibrium after %d Newton iterations in increment %d of %d",
                          step.newton_iterations, k, INCREMENTS));
    ok = ok && simulation_internal_force(s->simulation, s->f, error);
    ok = ok && simulation_state(s->simulation, s->x, NULL, error);
    if (!ok) break;

    // force: contact force on the top of the quarter, N. It is the sum of the internal forces at the nodes of the top,
    // which balance it. apex: vertical displacement of the paraboloid's apex, m.
    double force = 0, apex = 0;
    for (int a = 0; a < h.below; a++) {
      if (h.top[a] && !h.far[a]) force -= s->f[a][2];
      if (h.top[a] && s->mesh.X[a][0] == 0 && s->mesh.X[a][1] == 0) apex = s->x[a][2];
    }
    snprintf(what, sizeof what, "force at the approach %.4f m", -apex);
    report_relative(report, what, "N", hertz_force(-apex), 4 * force, 0.05);
    if (k < INCREMENTS) continue;
    double off = 0, all = 0, inner = 0, inner_force = 0, inner_hertz = 0;
    for (int a = 0; a < h.below; a++) {
      const double r = hypot(s->mesh.X[a][0], s->mesh.X[a][1]);
      if (!h.top[a] || r > 1.5 * HERTZ_CIRCLE) continue;
      const double p = -s->f[a][2] / h.area[a];
      const double expected = r < HERTZ_CIRCLE ? highest * sqrt(1 - pow(r / HERTZ_CIRCLE, 2)) : 0;
      off += h.area[a] * pow(p - expected, 2);
      all += h.area[a] * pow(expected, 2);
      if (r < 0.5 * HERTZ_CIRCLE) {
        inner += h.area[a];
        inner_force += -s->f[a][2];
        inner_hertz += h.area[a] * expected;
      }
      if (s->mesh.X[a][1] == 0) {
        report_point(report, "closed form", r, expected);
        report_point(report, "pressure", r, p);
      }
    }
    report_relative(report, "mean pressure within half the contact radius", "Pa", inner_hertz / inner,
                    inner_force / inner, 0.05);
    report_check(report, "pressure: RMS error, relative to Hertz's solution", "", 0, sqrt(off / all), 1, 0.1);
  }

  free(h.area);
  free(h.far);
  free(h.top);
  specimen_destroy(s);
  return ok;
}

// Returns the pressure, Pa, between two bars that collide head on, each at `speed`, if a shock wave runs along each
// bar. With the stretch q behind the wave, mass and momentum are conserved if rho v^2 = (1 - q) |P(q)|, with speed v
// and nominal stress P = E/2 (q - 1/q). Bisection finds q; the pressure is |P(q)|.
static double shock_pressure(double young, double density, double speed) {
  double low = 0.01, high = 1;
  for (int k = 0; k < 60; k++) {
    const double q = (low + high) / 2, P = young / 2 * (1 / q - q);
    if ((1 - q) * P > density * speed * speed)
      low = q;
    else
      high = q;
  }
  return young / 2 * (1 / low - low);
}

// Two equal bars collide head on. They have E = 900 Pa, density rho = 1 kg/m^3, length L = 10 m and Poisson's ratio 0.
// Slow bars respond linearly, with wave speed c = sqrt(E/rho) = 30 m/s: the pressure is rho c v, contact lasts 2 L/c =
// 2/3 s, and they separate at speed v. At v = 10 m/s a shock wave runs along each bar instead (shock_pressure).
bool verify_touching_bars(const SimulationSettings *given, CaseReport *report, Error *error) {
  const SimulationSettings taken = that_touch(given), *const stages = &taken;
  const double length = 10, young = 900, density = 1, c = sqrt(young / density), area = 0.25;
  const double speeds[] = { 0.1, 10 }, contact_time = 2 * length / c;
  bool ok = true;
  for (int k = 0; ok && k < 2; k++) {
    const double v = speeds[k], pressure = k ? shock_pressure(young, density, v) : density * c * v;
    const double reach = k ? 0.01 : 0.001, size[3] = { 0.5, 0.5, length };
    const int cells[3] = { 1, 1, 80 };
    Specimen s = { 0 };
    TetMesh other = { 0 };
    char what[80];
    ok = specimen_box(&s, stages, cells, size, young, 0, density, error) &&
         mesh_make_box(cells[0], cells[1], cells[2], size, &other, error) &&
         specimen_add(&s, &other, (double[3]){ 0, 0, -length - 1.01 * reach }, error);
    s.settings.dt = contact_time / 200;
    s.settings.newton_relative = 1e-6;
    for (int a = 0; ok && a < s.mesh.node_count; a++) {
      s.p[a][2] = s.mass[a] * (mesh_body(&s.mesh, a) ? v : -v);
      s.pinned[a] = PIN_X | PIN_Y;  // no motion across the axis, which prevents buckling
    }
    specimen_touches(&s, reach);
    ok = ok && specimen_start(&s, error) && simulation_set_state(s.simulation, NULL, (const double(*)[3])s.p, error);
    const double mass = ok ? mass_of_body(&s, 0) : 1;
    double early = 0, late = 0, last_push = 0, before = -mass * v, now = 0, moved;
    for (int n = 1; ok && n <= (k ? 90 : 260); n++) {
      ok = steps(&s, 1, error);
      if (!ok) break;
      motion_of_body(&s, 0, 2, &moved, &now);
      if (n == 30) early = now;
      if (n == (k ? 80 : 160)) late = now;
      if (now - before > 0.1 * pressure * area * s.settings.dt) last_push = n * s.settings.dt;
      before = now;
      report_point(report, k ? "v 10" : "v 0.1", n * s.settings.dt, now / (mass * v));
    }
    if (ok) {
      snprintf(what, sizeof what, "speed %g m/s: contact pressure", v);
      report_relative(report, what, "Pa", pressure, (late - early) / ((k ? 50 : 130) * s.settings.dt) / area,
                      k ? 0.01 : 5e-3);
    }
    if (ok && k == 0) {
      report_relative(report, "speed 0.1 m/s: contact time", "s", contact_time, last_push, 0.05);
      report_relative(report, "speed 0.1 m/s: rebound speed", "m/s", v, now / mass, 0.3);
    }
    specimen_destroy(&s);
  }
  return ok;
}

// A block lies on a fixed block on a slope, with friction 0.5 and dt 1/60 s. Up to atan 0.5 = 26.57 degrees it rests,
// except for tilting and slow creep, since friction is smoothed below 1e-3 body lengths per second. On a steeper slope
// it slides as a rigid block.
bool verify_incline(const SimulationSettings *given, CaseReport *report, Error *error) {
  const SimulationSettings taken = that_touch(given), *const stages = &taken;
  enum { STEPS = 30 };
  const double g = 9.81, friction = 0.5, degrees[] = { 10, 24, 29, 45 };
  bool ok = true;
  for (int k = 0; ok && k < 4; k++) {
    Specimen s = { 0 };
    TetMesh block = { 0 };
    char what[80];
    const double slope = degrees[k] * pi() / 180, reach = 1e-3, thickness = 0.1;
    ok = specimen_box(&s, stages, (int[3]){ 4, 2, 1 }, (double[3]){ 2, 0.5, thickness }, 1e6, 0.3, 1000, error) &&
         mesh_make_box(3, 3, 2, (double[3]){ 0.2, 0.2, 0.1 }, &block, error) &&
         specimen_add(&s, &block, (double[3]){ 0.11, 0.13, thickness + 0.7 * reach }, error);
    for (int a = 0; ok && a < s.mesh.node_count; a++) s.pinned[a] = mesh_body(&s.mesh, a) ? 0 : PIN_ALL;
    s.settings.dt = 1.0 / 60;
    s.settings.friction = friction;
    s.settings.newton_relative = 1e-3;
    s.settings.cg_relative = 1e-4;
    s.settings.gravity[0] = g * sin(slope);
    s.settings.gravity[2] = -g * cos(slope);
    specimen_touches(&s, reach);
    ok = ok && specimen_start(&s, error) && steps(&s, STEPS, error);
    if (ok) {
      const double t = simulation_time(s.simulation), a = g * (sin(slope) - friction * cos(slope));
      double moved, momentum;
      motion_of_body(&s, 1, 0, &moved, &momentum);
      snprintf(what, sizeof what, "slope of %.0f degrees: speed after %.2g s", degrees[k], t);
      if (a <= 0) report_check(report, what, "m/s", 0, momentum / mass_of_body(&s, 1), 1, 2.1e-3);
      if (a > 0) report_relative(report, what, "m/s", a * t, momentum / mass_of_body(&s, 1), 0.1);
      report_point(report, "block", degrees[k], momentum / mass_of_body(&s, 1));
      report_point(report, "rigid block", degrees[k], fmax(0, a * t));
    }
    specimen_destroy(&s);
  }
  return ok;
}

// Stacks four blocks above a floor, and runs `settle` steps in which they come to rest. Then runs `steps_after` more
// steps. *crept gets the largest component of the displacements of the blocks' centres of mass in these steps, m.
// *fastest gets the largest component of the nodes' velocities at the end, m/s. If `sticks` is true, springs model
// static friction.
static bool stack_at_rest(const SimulationSettings *stages, bool sticks, int settle, int steps_after, double *crept,
                          double *fastest, Error *error) {
  enum { BLOCKS = 4 };
  const double side = 0.2, reach = 1e-3;
  Specimen s = { 0 };
  bool ok = specimen_box(&s, stages, (int[3]){ 2, 2, 2 }, (double[3]){ side, side, side }, 1e6, 0.3, 1000, error);
  for (int k = 1; ok && k < BLOCKS; k++) {
    TetMesh block = { 0 };
    ok = mesh_make_box(2, 2, 2, (double[3]){ side, side, side }, &block, error) &&
         specimen_add(&s, &block, (double[3]){ 0.01 * (k % 2), 0.013 * (k % 3), k * (side + 0.9 * reach) }, error);
  }

  s.settings.dt = 1.0 / 60;
  s.settings.friction = 0.5;
  s.settings.gravity[2] = -9.81;
  s.settings.has_floor = true;
  s.settings.floor_height = -0.9 * reach;
  s.settings.newton_relative = 1e-3;
  s.settings.cg_relative = 1e-4;
  s.settings.friction_sticks = sticks;
  specimen_touches(&s, reach);
  double middle[BLOCKS][3] = { { 0 } }, ignored;
  ok = ok && specimen_start(&s, error) && steps(&s, settle, error);
  for (int k = 0; ok && k < BLOCKS; k++)
    for (int i = 0; i < 3; i++) motion_of_body(&s, k, i, &middle[k][i], &ignored);
  ok = ok && steps(&s, steps_after, error);
  *crept = *fastest = 0;
  for (int k = 0; ok && k < BLOCKS; k++)
    for (int i = 0; i < 3; i++) {
      double moved;
      motion_of_body(&s, k, i, &moved, &ignored);
      *crept = fmax(*crept, fabs(moved - middle[k][i]));
    }
  for (int a = 0; ok && a < s.mesh.node_count; a++)
    for (int i = 0; i < 3; i++) *fastest = fmax(*fastest, fabs(s.p[a][i]) / s.mass[a]);
  specimen_destroy(&s);
  return ok;
}

// A stack of blocks comes to rest in 2 s, then is observed for 2 s. Quadratic blocks bend more easily and sway longer,
// so each of these times is 5 s for them. With friction_sticks, static friction by springs, the blocks must not move in
// 10 further seconds.
bool verify_stack(const SimulationSettings *given, CaseReport *report, Error *error) {
  const SimulationSettings taken = that_touch(given), *const stages = &taken;
  const bool longer = stages->degree == 2;
  const double side = 0.2;
  const int settle = longer ? 300 : 120;
  double crept, fastest;
  if (!stack_at_rest(stages, false, settle, settle, &crept, &fastest, error)) return false;
  report_check(report,
               longer ? "largest displacement of a block between 5 and 10 s"
                      : "largest displacement of a block between 2 and 4 s",
               "m", 0, crept, side, 1e-3);
  report_check(report, longer ? "maximum nodal speed after 10 s" : "maximum nodal speed after 4 s", "m/s", 0, fastest,
               1, 1e-4);
  if (!stack_at_rest(stages, true, settle, 600, &crept, &fastest, error)) return false;
  report_check(report, "largest displacement of a block in 10 s, static friction", "m", 0, crept, side, 1e-6);
  return true;
}

// Two balls collide off-centre, each at 2 m/s, for three Young's moduli, with the default integrator of scenes with
// contact. Linear and angular momentum must be conserved, and energy must not grow.
bool verify_colliding_balls(const SimulationSettings *given, CaseReport *report, Error *error) {
  const SimulationSettings taken = that_touch(given), *const stages = &taken;
  const double youngs[] = { 1e4, 1e5, 1e6 }, speed = 2;
  bool ok = true;
  for (int k = 0; ok && k < 3; k++) {
    Specimen s = { 0 };
    TetMesh ball = { 0 };
    Energy energy;
    char what[80];
    double before[3] = { 0 }, spin[3] = { 0 }, begin = 0, off = 0, turned = 0, gained = 0;
    ok = mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 4, &ball, error);
    ok = ok && specimen_mesh(&s, stages, &ball, youngs[k], 0.3, 1000, error);
    ok = ok && mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 3, &ball, error);
    ok = ok && specimen_add(&s, &ball, (double[3]){ 0.55, 0.1, 0.05 }, error);
    s.settings.dt = 1.0 / 60;
    s.settings.newton_relative = 1e-3;
    s.settings.cg_relative = 1e-4;
    for (int a = 0; ok && a < s.mesh.node_count; a++) s.p[a][0] = s.mass[a] * (mesh_body(&s.mesh, a) ? -speed : speed);
    specimen_touches(&s, 1e-3);
    s.settings.integrator = INTEGRATOR_EULER_SPIN;
    ok = ok && specimen_start(&s, error) && simulation_set_state(s.simulation, NULL, (const double(*)[3])s.p, error) &&
         simulation_energy(s.simulation, &energy, error);
    const double mass = ok ? mass_of_body(&s, 0) + mass_of_body(&s, 1) : 1;
    if (ok) begin = energy.kinetic + energy.elastic + energy.potential;
    for (int i = 0; ok && i < 3; i++) {
      before[i] = energy.linear[i];
      spin[i] = energy.angular[i];
    }
    for (int n = 1; ok && n <= 40; n++) {
      ok = steps(&s, 1, error) && simulation_energy(s.simulation, &energy, error);
      if (!ok) break;
      const double now = energy.kinetic + energy.elastic + energy.potential;
      gained = fmax(gained, now - begin);
      for (int i = 0; i < 3; i++) off = fmax(off, fabs(energy.linear[i] - before[i]) / mass);
      for (int i = 0; i < 3; i++) turned = fmax(turned, fabs(energy.angular[i] - spin[i]));
      snprintf(what, sizeof what, "E %.0e Pa", youngs[k]);
      report_point(report, what, n * s.settings.dt, now / begin);
    }
    if (ok) {
      snprintf(what, sizeof what, "E %.0e Pa: change of the total momentum / mass", youngs[k]);
      report_check(report, what, "m/s", 0, off, speed, bound_in(stages, 1e-13, 1e-6));
      const double whole = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
      snprintf(what, sizeof what, "E %.0e Pa: change of the angular momentum, relative to its value", youngs[k]);
      report_check(report, what, "kg m^2/s", 0, turned, whole, 1e-3);
      snprintf(what, sizeof what, "E %.0e Pa: energy gain; error relative to initial energy", youngs[k]);
      report_check(report, what, "J", 0, gained, begin, bound_in(stages, 1e-7, 1e-5));
    }
    specimen_destroy(&s);
  }
  return ok;
}
