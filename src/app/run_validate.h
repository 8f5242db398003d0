// `pliant validate`: Table 16.1 of paper 000 on this machine. Spheres and the hand, deformed, assembled by every method
// into every format on every device, held against a plain assembly in double.
#pragma once
#include "scene/scene.h"

typedef struct ValidateOptions {
  int precision;                 // Precision of the stages that are checked
  char json[SCENE_PATH_LENGTH];  // where to write everything as JSON; empty: nowhere
} ValidateOptions;

extern const Option validate_options[];

/// Prints the table. Fails where an error is above its bound; the scene only gives the last mesh.
bool run_validate(const Scene *scene, const ValidateOptions *options, Error *error);
