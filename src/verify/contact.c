// Verification of contact with the floor: a bar that bounces, a cube that falls, a box on a slope.
#include <math.h>
#include <stdio.h>

#include "base/interrupt.h"
#include "verify/specimen.h"
#include "verify/verify.h"

static double pi(void) {
  return acos(-1);
}

static const Integrator INTEGRATORS[] = { INTEGRATOR_MIDPOINT, INTEGRATOR_EULER, INTEGRATOR_BDF2 };
static const char *const INTEGRATOR_WORDS[] = { "midpoint", "euler", "bdf2" };

static double total_mass(const Specimen *s) {
  double total = 0;
  for (int a = 0; a < s->mesh.node_count; a++) total += s->mass[a];
  return total;
}

static bool total_energy(Specimen *s, double *total, Error *error) {
  Energy energy;
  if (!simulation_energy(s->simulation, &energy, error)) return false;
  *total = energy.kinetic + energy.elastic + energy.potential;
  return true;
}

static bool step(Specimen *s, Error *error) {
  StepReport report;
  return interrupt_check(error) && simulation_step(s->simulation, &report, error);
}

// A bar with E = 900 Pa, density rho = 1 kg/m^3, length L = 10 m and Poisson's ratio 0 falls on its end at v = 0.1 m/s.
// A wave of pressure rho c v runs up at c = sqrt(E/rho) = 30 m/s and returns as unloading wave. So contact lasts 2 L/c
// = 2/3 s, and the whole bar then moves up at v. Strains of v/c = 1/300 keep the material linear.
bool verify_bouncing_bar(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const double length = 10, young = 900, density = 1, speed = 0.1, c = sqrt(young / density);
  const double pressure = density * c * speed, contact_time = 2 * length / c;
  bool ok = true;
  for (int k = 0; ok && k < 3; k++) {
    Specimen s = { 0 };
    char what[80];
    Energy energy;
    ok = specimen_box(&s, stages, (int[3]){ 1, 1, 80 }, (double[3]){ 0.5, 0.5, length }, young, 0, density, error);
    s.settings.dt = contact_time / 200;
    s.settings.integrator = INTEGRATORS[k];
    s.settings.has_floor = true;
    s.settings.floor_height = 0;
    s.settings.newton_relative = 1e-6;
    for (int a = 0; ok && a < s.mesh.node_count; a++) s.p[a][2] = -speed;
    ok = ok && specimen_start(&s, error) && specimen_throw(&s, error);
    const double mass = ok ? total_mass(&s) : 1;
    double early = 0, late = 0, last_push = 0, before = -mass * speed;
    for (int n = 1; ok && n <= 260; n++) {
      ok = step(&s, error) && simulation_energy(s.simulation, &energy, error);
      if (!ok) break;
      const double now = energy.linear[2], time = n * s.settings.dt;
      if (n == 40) early = now;
      if (n == 160) late = now;

      // contact lasts while the impulse in a time step is more than a tenth of the product of the wave's pressure, dt
      // and the area of the bar's end, 0.25 m^2
      if (now - before > 0.1 * pressure * 0.25 * s.settings.dt) last_push = time;
      before = now;
      report_point(report, INTEGRATOR_WORDS[k], time, now / (mass * speed));
    }
    if (ok) {
      snprintf(what, sizeof what, "%s: contact pressure", INTEGRATOR_WORDS[k]);
      report_relative(report, what, "Pa", pressure, (late - early) / (120 * s.settings.dt) / 0.25, 5e-3);
      snprintf(what, sizeof what, "%s: contact time", INTEGRATOR_WORDS[k]);
      report_relative(report, what, "s", contact_time, last_push, 0.05);
      snprintf(what, sizeof what, "%s: rebound speed", INTEGRATOR_WORDS[k]);
      report_relative(report, what, "m/s", speed, before / mass, INTEGRATORS[k] == INTEGRATOR_EULER ? 0.3 : 0.1);
    }
    specimen_destroy(&s);
  }
  return ok;
}

// A cube with edges of 0.4 m falls flat from 0.5 m, with dt 1/60 s and default tolerances, for three Young's moduli and
// three integrators. Its energy must never exceed the initial one. So it must not rebound above its initial height.
bool verify_fall(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const double fall = 0.5, g = 9.81, youngs[] = { 1e4, 1e6, 1e9 };
  bool ok = true;
  for (int k = 0; ok && k < 9; k++) {
    Specimen s = { 0 };
    char what[80];
    double begin = 0, now, gained = 0, highest = -HUGE_VAL;
    Energy energy;
    ok = specimen_box(&s, stages, (int[3]){ 4, 4, 4 }, (double[3]){ 0.4, 0.4, 0.4 }, youngs[k % 3], 0.3, 1000, error);
    s.settings.dt = 1.0 / 60;
    s.settings.integrator = INTEGRATORS[k / 3];
    s.settings.newton_relative = 1e-3;
    s.settings.cg_relative = 1e-4;
    s.settings.has_floor = true;
    s.settings.floor_height = -fall;
    s.settings.gravity[2] = -g;
    ok = ok && specimen_start(&s, error) && total_energy(&s, &begin, error);
    const double mass = ok ? total_mass(&s) : 1;
    for (int n = 1; ok && n <= 90; n++) {
      ok = step(&s, error);
      ok = ok && total_energy(&s, &now, error);
      ok = ok && simulation_energy(s.simulation, &energy, error);
      ok = ok && simulation_state(s.simulation, s.x, NULL, error);
      if (!ok) break;
      double height = 0;
      for (int a = 0; a < s.mesh.node_count; a++) height += s.mass[a] * (s.x[a][2] - s.mesh.X[a][2]) / mass;
      gained = fmax(gained, now - begin);
      if (energy.linear[2] > 0) highest = fmax(highest, height + fall);
    }
    if (ok) {
      snprintf(what, sizeof what, "%s, E %.0e Pa: energy gain; error relative to m g h", INTEGRATOR_WORDS[k / 3],
               youngs[k % 3]);
      report_check(report, what, "J", 0, gained, mass * g * fall, bound_in(stages, 3e-7, 1e-4));
      snprintf(what, sizeof what, "%s, E %.0e Pa: rebound above the initial height", INTEGRATOR_WORDS[k / 3],
               youngs[k % 3]);
      report_check(report, what, "m", 0, fmax(0, highest - fall), fall, 1e-3);
    }
    specimen_destroy(&s);
  }
  return ok;
}

// A flat box on an inclined floor with friction 0.5, for 2 s with dt 1/60 s. By Coulomb's law it rests up to a slope of
// atan 0.5 = 26.57 degrees. On a steeper slope a it slides as a rigid block, by g (sin a - 0.5 cos a) t^2/2 in time t.
// On a level floor it must be at rest after 2 s.
bool verify_slope(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const double g = 9.81, friction = 0.5, degrees[] = { 0, 10, 24, 26, 28, 30, 45 };
  bool ok = true;
  for (int k = 0; ok && k < 7; k++) {
    Specimen s = { 0 };
    char what[80];
    const double slope = degrees[k] * pi() / 180, sheared[] = { 3e-5, 5e-4, 1e-3, 1e-3 };
    ok = specimen_box(&s, stages, (int[3]){ 5, 5, 2 }, (double[3]){ 0.5, 0.5, 0.2 }, 1e6, 0.3, 1000, error);
    s.settings.dt = 1.0 / 60;
    s.settings.integrator = INTEGRATOR_AUTO;
    s.settings.newton_relative = 1e-3;
    s.settings.cg_relative = 1e-4;
    s.settings.has_floor = true;
    s.settings.floor_height = 0;
    s.settings.friction = friction;
    s.settings.gravity[0] = g * sin(slope) * 0.8;
    s.settings.gravity[1] = g * sin(slope) * 0.6;
    s.settings.gravity[2] = -g * cos(slope);
    ok = ok && specimen_start(&s, error);
    const double mass = ok ? total_mass(&s) : 1;
    double centre[2] = { 0, 0 }, fastest = 0;
    for (int n = 1; ok && n <= 120; n++) ok = step(&s, error);
    ok = ok && simulation_state(s.simulation, s.x, s.p, error);
    for (int a = 0; ok && a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        if (i < 2) centre[i] += s.mass[a] * (s.x[a][i] - s.mesh.X[a][i]) / mass;
        fastest = fmax(fastest, fabs(s.p[a][i]) / s.mass[a]);
      }
    const double moved = hypot(centre[0], centre[1]), rigid = g * (sin(slope) - friction * cos(slope)) * 2;
    if (ok && k == 0)
      report_check(report, "slope of 0 degrees: maximum nodal speed after 2 s", "m/s", 0, fastest, 1, 1e-6);
    snprintf(what, sizeof what, "slope of %.0f degrees: displacement in 2 s", degrees[k]);
    if (ok && rigid <= 0) report_check(report, what, "m", 0, moved, 1, sheared[k]);
    if (ok && rigid > 0) report_relative(report, what, "m", rigid, moved, 0.05);
    if (ok) report_point(report, "box", degrees[k], moved);
    if (ok) report_point(report, "rigid block", degrees[k], fmax(0, rigid));
    specimen_destroy(&s);
  }
  return ok;
}
