// The settings that Newton's method and the time integrators read. A simulation derives them from its own settings
// (settings_newton), so this module does not depend on the full list.
#pragma once
#include <stdbool.h>

#include "sim/element/material/parameters.h"

typedef enum NewtonMethod {
  NEWTON_ROBUST,  // line search that keeps J > 0 and the residual falling, then backward Euler, then halved steps
  NEWTON_PLAIN,   // full steps only, as paper 000
} NewtonMethod;

// The time integrators; see docs/decisions/006-time-integrators-and-contact.md.
typedef enum Integrator {
  INTEGRATOR_AUTO,        // midpoint, or euler_spin with a floor, an obstacle or self-contact
  INTEGRATOR_MIDPOINT,    // paper 000: second order; conserves momenta, and quadratic energies; no damping
  INTEGRATOR_EULER,       // backward Euler: first order; damps unresolved motion, and resolved motion too
  INTEGRATOR_BDF2,        // second order; damps unresolved motion; first step and after changes: backward Euler
  INTEGRATOR_EULER_SPIN,  // backward Euler whose free pieces keep their angular momentum (spin.h)
} Integrator;
#define INTEGRATOR_NAMES "auto|midpoint|euler|bdf2|euler_spin"  // as the user types them, in this order

static inline bool integrator_is_euler(Integrator integrator) {
  return integrator == INTEGRATOR_EULER || integrator == INTEGRATOR_EULER_SPIN;
}

// The state from which Newton's method starts in a step.
typedef enum FirstGuess {
  FIRST_GUESS_STATE,         // u0
  FIRST_GUESS_VELOCITY,      // u0 + dt v0
  FIRST_GUESS_EXTRAPOLATED,  // u0 + (u0 - u before), if the previous step was as long
} FirstGuess;

// Numbers are in SI units. `integrator` is never INTEGRATOR_AUTO.
typedef struct NewtonSettings {
  double dt;       // s
  double damping;  // 1/s
  Integrator integrator;
  NewtonMethod newton;
  FirstGuess first_guess;
  int newton_max;                           // linear systems in one Newton solve
  int halvings_max;                         // maximum of repeated halvings of a step
  double newton_absolute, newton_relative;  // tolerances of the residual; see decision.h
  bool cg_fixed;                            // true: every linear solve has the tolerance cg_relative
  double cg_relative;
  int cg_max;
  double material[MATERIAL_PARAMETERS];
} NewtonSettings;
