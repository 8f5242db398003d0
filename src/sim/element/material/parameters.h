// The parameters of a material, as an array that all materials have in common; each material uses some of them.
// settings_material fills it from the settings. mu and lambda are Lame's constants at small strains, for every
// material.
#pragma once

enum {
  MATERIAL_MU,                // Pa
  MATERIAL_LAMBDA,            // Pa
  MATERIAL_SECOND_INVARIANT,  // third constant: for Mooney-Rivlin the fraction of mu from the second invariant, 0 to 1
  MATERIAL_PARAMETERS
};
