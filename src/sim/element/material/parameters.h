// The parameters of a material: an array of MATERIAL_PARAMETERS numbers, of which each material uses some. The function
// settings_material fills this array from a scene's settings. For every material, mu and lambda are Lame's constants at
// small strains.
#pragma once

enum {
  MATERIAL_MU,      // index of Lame's constant mu, Pa
  MATERIAL_LAMBDA,  // index of Lame's constant lambda, Pa
  // index of the fraction of mu that multiplies the second invariant, 0 to 1; only for Mooney-Rivlin
  MATERIAL_SECOND_INVARIANT,
  MATERIAL_PARAMETERS
};
