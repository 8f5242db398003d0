// Paths of the scenes and meshes that the program ships with.
#pragma once
#include "base/path.h"

/// Writes the full path of a shipped file, such as "scenes/hand.json". The environment variable
/// PLIANT_ASSETS gives the folder. Without it, the folder is the first that exists of:
///   - ../share/pliant, relative to the program's folder, so that an installed program can be moved
///   - assets/ in the source tree
///   - the installation folder that was chosen at build time
void asset_path(const char *name, char path[PATH_LENGTH]);
