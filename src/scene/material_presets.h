// Presets of real materials: densities and elastic constants with their sources.
#pragma once
#include "scene/scene.h"

typedef struct MaterialPreset {
  const char *name;       // name by which the user selects the preset
  double density;         // density, kg/m^3
  double young, poisson;  // Young's modulus, Pa, and Poisson's ratio, both for small strains
  double damping_ratio;   // assumed damping ratio of the body's slowest mode; 1 is critical damping
  const char *source;     // source of density and Young's modulus
} MaterialPreset;

extern const MaterialPreset material_presets[];  // ends with a row whose name is NULL

/// Sets a scene's material constants. The setting `damping` becomes 2 * damping_ratio * w. With this value, the slowest
/// mode of the body has the damping ratio of the preset, since damping in Pliant is a force -damping * mass * velocity.
/// w = pi/2 sqrt(young / density) / length is the angular frequency of the first mode of a bar that is fixed at one
/// end. `length`, m, is the longest side of the body.
void material_preset_apply(const MaterialPreset *preset, double length, Scene *scene);
