// Verification of supports that move: the end of a bar follows a path or turns, in time steps and in equilibrium.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "verify/specimen.h"
#include "verify/verify.h"

static const double SIZE[3] = { 1, 0.2, 0.2 };

// A bar along x with both ends pinned.
typedef struct Bar {
  Specimen s;
  uint16_t (*support)[3];  // [node_count], number of the motion of each component: 1 at the end x = 0, 2 at the other
  double (*before)[3], (*held)[3];  // [node_count], positions in m and reactions in N, at the last evaluation
} Bar;

static void bar_destroy(Bar *bar) {
  free(bar->support);
  free(bar->before);
  free(bar->held);
  specimen_destroy(&bar->s);
}

static bool bar_create(Bar *bar, const SimulationSettings *stages, double young, double poisson, Error *error) {
  Specimen *s = &bar->s;
  *bar = (Bar){ 0 };
  if (!specimen_box(s, stages, (int[3]){ 5, 2, 2 }, SIZE, young, poisson, 1000, error)) return false;
  bar->support = array_new(s->mesh.node_count, sizeof *bar->support, "motions", error);
  bar->before = array_new(s->mesh.node_count, sizeof *bar->before, "positions", error);
  bar->held = array_new(s->mesh.node_count, sizeof *bar->held, "forces", error);
  if (!bar->support || !bar->before || !bar->held) return false;
  for (int a = 0; a < s->mesh.node_count; a++)
    for (int end = 0; end < 2; end++)
      if (specimen_on_face(s, a, 0, end)) {
        s->pinned[a] = PIN_ALL | PIN_FOLLOWS;
        for (int i = 0; i < 3; i++) bar->support[a][i] = (uint16_t)(end + 1);
      }
  memcpy(bar->before, s->mesh.X, sizeof *bar->before * (size_t)s->mesh.node_count);
  return true;
}

// Sets the motion of the bar's end at x = 1 m. The end at x = 0 does not move.
static bool move_end(Bar *bar, const RigidMotion *motion, Error *error) {
  const RigidMotion motions[2] = { { 0 }, *motion };
  return simulation_set_supports(bar->s.simulation, motions, 2, (const uint16_t(*)[3])bar->support, bar->s.pinned,
                                 error);
}

// Sums the reactions at one end (0 or 1): the force, N, and the moment about the point (0, 0.1, 0.1) m, N m.
static bool reactions_of(Bar *bar, int end, double force[3], double moment[3], Error *error) {
  Specimen *s = &bar->s;
  Reactions r;
  memset(force, 0, 3 * sizeof *force);
  memset(moment, 0, 3 * sizeof *moment);
  if (!simulation_reactions(s->simulation, &r, error)) return false;
  const bool ok = simulation_state(s->simulation, s->x, NULL, error);
  for (int a = 0; ok && a < s->mesh.node_count; a++) {
    if (!specimen_on_face(s, a, 0, end)) continue;
    const double arm[3] = { s->x[a][0], s->x[a][1] - 0.1, s->x[a][2] - 0.1 };
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      force[i] += r.force[a][i];
      moment[i] += arm[j] * r.force[a][k] - arm[k] * r.force[a][j];
    }
  }
  reactions_destroy(&r);
  return ok;
}

// A bar with Poisson's ratio 0 is stretched to 1.3 times its length. Its only stress is along its length: P = mu (1.3 -
// 1/1.3), so the force on its held end must be P times the area of the cross-section at rest.
static bool stretched_bar(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const double stretch = 1.3, young = 1e5;
  double force[3], moment[3];
  Bar bar;
  bool ok = bar_create(&bar, stages, young, 0, error) && specimen_start(&bar.s, error);
  for (int k = 1; ok && k <= 4; k++) {
    const RigidMotion motion = { .point_count = 1, .path = { { 0, k * (stretch - 1) / 4 } } };
    StepReport step;
    ok = move_end(&bar, &motion, error) && simulation_equilibrium(bar.s.simulation, &step, error);
  }
  ok = ok && reactions_of(&bar, 1, force, moment, error);
  if (ok)
    report_relative(report, "reaction at the end of a bar stretched to 1.3 L", "N",
                    young / 2 * (stretch - 1 / stretch) * 0.04, force[0], bound_in(stages, 1e-10, 1e-5));
  bar_destroy(&bar);
  return ok;
}

// One end of a bar is turned by 90 degrees about the bar's axis, which twists the bar. In equilibrium the forces and
// moments of both ends must add up to 0.
static bool twisted_bar(const SimulationSettings *stages, CaseReport *report, Error *error) {
  double force[2][3], moment[2][3], off = 0, torque_off = 0;
  Bar bar;
  bool ok = bar_create(&bar, stages, 1e5, 0.3, error) && specimen_start(&bar.s, error);
  for (int k = 1; ok && k <= 9; k++) {
    const RigidMotion motion = {
      .spin = { .axis = { 1, 0, 0 }, .about = { 0, 0.1, 0.1 }, .angle_count = 1, .angles = { { 0, 10 * k } } }
    };
    StepReport step;
    ok = move_end(&bar, &motion, error) && simulation_equilibrium(bar.s.simulation, &step, error);
  }

  for (int end = 0; ok && end < 2; end++) ok = reactions_of(&bar, end, force[end], moment[end], error);
  for (int i = 0; ok && i < 3; i++) {
    off = fmax(off, fabs(force[0][i] + force[1][i]));
    torque_off = fmax(torque_off, fabs(moment[0][i] + moment[1][i]));
  }
  if (ok) {
    report_check(report, "bar twisted by 90 degrees: sum of forces, relative to an end's torque / 1 m", "N", 0, off,
                 fabs(moment[1][0]), bound_in(stages, 1e-10, 1e-5));
    report_check(report, "bar twisted by 90 degrees: sum of torques, relative to the torque of one end", "N m", 0,
                 torque_off, fabs(moment[1][0]), bound_in(stages, 1e-10, 1e-5));
  }

  bar_destroy(&bar);
  return ok;
}

// Adds the work of the supports in the last step to *work, J: the reactions times the displacements of the supported
// nodes, by the trapezoidal rule. The kinetic energy of these nodes is not included. *off gets the largest distance of
// these nodes from the prescribed motion, m.
static bool add_work(Bar *bar, const RigidMotion *motion, double *work, double *off, Error *error) {
  Specimen *s = &bar->s;
  Reactions r;
  if (!simulation_reactions(s->simulation, &r, error)) return false;
  const bool ok = simulation_state(s->simulation, s->x, NULL, error);
  for (int a = 0; ok && a < s->mesh.node_count; a++) {
    double u[3] = { 0 };
    if (bar->support[a][0] == 2) motion_displacement(motion, simulation_time(s->simulation), s->mesh.X[a], u);
    for (int i = 0; s->pinned[a] && i < 3; i++) {
      *work += 0.5 * (bar->held[a][i] + r.force[a][i]) * (s->x[a][i] - bar->before[a][i]);
      *off = fmax(*off, fabs(s->x[a][i] - s->mesh.X[a][i] - u[i]));
    }
    memcpy(bar->held[a], r.force[a], sizeof r.force[a]);
    memcpy(bar->before[a], s->x[a], sizeof s->x[a]);
  }
  reactions_destroy(&r);
  return ok;
}

// Computes the kinetic energy of the nodes at both ends of the bar, J.
static bool kinetic_of_ends(Bar *bar, double *kinetic, Error *error) {
  Specimen *s = &bar->s;
  *kinetic = 0;
  if (!simulation_state(s->simulation, NULL, s->p, error) || !simulation_velocities(s->simulation, s->f, error))
    return false;
  for (int a = 0; a < s->mesh.node_count; a++)
    for (int i = 0; s->pinned[a] && i < 3; i++) *kinetic += 0.5 * s->p[a][i] * s->f[a][i];
  return true;
}

// One end of a bar moves along a path and turns by 90 degrees about the bar's axis in 1 s, then rests for 0.5 s; dt is
// 1/60 s. With the midpoint rule the bar's gain of energy must equal the supports' work (add_work) plus the kinetic
// energy of the supported nodes. Backward Euler dissipates energy, so the bar may gain less.
static bool driven_bar(const SimulationSettings *stages, Integrator integrator, double young, CaseReport *report,
                       Error *error) {
  const RigidMotion motion = {
    .point_count = 3,
    .path = { { 0, 0, 0, 0 }, { 0.5, 0.1, 0.05, 0 }, { 1, 0, 0, 0.02 } },
    .spin = { .axis = { 1, 0, 0 }, .about = { 0, 0.1, 0.1 }, .angle_count = 2, .angles = { { 0, 0 }, { 1, 90 } } }
  };
  double work = 0, off = 0, kinetic;
  Energy energy;
  Bar bar;
  bool ok = bar_create(&bar, stages, young, 0.3, error);
  bar.s.settings.dt = 1.0 / 60;
  bar.s.settings.integrator = integrator;
  bar.s.settings.mass = MASS_LUMPED;  // with a consistent mass matrix, single nodes have no kinetic energy
  ok = ok && specimen_start(&bar.s, error) && move_end(&bar, &motion, error);
  for (int k = 1; ok && k <= 90; k++) {
    StepReport step;
    ok = simulation_step(bar.s.simulation, &step, error);
    ok = ok && add_work(&bar, &motion, &work, &off, error);
    ok = ok && simulation_energy(bar.s.simulation, &energy, error);
    ok = ok && kinetic_of_ends(&bar, &kinetic, error);
    const double gain = energy.kinetic + energy.elastic;
    char curve[40];
    snprintf(curve, sizeof curve, "%s, E %.0e Pa", integrator == INTEGRATOR_EULER ? "euler" : "midpoint", young);
    if (ok && work > 0) report_point(report, curve, k / 60.0, gain / (work + kinetic));
  }

  if (ok) {
    const double gain = energy.kinetic + energy.elastic;
    const char *name = integrator == INTEGRATOR_EULER ? "euler" : "midpoint";
    char what[80];
    snprintf(what, sizeof what, "%s, E %.0e Pa: distance of the ends from the given path", name, young);
    report_check(report, what, "m", 0, off, 1, bound_in(stages, 1e-15, 1e-7));
    snprintf(what, sizeof what, "%s, E %.0e Pa: energy gain; reference: work done", name, young);

    // backward Euler dissipates energy, so only a gain larger than the work is an error
    const double excess = integrator == INTEGRATOR_EULER ? fmax(0, gain - work - kinetic) : gain - work - kinetic;
    report_check(report, what, "J", work + kinetic, work + kinetic + excess, work + kinetic,
                 bound_in(stages, 2e-3, 5e-3));
  }

  bar_destroy(&bar);
  return ok;
}

bool verify_moving_support(const SimulationSettings *stages, CaseReport *report, Error *error) {
  if (!stretched_bar(stages, report, error) || !twisted_bar(stages, report, error)) return false;
  const double moduli[] = { 1e4, 1e7 };
  for (int k = 0; k < 4; k++)
    if (!driven_bar(stages, k % 2 ? INTEGRATOR_EULER : INTEGRATOR_MIDPOINT, moduli[k / 2], report, error)) return false;
  return true;
}
