// Predefined materials: see material_presets.h. Nearly incompressible materials have Poisson's ratio 0.47 here,
// although the real value is about 0.4999. With values above 0.47, linear tets lock (docs/reference/scenes.md), and
// conjugate gradients need more iterations. "Ashby" is M. F. Ashby, Materials Selection in Mechanical Design, appendix
// of properties; values are the middles of its ranges.
#include "scene/material_presets.h"

#include <math.h>

static const char *const OF_TISSUE =
    "modulus: 6 C10, with the constant C10 from Table 3 of doi 10.1111/iwj.12877; density: IT'IS database";

const MaterialPreset material_presets[] = {
  { "jelly", 1000, 3e3, 0.45, 0.03, "a guess, not measured" },
  { "fat", 911, 2.4e3, 0.47, 0.1, OF_TISSUE },
  { "muscle", 1090, 1.35e3, 0.47, 0.1, OF_TISSUE },
  { "skin", 1109, 24e3, 0.47, 0.1, OF_TISSUE },
  { "ecoflex", 1070, 69e3, 0.47, 0.05,
    "silicone Ecoflex 00-30; modulus: stress at 100 % strain in Smooth-On's data sheet" },
  { "pdms", 1030, 1.32e6, 0.47, 0.05, "silicone Sylgard 184, cured at 25 C: doi 10.1088/0960-1317/24/3/035017" },
  { "rubber", 925, 2e6, 0.47, 0.05, "natural rubber; modulus: 1.5 to 2.5 MPa in Ashby's book" },
  { "foam", 54, 2e6, 0.3, 0.1, "flexible polymer foam of low density; modulus: 1 to 3 MPa in Ashby's book" },
  { "cork", 180, 30e6, 0.1, 0.05,
    "modulus: 13 to 50 MPa in Ashby's book; Poisson's ratio: Gibson and Ashby, Cellular Solids" },
  { 0 },
};

void material_preset_apply(const MaterialPreset *preset, double length, Scene *scene) {
  // 1/s, angular frequency of the slowest vibration of a bar of this length that is fixed at one end
  const double slowest = acos(0) * sqrt(preset->young / preset->density) / length;
  scene->young = preset->young;
  scene->poisson = preset->poisson;
  scene->simulation.density = preset->density;
  scene->simulation.damping = 2 * preset->damping_ratio * slowest;
  scene->material_keys = 2;
}
