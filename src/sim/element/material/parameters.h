// What a material is given: an array that its header interprets. The settings say what stands in it
// (settings_material); mu and lambda are Lame's constants of small strains whatever the material.
#pragma once

enum {
  MATERIAL_MU,                // Pa
  MATERIAL_LAMBDA,            // Pa
  MATERIAL_SECOND_INVARIANT,  // the share of mu that the second invariant has, 0 to 1
  MATERIAL_PARAMETERS
};
