// Verification of natural frequencies. Their computation needs the direct solver, so it is always in double on the CPU.
#include "sim/modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "verify/verify.h"
#include "verify/specimen.h"

// Bars of 2 m x 0.1 m x 0.1 m along x, with Young's modulus 1e6 Pa, Poisson's ratio 0 and density 1000 kg/m^3.
static const double LENGTH = 2, SIDE = 0.1, YOUNG = 1e6, DENSITY = 1000;

typedef enum Hold { HOLD_NOTHING, HOLD_END, HOLD_END_AND_SIDES } Hold;

// Computes the first `count` modes of a bar of quadratic tets. `hold`: where the bar is held.
static bool modes_of(const SimulationSettings *stages, Hold hold, int count, Modes *modes, Error *error) {
  const double size[3] = { LENGTH, SIDE, SIDE };
  const int cells[3] = { 24, 1, 1 };
  SimulationSettings s = *stages;
  Specimen bar = { 0 };
  s.device = DEVICE_CPU;
  s.solver_device = SOLVER_DEVICE_SAME;
  s.precision = PRECISION_F64;
  s.degree = 2;
  s.supplemental = SUPPLEMENTAL_FULL;
  s.assembly[0] = s.matrix[0] = '\0';
  snprintf(s.solver, sizeof s.solver, "cholmod");
  bool ok = specimen_box(&bar, &s, cells, size, YOUNG, 0, DENSITY, error);
  for (int a = 0; ok && a < bar.mesh.node_count; a++) {
    const bool end = hold != HOLD_NOTHING && specimen_on_face(&bar, a, 0, 0);
    bar.pinned[a] = end ? PIN_ALL : hold == HOLD_END_AND_SIDES ? PIN_Y | PIN_Z : 0;
  }
  ok = ok && specimen_start(&bar, error) && simulation_modes(bar.simulation, count, modes, error);
  specimen_destroy(&bar);
  return ok;
}

// Checks the frequencies of axial waves in a bar with one end held. All nodes are held across the axis, so that only
// these waves exist. Mode n = 1, 2, ... of a bar of length L has the frequency (2 n - 1)/(4 L) sqrt(E/rho).
static bool axial(const SimulationSettings *stages, CaseReport *report, Error *error) {
  enum { COUNT = 4 };
  Modes modes;
  if (!modes_of(stages, HOLD_END_AND_SIDES, COUNT, &modes, error)) return false;
  for (int k = 0; k < COUNT; k++) {
    const double reference = (2 * k + 1) / (4 * LENGTH) * sqrt(YOUNG / DENSITY);
    char what[60];
    snprintf(what, sizeof what, "frequency of axial mode %d of a clamped bar", k + 1);
    report_relative(report, what, "Hz", reference, modes.frequency[k], 2e-4 * pow(2 * k + 1, 2));
    report_point(report, "axial", k + 1, modes.frequency[k] / reference);
  }
  modes_destroy(&modes);
  return true;
}

// Checks the bending frequency of a bar against Euler and Bernoulli's theory of slender bars: beta^2 / (2 pi L^2)
// sqrt(E I / (rho A)). beta depends on the supports. A and I are area and second moment of area of the cross-section.
// The modes with the numbers `first` and `first` + 1 have this frequency: one bends in each plane.
static bool bending(const SimulationSettings *stages, Hold hold, double beta, int first, double bound,
                    CaseReport *report, Error *error) {
  const double pi = acos(-1);
  const double reference = beta * beta / (2 * pi * LENGTH * LENGTH) * SIDE * sqrt(YOUNG / DENSITY / 12);
  Modes modes;
  if (!modes_of(stages, hold, first + 2, &modes, error)) return false;
  for (int k = 0; k < 2; k++) {
    char what[60];
    snprintf(what, sizeof what, "bending frequency of a %s bar, plane %d", hold == HOLD_NOTHING ? "free" : "clamped",
             k + 1);
    report_relative(report, what, "Hz", reference, modes.frequency[first + k], bound);
  }
  report_check(report,
               hold == HOLD_NOTHING ? "number of rigid motions, free bar" : "number of rigid motions, clamped bar", "",
               first, modes.rigid, 1, 0);
  modes_destroy(&modes);
  return true;
}

bool verify_modes(const SimulationSettings *stages, CaseReport *report, Error *error) {
  if (modes_absence()) {
    log_notice("the case \"modes\" is skipped: %s", modes_absence());
    return true;
  }
  return axial(stages, report, error) && bending(stages, HOLD_END, 1.87510406871, 0, 1e-2, report, error) &&
         bending(stages, HOLD_NOTHING, 4.73004074486, 6, 2e-2, report, error);
}
