// Kinds of obstacles in scene files, and the keys of each kind. The table of kinds is in scene_obstacles.c, with the
// functions that read the keys.
#pragma once
#include "scene/json.h"
#include "scene/scene.h"

/// Names of the kinds of obstacles in scene files.
extern const char *const obstacle_kinds[OBSTACLE_KINDS];

/// Returns the keys that an entry of "obstacles" may have; NULL ends the list. The keys depend on the kind of obstacle,
/// the value of "kind". If this value is missing or wrong, returns an empty list.
const char *const *obstacle_keys(const cJSON *entry);
