// The parameters of a material: one array of MATERIAL_PARAMETERS numbers, of which each material uses some.
// settings_material fills it from the settings. mu and lambda are Lame's constants at small strains, for every
// material.
#pragma once

enum {
  MATERIAL_MU,                // Pa
  MATERIAL_LAMBDA,            // Pa
  MATERIAL_SECOND_INVARIANT,  // for Mooney-Rivlin the fraction of mu that multiplies the second invariant, 0 to 1
  MATERIAL_PARAMETERS
};
