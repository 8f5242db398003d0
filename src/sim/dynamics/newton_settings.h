// The settings of Newton's method and of the time integrators. settings_newton copies them from SimulationSettings, so
// that this module does not depend on the list of all settings.
#pragma once
#include <stdbool.h>

#include "sim/element/material/parameters.h"

typedef enum NewtonMethod {
  NEWTON_ROBUST,  // a line search keeps det F > 0 and reduces the residual. If Newton's method fails, the time step is
                  // repeated by backward Euler; if this fails too, the time step is divided into two halves
  NEWTON_PLAIN,   // full Newton steps only, as in paper 000 (docs/papers)
} NewtonMethod;

// Time integrators; see docs/decisions/006-time-integrators-and-contact.md.
typedef enum Integrator {
  INTEGRATOR_AUTO,             // euler_spin if there is a floor, an obstacle or self-contact, else midpoint
  INTEGRATOR_MIDPOINT,         // midpoint rule: second order, no damping; conserves momenta, and the energy of linear
                               // systems
  INTEGRATOR_EULER,            // backward Euler: first order; damps fast vibrations strongly and slow ones slightly
  INTEGRATOR_BDF2,             // second order; damps fast vibrations
  INTEGRATOR_EULER_SPIN,       // backward Euler, corrected so that free pieces keep their angular momentum (spin.h)
  INTEGRATOR_MIDPOINT_ENERGY,  // midpoint rule, corrected so that it gains hardly any energy (energy_keep.h)
} Integrator;
#define INTEGRATOR_NAMES "auto|midpoint|euler|bdf2|euler_spin|midpoint_energy"  // as the user types them, in enum order

static inline bool integrator_is_midpoint(Integrator integrator) {
  return integrator == INTEGRATOR_MIDPOINT || integrator == INTEGRATOR_MIDPOINT_ENERGY;
}

static inline bool integrator_is_euler(Integrator integrator) {
  return integrator == INTEGRATOR_EULER || integrator == INTEGRATOR_EULER_SPIN;
}

// The displacements at which Newton's method starts in a time step. u0 and v0: displacements and velocities at the
// start of the time step.
typedef enum FirstGuess {
  FIRST_GUESS_STATE,         // u0
  FIRST_GUESS_VELOCITY,      // u0 + dt v0
  FIRST_GUESS_EXTRAPOLATED,  // u0 + displacement in the previous time step, if both time steps have the same duration
  FIRST_GUESS_RIGID,         // u0 plus a rigid motion of each connected piece without held nodes (rigid_guess.h)
  FIRST_GUESS_AUTO,          // u0, then the rigid guess if the line search refuses the first full Newton step
} FirstGuess;

// Settings of Newton's method and of time steps, in SI units. `integrator` is never INTEGRATOR_AUTO.
typedef struct NewtonSettings {
  double dt;       // s, duration of a time step
  double damping;  // 1/s, factor in the damping force -damping * mass * velocity
  Integrator integrator;
  NewtonMethod newton;
  FirstGuess first_guess;
  int newton_max;                           // maximum number of iterations of one run of Newton's method. A time step
                                            // may need more runs: after a failed first guess, and in each part
  int halvings_max;                         // maximum number of times that a failed time step is halved: 3 allows parts
                                            // as short as dt/8
  double newton_absolute, newton_relative;  // tolerances of the residual's norm (newton_tolerance): absolute, kg m/s,
                                            // and relative to the norms of the residual's terms
  double cg_relative;                       // relative tolerance of all linear solves; 0: newton_cg_relative chooses it
  int cg_max;                               // maximum number of CG iterations of one linear solve
  double material[MATERIAL_PARAMETERS];
} NewtonSettings;
