// `pliant info MESH|SCENE`: what a mesh holds, which stages a simulation of it takes here and why, and which stages
// this program has.
#pragma once
#include "scene/scene.h"

/// Prints to standard output.
bool run_info(const Scene *scene, Error *error);
