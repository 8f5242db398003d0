// Functions for materials whose only parameters are Lame's constants mu and lambda. element/solid.h describes the
// functions that every material must have.
#pragma once
#include "base/error.h"
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/material/parameters.h"

typedef struct Material {
  real mu, lambda;  // Lame's constants, Pa
} Material;

HOST_DEVICE Material material_of(const double parameters[MATERIAL_PARAMETERS]) {
  const Material m = { (real)parameters[MATERIAL_MU], (real)parameters[MATERIAL_LAMBDA] };
  return m;
}

HOST_DEVICE Material material_times(const Material *m, real factor) {
  const Material stiffer = { factor * m->mu, factor * m->lambda };
  return stiffer;
}

HOST_DEVICE Material material_mixed(const Material *m, real share, real ratio) {
  const Material mixed = { m->mu, share * m->lambda + ratio * m->mu };
  return mixed;
}

static inline bool material_check(const double parameters[MATERIAL_PARAMETERS], Error *error) {
  const double share = parameters[MATERIAL_SECOND_INVARIANT];
  if (share == 0) return true;
  return error_set(error, "second_invariant is %g, but the material has no second-invariant term; expected 0", share);
}
