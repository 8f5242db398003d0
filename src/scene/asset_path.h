// Paths of the shipped scenes and meshes.
#pragma once
#include "base/path.h"

/// Writes the full path of a shipped file such as "scenes/hand.json". The folder is that of the environment variable
/// PLIANT_ASSETS, if it is set. Otherwise it is the first existing folder of this list:
///   - ../share/pliant, relative to the program's folder, so that an installed program can be moved
///   - assets/ in the source tree
///   - the installation folder that was chosen at build time
void asset_path(const char *name, char path[PATH_LENGTH]);
