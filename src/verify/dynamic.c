// Verification over time: frequencies of vibrations, error of the midpoint rule, conservation of momentum and energy.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/element/moduli.h"
#include "verify/specimen.h"
#include "verify/verify.h"

static double pi(void) {
  return acos(-1);
}

// Measures theta, the angle in radians by which one step of the midpoint rule advances the phase of a vibration. The
// run starts at rest with the displacements amplitude * shape. shape [node_count] is a mode, amplitude is in m. The
// coefficient q_k of this mode after step k satisfies q_k+1 + q_k-1 = 2 cos(theta) q_k + c. Least squares give theta
// and c; c is not 0, since the material's responses to tension and to compression differ.
//
// If `filtered` is not NULL, it must hold zeros, and gets the mode of the mesh, which differs from that of the
// continuum: half of the part of displacement / amplitude whose phase advances by `turn` radians per step.
static bool turn_per_step(Specimen *s, const double (*shape)[3], double amplitude, int steps, double *theta,
                          double turn, double (*filtered)[3], Error *error) {
  double norm = 0, q[3] = { 0 }, n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int a = 0; a < s->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) {
      s->x[a][i] = s->mesh.X[a][i] + amplitude * shape[a][i];
      norm += s->mass[a] * shape[a][i] * shape[a][i];
    }
  if (!simulation_set_state(s->simulation, (const double(*)[3])s->x, NULL, error)) return false;
  for (int k = 0; k <= steps; k++) {
    StepReport step;
    if (k > 0 && (!interrupt_check(error) || !simulation_step(s->simulation, &step, error))) return false;
    if (!simulation_state(s->simulation, s->x, NULL, error)) return false;
    double value = 0;
    for (int a = 0; a < s->mesh.node_count; a++)
      for (int i = 0; i < 3; i++) {
        const double u = s->x[a][i] - s->mesh.X[a][i];
        value += s->mass[a] * shape[a][i] * u;

        // sums u cos(turn k) over whole periods by the trapezoidal rule: first and last step have weight 1/2
        if (filtered) filtered[a][i] += (k % steps ? 1 : 0.5) * cos(turn * k) / steps / amplitude * u;
      }
    q[0] = q[1];
    q[1] = q[2];
    q[2] = value / norm;
    if (k < 2) continue;
    const double x = q[1], y = q[0] + q[2];
    n++;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }

  *theta = acos(0.5 * (n * sxy - sx * sy) / (n * sxx - sx * sx));
  return true;
}

// Computes the frequency of the Lamé mode, a vibration of a square plate without change of volume. *reference, Hz, gets
// the frequency of the continuum. *frequency, Hz, gets the frequency of a mesh with `cells` cells across, corrected for
// the error of the midpoint rule. The vibration starts from the mode of the continuum or, if `own` is true, from the
// mode of the mesh, which an additional run determines.
static bool lame_frequency(const SimulationSettings *stages, int cells, bool own, double *reference, double *frequency,
                           Error *error) {
  enum { STEPS = 40, PERIODS = 4 };
  const double side = 0.1, young = 1e5, poisson = 0.3, density = 1000;
  const int layers = own || cells < 4 ? 1 : cells / 4;
  Specimen s = { 0 };
  double theta = 0;
  *reference = sqrt(lame_mu(young, poisson) / density) / (sqrt(2) * side);  // exact frequency, 43.8529 Hz
  bool ok = specimen_box(&s, stages, (int[3]){ cells, cells, layers }, (double[3]){ side, side, side * layers / cells },
                         young, poisson, density, error);
  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    const double x = pi() * s.mesh.X[a][0] / side, y = pi() * s.mesh.X[a][1] / side;
    s.f[a][0] = cos(x) * sin(y);
    s.f[a][1] = -sin(x) * cos(y);
    s.f[a][2] = 0;  // displacement of the Lamé mode
  }

  s.settings.dt = 1 / *reference / STEPS;  // STEPS steps per period
  double(*mode)[3] = ok && own ? array_new(s.mesh.node_count, sizeof *mode, "mode", error) : NULL;
  ok = ok && (mode || !own) && specimen_start(&s, error) &&
       turn_per_step(&s, (const double(*)[3])s.f, 1e-5 * side, own ? PERIODS * STEPS : STEPS, &theta, 2 * pi() / STEPS,
                     mode, error) &&
       (!own || turn_per_step(&s, (const double(*)[3])mode, 1e-5 * side, PERIODS * STEPS, &theta, 0, NULL, error));
  free(mode);
  *frequency = 2 * tan(theta / 2) / s.settings.dt / (2 * pi());
  specimen_destroy(&s);
  return ok;
}

bool verify_lame_mode(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const bool quadratic = stages->degree == 2, consistent = stages->mass == MASS_CONSISTENT;
  const int coarsest = stages->degree == 1 ? 8 : quadratic ? 4 : 2;
  double reference, frequency[3];
  char what[80];
  for (int m = 0; m < 3; m++) {
    const int cells = coarsest << m;
    if (!lame_frequency(stages, cells, false, &reference, &frequency[m], error)) return false;
    report_point(report, "frequency", cells, frequency[m] / reference);
  }

  for (int kind = MASS_LUMPED; quadratic && kind <= MASS_CONSISTENT; kind++) {
    SimulationSettings with = *stages;
    double own;
    with.mass = (MassKind)kind;
    with.solver_device = SOLVER_DEVICE_SAME;
    if (!lame_frequency(&with, 8, true, &reference, &own, error)) return false;
    snprintf(what, sizeof what, "frequency with 8 cells; masses: %s", kind == MASS_LUMPED ? "lumped" : "consistent");
    report_relative(report, what, "Hz", reference, own, kind == MASS_LUMPED ? 4e-3 : bound_in(stages, 3e-4, 4e-4));
  }

  snprintf(what, sizeof what, "frequency extrapolated to cell size 0 (%d, %d, %d cells)", coarsest, 2 * coarsest,
           4 * coarsest);
  report_relative(report, what, "Hz", reference, richardson(frequency).limit, 2e-3);

  // At degree 3 with consistent masses, the order of convergence is not checked: most of the error comes from the
  // initial state, which is the vibration mode of a continuum. The mode of the mesh differs slightly.
  if (stages->degree == 3 && consistent) return true;

  // the error falls with the cell size to the power 4 at degree 2 with consistent masses, otherwise to the power 2
  const double order = quadratic && consistent ? 4 : 2;
  snprintf(what, sizeof what, "order of the frequency error, %d to %d cells", 2 * coarsest, 4 * coarsest);
  report_check(report, what, "", order, log2(fabs(frequency[1] - reference) / fabs(frequency[2] - reference)), 1,
               0.1 * order);
  return true;
}

bool verify_midpoint_frequency(const SimulationSettings *given, CaseReport *report, Error *error) {
  // this case tests the time integrator and not elements, so it uses a linear tet at any degree
  SimulationSettings linear = *given;
  linear.degree = 1;
  const SimulationSettings *stages = &linear;

  // A unit tet of volume V has one unknown, the displacement along z of the corner above its base. The stiffness of
  // this unknown is V (lambda + 2 mu), and its mass is rho V / 4.
  static const double steps[] = { 0.05, 0.1, 0.2, 0.35, 0.5 };
  const double young = 1e5, poisson = 0.3, density = 1000;

  // The amplitude is so small that the response is linear. With supplemental "qr", an element stores six numbers of a
  // cell's rest shape and not nine. Displacements are then computed as differences of positions, so rounding errors
  // require a larger amplitude.
  const bool compressed = stages->supplemental == SUPPLEMENTAL_QR;
  const double amplitude = compressed ? 1e-5 : 1e-9, float_bound = 5e-8,
               bound = bound_in(stages, compressed ? 2e-8 : 2e-12, float_bound);
  for (int k = 0; k < 5; k++) {
    Specimen s = { 0 };
    double shape[8][3] = { 0 }, theta = 0;
    if (!specimen_box(&s, stages, (int[3]){ 1, 1, 1 }, (double[3]){ 1, 1, 1 }, young, poisson, density, error)) {
      specimen_destroy(&s);
      return false;
    }
    const double base[4][3] = { { 0, 0, -1 }, { 1, 0, -1 }, { 0, 1, -1 }, { 0, 0, 0 } };
    s.mesh.node_count = 4;
    s.mesh.tet_count = 1;
    memcpy(s.mesh.X, base, sizeof base);
    memcpy(s.mesh.tet[0], (int[4]){ 1, 2, 3, 0 }, sizeof s.mesh.tet[0]);
    for (int a = 0; a < 4; a++) s.pinned[a] = a < 3 ? PIN_ALL : PIN_X | PIN_Y;
    mesh_lumped_mass(&s.mesh, density, s.mass);
    shape[3][2] = 1;
    const double omega = sqrt(4 * (s.settings.lambda + 2 * s.settings.mu) / density), wh = steps[k];
    s.settings.dt = wh / omega;
    s.settings.newton_relative = compressed ? 1e-9 : 1e-15;  // smallest tolerance that Newton's method can reach
    const bool ok = specimen_start(&s, error) &&
                    turn_per_step(&s, (const double(*)[3])shape, amplitude, 400, &theta, 0, NULL, error);
    specimen_destroy(&s);
    if (!ok) return false;
    const double reference = 2 * atan(wh / 2) / wh - 1, result = theta / wh - 1;
    char what[80];
    snprintf(what, sizeof what, "relative frequency error, omega dt = %g", wh);
    report_check(report, what, "", reference, result, 1, bound / wh);

    // With supplemental "qr" an element computes F Q - I with a rotation Q. F Q - I is large even if F - I is small. So
    // in float the deformation has too few digits for this check.
    if (compressed && stages->precision == PRECISION_F32) report_beyond(report, 1);
    report_point(report, "run", wh, result);
  }

  for (int k = 1; k <= 60; k++) report_point(report, "closed form", 0.01 * k, 2 * atan(0.005 * k) / (0.01 * k) - 1);
  return true;
}

static double length3(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double distance3(const double a[3], const double b[3]) {
  const double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
  return length3(d);
}

bool verify_free_flight(const SimulationSettings *stages, CaseReport *report, Error *error) {
  enum { STEPS = 10000 };
  const double dt = 1e-3, spin[3] = { 3, 7, 2 }, start[3] = { 0.5, -0.2, 2.5 }, g = -0.5;
  Specimen s = { 0 };
  bool ok = specimen_box(&s, stages, (int[3]){ 2, 3, 4 }, (double[3]){ 0.2, 0.3, 0.5 }, 1e5, 0.3, 1000, error);
  double total = 0, centre[3] = { 0 }, drift = 0, off = 0, linear = 0, angular = 0, allowed = 0;
  Energy first, now = { 0 };
  s.settings.dt = dt;
  s.settings.gravity[2] = g;
  s.settings.newton_relative = stages->precision == PRECISION_F64 ? 1e-12 : 1e-6;
  for (int a = 0; ok && a < s.mesh.node_count; a++) {
    total += s.mass[a];
    for (int i = 0; i < 3; i++) centre[i] += s.mass[a] * s.mesh.X[a][i];
  }
  for (int i = 0; i < 3; i++) centre[i] /= total;
  // initial velocity: `start`, and a rotation about the centre of mass
  for (int a = 0; ok && a < s.mesh.node_count; a++)
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const double turn = spin[j] * (s.mesh.X[a][k] - centre[k]) - spin[k] * (s.mesh.X[a][j] - centre[j]);
      s.p[a][i] = start[i] + turn;
    }
  ok = ok && specimen_start(&s, error) && specimen_throw(&s, error) && simulation_energy(s.simulation, &first, error);
  double spin_first[3] = { 0 };
  for (int k = 1; ok && k <= STEPS; k++) {
    StepReport step;
    ok = interrupt_check(error) && simulation_step(s.simulation, &step, error);
    allowed += step.tolerance;
    if (!ok || (k % 100 != 0 && k != 1)) continue;
    ok = simulation_energy(s.simulation, &now, error) && simulation_state(s.simulation, s.x, NULL, error);
    const double t = k * dt;
    double at[3] = { 0 }, expected[3], momentum[3], about[3];
    for (int a = 0; a < s.mesh.node_count; a++)
      for (int i = 0; i < 3; i++) at[i] += s.mass[a] * s.x[a][i] / total;
    for (int i = 0; i < 3; i++) {
      expected[i] = centre[i] + start[i] * t + (i == 2 ? g * t * t / 2 : 0);
      momentum[i] = total * start[i] + (i == 2 ? total * g * t : 0);
    }
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      about[i] = now.angular[i] - (at[j] * now.linear[l] - at[l] * now.linear[j]);
    }
    if (k == 1) memcpy(spin_first, about, sizeof about);
    off = fmax(off, distance3(at, expected));
    linear = fmax(linear, distance3(now.linear, momentum));
    angular = fmax(angular, distance3(about, spin_first));
    // Subtract the kinetic energy of the centre of mass (`flight`). It would hide small losses of rotational and
    // elastic energy.
    const double flight =
        (now.linear[0] * now.linear[0] + now.linear[1] * now.linear[1] + now.linear[2] * now.linear[2]) / (2 * total);
    const double flight0 =
        (first.linear[0] * first.linear[0] + first.linear[1] * first.linear[1] + first.linear[2] * first.linear[2]) /
        (2 * total);
    const double inner = now.kinetic + now.elastic - flight, inner0 = first.kinetic + first.elastic - flight0;
    drift = fmax(drift, fabs(inner / inner0 - 1));
    report_point(report, "rotational and elastic energy", t, inner / inner0 - 1);
  }
  if (ok) {
    // Newton's method leaves a residual with a norm up to its tolerance. The residual changes the momentum by up to
    // sqrt(nodes) times the norm. `allowed` is the sum of tolerances over all steps, so `left` bounds the error of the
    // momentum.
    const double left = allowed * sqrt(s.mesh.node_count), flown = length3(start) * STEPS * dt;
    report_check(report, "centre of mass: deviation from its parabola", "m", 0, off, flown,
                 bound_in(stages, 1e-11, 1e-2));
    report_check(report, "linear momentum, deviation from m (v + g t)", "kg m/s", 0, linear, total * length3(start),
                 bound_in(stages, 2e-11, 2e-2));
    // In float, rounding changes the momentum by up to half a unit in the last place per step, together 3e-4 of the
    // momentum over the run. So the bound is larger than in double.
    report_check(report, "linear momentum; error relative to sum of tolerances", "kg m/s", 0, linear, left,
                 bound_in(stages, 2e-3, 3e-2));
    // At degree 2 gravity acts on nodal weights, which are integrals of shape functions, while masses are lumped. So
    // gravity rotates a bent body a little, and the bound is larger than at degree 1.
    report_check(report, "angular momentum about the centre, change", "kg m^2/s", 0, angular, length3(spin_first),
                 bound_in(stages, stages->degree > 1 ? 2e-6 : 4e-11, 4e-2));
    report_check(report, "rotational and elastic energy, largest relative change", "", 0, drift, 1,
                 bound_in(stages, 2e-4, 5e-2));
  }
  specimen_destroy(&s);
  return ok;
}

// Makes a column along y, 1 m x 6 m x 1 m, with `cells` cells across. Its base y = 0 is held if `clamped` is true.
// Initially its nodes at height y rotate about the column's axis at 105 sin(pi y/12) rad/s.
static bool column(Specimen *s, const SimulationSettings *stages, int cells, bool clamped, Error *error) {
  if (!specimen_box(s, stages, (int[3]){ cells, 6 * cells, cells }, (double[3]){ 1, 6, 1 }, 17e6, 0.45, 1100, error))
    return false;
  for (int a = 0; a < s->mesh.node_count; a++) {
    const double omega = 105 * sin(pi() * s->mesh.X[a][1] / 12);
    if (clamped && specimen_on_face(s, a, 1, 0)) s->pinned[a] = PIN_ALL;
    s->mesh.X[a][0] -= 0.5;
    s->mesh.X[a][2] -= 0.5;
    s->p[a][0] = omega * s->mesh.X[a][2];
    s->p[a][2] = -omega * s->mesh.X[a][0];
  }
  s->settings.dt = 1e-3;
  s->settings.newton_relative = stages->precision == PRECISION_F64 ? 1e-11 : 1e-6;
  s->settings.cg_relative = 1e-5;
  return specimen_start(s, error) && specimen_throw(s, error);
}

bool verify_twisting_column(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const int coarsest = stages->degree > 1 ? 2 : 4;
  double kinetic[3], spin[3];
  for (int m = 0; m < 3; m++) {
    Specimen s = { 0 };
    Energy energy = { 0 };
    const bool ok = column(&s, stages, coarsest << m, false, error) && simulation_energy(s.simulation, &energy, error);
    kinetic[m] = energy.kinetic;
    spin[m] = energy.angular[1];
    specimen_destroy(&s);
    if (!ok) return false;
  }

  report_relative(report, "initial kinetic energy, extrapolated to cell size 0", "J", 3.031875e6,
                  richardson(kinetic).limit, bound_in(stages, 4e-15, 3e-8));
  report_relative(report, "initial angular momentum, extrapolated to cell size 0", "kg m^2/s", 73529.6,
                  richardson(spin).limit, 1e-5);
  for (int clamped = 0; clamped < 2; clamped++) {
    Specimen s = { 0 };
    Energy first, now;
    double drift = 0, turned = 0, elastic = 0;
    bool ok = column(&s, stages, coarsest, clamped, error) && simulation_energy(s.simulation, &first, error);
    for (int k = 1; ok && k <= 250; k++) {
      StepReport step;
      ok = interrupt_check(error) && simulation_step(s.simulation, &step, error) &&
           simulation_energy(s.simulation, &now, error);
      if (!ok) break;
      const double change = (now.kinetic + now.elastic) / (first.kinetic + first.elastic) - 1;
      drift = fmax(drift, fabs(change));
      turned = fmax(turned, fabs(now.angular[1] - first.angular[1]));
      elastic = fmax(elastic, now.elastic);
      report_point(report, clamped ? "clamped base" : "free base", k * s.settings.dt, change);
    }
    if (ok && !clamped)
      report_check(report, "angular momentum along y, free base, largest change to 0.25 s", "kg m^2/s", 0, turned,
                   first.angular[1], bound_in(stages, 5e-11, 1e-4));
    if (ok)
      report_check(report,
                   clamped ? "energy, clamped base, largest relative change to 0.25 s"
                           : "energy, free base, largest relative change to 0.25 s",
                   "", 0, drift, 1, 0.02);
    if (ok && clamped)
      report_check(report, "clamped base: largest elastic / initial total energy", "", 1,
                   elastic / (first.kinetic + first.elastic), 1, 0.1);
    specimen_destroy(&s);
    if (!ok) return false;
  }
  return true;
}
