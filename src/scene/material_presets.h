// Predefined materials: density, elastic constants, and their sources.
#pragma once
#include "scene/scene.h"

// One predefined material.
typedef struct MaterialPreset {
  const char *name;       // name that the user chooses
  double density;         // kg/m^3
  double young, poisson;  // Young's modulus, Pa, and Poisson's ratio, both at small strains
  double damping_ratio;   // assumed damping ratio of the body's slowest vibration; 1 is critical damping
  const char *source;     // reference for density and Young's modulus
} MaterialPreset;

extern const MaterialPreset material_presets[];  // ends with a row whose name is NULL

/// Sets a scene's material constants, and its damping to 2 * damping_ratio * w, 1/s. w = pi / 2 * sqrt(young / density)
/// / length is the lowest angular frequency of longitudinal vibration of a bar that is fixed at one end; length, m, is
/// the longest side of the body. Damping is a force -damping * mass * velocity, so the body's slowest vibration gets
/// about the damping ratio of the preset.
void material_preset_apply(const MaterialPreset *preset, double length, Scene *scene);
