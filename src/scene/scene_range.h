// Checks the numbers of a scene against the range of its floating-point precision.
#pragma once
#include "scene/scene.h"

/// Fails if a number of the scene is too large for the scene's precision (sim/number_range.h). The message has the file
/// or the option, the key, the value, the range and the remedy. Bounds of regions may be any numbers, since they are
/// only compared.
bool scene_check_range(const Scene *scene, Error *error);
