// `pliant info MESH|SCENE`: what a mesh holds, and which stages this program has.
#pragma once
#include "scene/scene.h"

/// Prints to standard output.
bool run_info(const Scene *scene, Error *error);
