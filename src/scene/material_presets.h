// Presets of real materials: densities and elastic constants with their sources.
#pragma once
#include "scene/scene.h"

typedef struct MaterialPreset {
  const char *name;
  double density;         // kg/m^3
  double young, poisson;  // Pa; small strains
  double damping_ratio;   // damping ratio of the body's slowest mode, assumed; 1: critical
  const char *source;     // source of density and Young's modulus
} MaterialPreset;

extern const MaterialPreset material_presets[];  // ends with a row whose name is NULL

/// Sets a scene's material constants. `length` m, the body's longest side, determines its slowest mode: damping in
/// Pliant is a force -damping * mass * velocity, which is no material property. It becomes 2 * ratio * w with w = pi/2
/// sqrt(young / density) / length, the first mode of a bar that is fixed at one end.
void material_preset_apply(const MaterialPreset *preset, double length, Scene *scene);
