// Verification of the integrator euler_spin, the default of scenes with contact: a bar that spins.
#include <math.h>

#include "base/interrupt.h"
#include "verify/specimen.h"
#include "verify/verify.h"

static const double LENGTH = 1, SIDE = 0.1;              // m
static const double YOUNG = 1e6, DENSITY = 1000;         // Pa, kg/m^3
static const double RATE = 5;                            // rad/s
static const double MIDDLE[3] = { 0.5, 0.05, 0.05 };     // m, centre of the bar
enum { STEPS = 240, OBSERVED = 120, PER_SECOND = 240 };  // the stretch is the mean over the last OBSERVED steps

// Sets the velocities of a rotation about the z axis through the middle of the bar, and the displacements by
// centrifugal forces in a thin bar: rho w^2 (L^2 d/4 - d^3/3)/(2 E) at the distance d from the middle.
static bool start(Specimen *s, Error *error) {
  for (int a = 0; a < s->mesh.node_count; a++) {
    const double d = s->mesh.X[a][0] - MIDDLE[0];
    s->x[a][0] += DENSITY * RATE * RATE / (2 * YOUNG) * (LENGTH * LENGTH * d / 4 - d * d * d / 3);
    const double x = s->x[a][0] - MIDDLE[0], y = s->x[a][1] - MIDDLE[1];
    s->p[a][0] = -s->mass[a] * RATE * y;
    s->p[a][1] = s->mass[a] * RATE * x;
    s->p[a][2] = 0;
  }
  return simulation_set_state(s->simulation, (const double(*)[3])s->x, (const double(*)[3])s->p, error);
}

// Returns the distance between the mean positions of the nodes at both ends of the bar, m.
static double length_of(const Specimen *s) {
  double centre[2][3] = { { 0 } }, sum = 0;
  for (int end = 0; end < 2; end++) {
    int count = 0;
    for (int a = 0; a < s->mesh.node_count; a++) {
      if (!specimen_on_face(s, a, 0, end)) continue;
      count++;
      for (int i = 0; i < 3; i++) centre[end][i] += s->x[a][i];
    }
    for (int i = 0; i < 3; i++) centre[end][i] /= count;
  }
  for (int i = 0; i < 3; i++) sum += (centre[1][i] - centre[0][i]) * (centre[1][i] - centre[0][i]);
  return sqrt(sum);
}

bool verify_spinning_bar(const SimulationSettings *stages, CaseReport *report, Error *error) {
  Specimen s = { 0 };
  Energy first, energy;
  StepReport step;
  double stretch = 0, turned = 0, gained = 0;
  bool ok =
      specimen_box(&s, stages, (int[3]){ 10, 1, 1 }, (double[3]){ LENGTH, SIDE, SIDE }, YOUNG, 0.3, DENSITY, error);
  s.settings.dt = 1.0 / PER_SECOND;
  s.settings.integrator = INTEGRATOR_EULER_SPIN;
  ok = ok && specimen_start(&s, error) && start(&s, error) && simulation_energy(s.simulation, &first, error);
  for (int n = 1; ok && n <= STEPS; n++) {
    ok = interrupt_check(error);
    ok = ok && simulation_step(s.simulation, &step, error);
    ok = ok && simulation_state(s.simulation, s.x, s.p, error);
    ok = ok && simulation_energy(s.simulation, &energy, error);
    if (!ok) break;
    const double more = length_of(&s) - LENGTH;
    if (n > STEPS - OBSERVED) stretch += more / OBSERVED;
    turned = fmax(turned, fabs(energy.angular[2] / first.angular[2] - 1));
    gained = fmax(gained, energy.kinetic + energy.elastic - first.kinetic - first.elastic);
    report_point(report, "stretch", n * s.settings.dt, more);
  }

  if (ok) {
    report_relative(report, "stretch by centrifugal forces", "m",
                    DENSITY * RATE * RATE * LENGTH * LENGTH * LENGTH / (12 * YOUNG), stretch, 0.05);
    report_check(report, "change of the angular momentum, relative to its value", "", 0, turned, 1,
                 bound_in(stages, 5e-14, 1e-5));
    report_check(report, "energy gain; error relative to initial energy", "J", 0, gained, first.kinetic + first.elastic,
                 bound_in(stages, 1e-12, 1e-6));
  }

  specimen_destroy(&s);
  return ok;
}
