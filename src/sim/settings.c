// Settings: see settings.h.
#include "sim/settings.h"

#include <math.h>

#include "sim/material.h"

SimulationSettings simulation_defaults(void) {
  const double young = 1e5, poisson = 0.3;
  return (SimulationSettings){
    .device = DEVICE_CPU,
    .precision = PRECISION_F32,
    .mu = lame_mu(young, poisson),
    .lambda = lame_lambda(young, poisson),
    .density = 1000,
    .dt = 1.0 / 60,
    .newton = NEWTON_ROBUST,
    .newton_relative = 1e-3,
    .newton_max = 20,
    .cg_relative = 1e-4,
    .cg_max = 5000,
    .halvings_max = 6,
  };
}

Integrator simulation_integrator(const SimulationSettings *s) {
  if (s->integrator != INTEGRATOR_AUTO) return s->integrator;
  return s->has_floor ? INTEGRATOR_EULER : INTEGRATOR_MIDPOINT;
}

bool settings_check(const SimulationSettings *s, Error *error) {
  if (!(s->mu > 0) || !isfinite(s->mu)) return error_set(error, "mu is %g Pa, expected more than 0", s->mu);
  if (!(s->lambda > -2.0 / 3 * s->mu) || !isfinite(s->lambda))
    return error_set(error, "lambda is %g Pa, expected more than -2/3 mu = %g", s->lambda, -2.0 / 3 * s->mu);
  if (!(s->density > 0) || !isfinite(s->density))
    return error_set(error, "density is %g kg/m^3, expected more than 0", s->density);
  if (!(s->damping >= 0) || !isfinite(s->damping))
    return error_set(error, "damping is %g 1/s, expected 0 or more", s->damping);
  if (s->has_floor && !isfinite(s->floor_height))
    return error_set(error, "floor is %g m, expected a finite height", s->floor_height);
  if (!(s->friction >= 0) || !isfinite(s->friction))
    return error_set(error, "friction is %g, expected 0 or more", s->friction);
  if (!isfinite(s->gravity[0] + s->gravity[1] + s->gravity[2]))
    return error_set(error, "gravity is %g, %g, %g m/s^2, expected finite numbers", s->gravity[0], s->gravity[1],
                     s->gravity[2]);
  if (!(s->dt > 0) || !isfinite(s->dt)) return error_set(error, "dt is %g s, expected more than 0", s->dt);
  if (!(s->newton_absolute >= 0) || !(s->newton_relative >= 0) || s->newton_absolute + s->newton_relative == 0)
    return error_set(error, "newton_absolute is %g and newton_relative %g, expected one of them to be more than 0",
                     s->newton_absolute, s->newton_relative);
  if (s->newton_max < 1) return error_set(error, "newton_max is %d, expected 1 or more", s->newton_max);
  if (!(s->cg_relative > 0 && s->cg_relative < 1))
    return error_set(error, "cg_relative is %g, expected more than 0 and less than 1", s->cg_relative);
  if (s->cg_max < 1) return error_set(error, "cg_max is %d, expected 1 or more", s->cg_max);
  if (s->halvings_max < 0 || s->halvings_max > 20)
    return error_set(error, "halvings_max is %d, expected 0 to 20", s->halvings_max);
  return true;
}
