// Checks that the numbers of a scene fit into its floating-point precision.
#pragma once
#include "scene/scene.h"

/// Fails if a number of the scene is too large for the floating-point precision that the scene selects
/// (sim/element/number_range.h). The message has the file or option, key, value, range and remedy. Bounds of regions
/// are not limited, since they are only compared.
bool scene_check_range(const Scene *scene, Error *error);
