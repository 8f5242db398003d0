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

/// Sets a scene's material constants. Damping in Pliant is a force -damping * mass * velocity, and so not a material
/// property. `damping` is chosen so that the slowest mode of the body has the preset's damping ratio: 2 * ratio * w.
/// Here w = pi/2 sqrt(young / density) / length is the angular frequency of the first mode of a bar that is fixed at
/// one end, with `length`, m, the longest side of the body.
void material_preset_apply(const MaterialPreset *preset, double length, Scene *scene);
