// Lists of names of observables, separated by commas, such as Scene.curves. No name contains a comma.
#pragma once
#include <stdbool.h>

#include "scene/scene.h"

/// Copies the first name of the list `names` to `name`. Returns the rest of the list, or NULL if the list is empty.
const char *curve_names_next(const char *names, char name[SCENE_CURVES]);

/// Appends a name to a list. Returns false, and does nothing, if the list would be too long for a scene file.
bool curve_names_add(char names[SCENE_CURVES], const char *name);

/// Returns true if a list contains a name.
bool curve_names_have(const char *names, const char *name);

/// Removes a name from a list, if it is there.
void curve_names_remove(char names[SCENE_CURVES], const char *name);
