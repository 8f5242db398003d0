// The parameters of a material: an array that its header interprets. The settings describe its entries
// (settings_material). mu and lambda are Lame's constants at small strains, for every material.
#pragma once

enum {
  MATERIAL_MU,                // Pa
  MATERIAL_LAMBDA,            // Pa
  MATERIAL_SECOND_INVARIANT,  // fraction of mu from the second invariant, 0 to 1
  MATERIAL_PARAMETERS
};
