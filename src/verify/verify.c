// The table of all verification cases, and functions that fill their reports: see verify.h.
#include "verify/verify.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const VerifyCase verify_cases[] = {
  { "patch", "patch test: if boundary nodes move by a linear displacement field, inner nodes must move by it too",
    "max |F - I|", "error / side", .run = verify_patch },
  { "rotation", "rigid rotation of a cube by 0 to 180 degrees causes no forces", "angle, degrees",
    "largest force / (E L^2)", .run = verify_rotation },
  { "uniaxial", "a block stretched along one axis, with free lateral faces", "stretch", "P / E",
    .run = verify_uniaxial },
  { "equibiaxial", "a block stretched equally along two axes, with free faces normal to the third", "stretch", "P / E",
    .run = verify_equibiaxial },
  { "shear", "simple shear of a cube: two stresses", "gamma", "stress / mu", .run = verify_shear },
  { "bar", "displacements of a bar under its own weight, Poisson's ratio 0", "Z / L", "u / L",
    .run = verify_hanging_bar },
  { "cantilever", "a cantilever's tip deflection and first bending frequency", "cells across", "result / reference",
    .run = verify_cantilever },
  { "lame", "vibration frequency of a prism with square cross-section (Lame's mode)", "cells across",
    "frequency / reference", .run = verify_lame_mode },
  { "midpoint", "a tet with one free displacement component vibrates: frequency error of the midpoint rule", "omega dt",
    "relative frequency error", .run = verify_midpoint_frequency, .lumped = true },
  { "flight", "free flight of a tumbling body in 10,000 steps: path, momenta, energy", "t, s", "relative energy change",
    .run = verify_free_flight },
  { "column", "a spinning and twisting column: energy and angular momentum", "t, s", "relative energy change",
    .run = verify_twisting_column, .lumped = true },
  { "manufactured", "a chosen displacement field, computed from its forces: orders of convergence", "cells across",
    "error norm", .run = verify_manufactured },
  { "bounce", "a bar bounces off the floor: pressure, contact time, speed", "t, s", "momentum / (m v)",
    .run = verify_bouncing_bar },
  { "fall", "soft to stiff cubes fall on the floor: contact adds no energy", "", "", .run = verify_fall },
  { "slope", "a box on a slope with friction 0.5 rests or slides by Coulomb's law", "slope, degrees",
    "displacement in 2 s, m", .run = verify_slope, .lumped = true },
  { "hertz", "Hertz contact of a paraboloid and a plate, by self-contact: force, pressure", "r, m", "Pa",
    .run = verify_hertz, .lumped = true },
  { "bars", "two bars collide head-on: pressure, contact time, speed", "t, s", "momentum / (m v)",
    .run = verify_touching_bars, .lumped = true },
  { "incline", "a block on an inclined block, friction 0.5, rests or slides by Coulomb's law", "slope, degrees",
    "speed, m/s", .run = verify_incline, .lumped = true },
  { "stack", "a stack of four blocks stays at rest", "", "", .run = verify_stack, .lumped = true },
  { "collide", "two balls collide: momenta are conserved, energy does not grow", "t, s", "energy / initial energy",
    .run = verify_colliding_balls, .lumped = true },
  { "supports", "the end of a bar follows a path and turns: position, reactions, work", "t, s", "energy / work",
    .run = verify_moving_support },
  { "modes", "natural frequencies of free and clamped bars", "mode", "frequency / reference", .run = verify_modes,
    .lumped = true },
  { "pressure", "a block and a thick cylinder under pressure", "cells across", "result / reference",
    .run = verify_pressure },
  { "spin", "a bar that spins: centrifugal stretch, angular momentum, energy", "t, s", "stretch, m",
    .run = verify_spinning_bar, .lumped = true },
  { "roll", "a ring rolls down a slope, or slides and rotates, as a rigid ring", "t, s", "speed, m/s",
    .run = verify_rolling_ring, .lumped = true },
  { .name = NULL },
};

void report_check(CaseReport *report, const char *what, const char *unit, double reference, double result, double scale,
                  double bound) {
  assert(report->check_count < CHECKS_MAX);
  const double error = fabs(result - reference) / scale;
  Check *check = &report->checks[report->check_count++];
  *check = (Check){ .unit = unit, .reference = reference, .result = result, .error = error, .bound = bound };
  check->passed = error <= bound;  // false if the error is NaN
  snprintf(check->what, sizeof check->what, "%s", what);
}

void report_relative(CaseReport *report, const char *what, const char *unit, double reference, double result,
                     double bound) {
  report_check(report, what, unit, reference, result, fabs(reference), bound);
}

void report_beyond(CaseReport *report, int count) {
  for (int k = report->check_count - count; k < report->check_count; k++) {
    report->checks[k].beyond = true;
    report->checks[k].passed = false;
  }
}

const char *check_word(const Check *check) {
  return check->beyond ? "beyond" : check->passed ? "pass" : "FAIL";
}

void report_point(CaseReport *report, const char *curve, double x, double y) {
  int k = 0;
  while (k < report->curve_count && strcmp(report->curves[k].name, curve) != 0) k++;
  if (k == CURVES_MAX) return;
  Curve *c = &report->curves[k];
  if (k == report->curve_count) {
    report->curve_count++;
    snprintf(c->name, sizeof c->name, "%s", curve);
  }
  if (c->count < CURVE_POINTS_MAX) {
    c->x[c->count] = x;
    c->y[c->count] = y;
    c->count++;
  }
}
