// The parameters of a material: one array for all materials, of which each material uses some entries.
// settings_material fills it from the settings. mu and lambda are Lame's constants at small strains, for every
// material.
#pragma once

enum {
  MATERIAL_MU,                // Pa
  MATERIAL_LAMBDA,            // Pa
  MATERIAL_SECOND_INVARIANT,  // third constant: for Mooney-Rivlin the fraction of mu from the second invariant, 0 to 1
  MATERIAL_PARAMETERS
};
