// Checks the numbers of a scene against the range of its floating-point precision.
#pragma once
#include "scene/scene.h"

/// Fails, with the file or the option, the key, the value, the range and the remedy, if a number of the scene is too
/// large for its precision (sim/number_range.h). Bounds of regions may be any numbers: they are only compared.
bool scene_check_range(const Scene *scene, Error *error);
