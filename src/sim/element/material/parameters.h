// The parameters of a material: one array of MATERIAL_PARAMETERS numbers, of which each material uses some.
// settings_material fills it from the settings. mu and lambda are Lame's constants at small strains, for every
// material.
#pragma once

enum {
  MATERIAL_MU,      // index of Lame's constant mu, Pa
  MATERIAL_LAMBDA,  // index of Lame's constant lambda, Pa
  // index of the fraction of mu that multiplies the second invariant, 0 to 1; only for Mooney-Rivlin
  MATERIAL_SECOND_INVARIANT,
  MATERIAL_PARAMETERS
};
