// Materials that exist, for those who want to see how they move: densities and elastic constants with their sources.
#pragma once
#include "scene/scene.h"

typedef struct MaterialPreset {
  const char *name;
  double density;         // kg/m^3
  double young, poisson;  // Pa; small strains
  double damping_ratio;   // of the body's slowest motion, an assumption: 1 is critical
  const char *source;     // of density and Young's modulus
} MaterialPreset;

extern const MaterialPreset material_presets[];  // the last has no name

/// Gives a scene this material. `length` m, the body's longest side, says what its slowest motion is: damping in Pliant
/// is a force -damping * mass * velocity, of which a material knows nothing. It becomes 2 * ratio * w with
/// w = pi/2 sqrt(young / density) / length, the first mode of a bar that is held at one end.
void material_preset_apply(const MaterialPreset *preset, double length, Scene *scene);
