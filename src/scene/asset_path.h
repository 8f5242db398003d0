// Paths of the scenes and meshes that the program ships with.
#pragma once
#include "base/path.h"

/// Writes to `path` the full path of the shipped file `name`, such as "scenes/hand.json". The shipped files are in the
/// folder that the environment variable PLIANT_ASSETS names. Without this variable, they are in the first of these
/// folders that exists:
///   - ../share/pliant, relative to the program's folder, so that an installed program can be moved
///   - assets/ in the source tree
///   - the installation folder that was chosen at build time
void asset_path(const char *name, char path[PATH_LENGTH]);
