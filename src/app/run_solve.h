// `pliant solve`: where a scene's forces, gravity and moved pins balance, without time.
#pragma once
#include "scene/scene.h"

typedef struct SolveOptions {
  int increments;
  char json[SCENE_PATH_LENGTH];   // where to write the path and the answer as JSON; empty: nowhere
  char state[SCENE_PATH_LENGTH];  // where to write the state; empty: nowhere
} SolveOptions;

extern const Option solve_options[];

/// Loads the scene by increments, each to Newton's convergence, and prints them and what the pins bear. Fails where no
/// increment is small enough; what was written then is the last equilibrium.
bool run_solve(Scene *scene, const SolveOptions *options, Error *error);
