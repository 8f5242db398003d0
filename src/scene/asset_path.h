// Paths of the shipped scenes and meshes.
#pragma once
#include "base/path.h"

/// Writes the full path of a shipped file such as "scenes/hand.json". The folder is $PLIANT_ASSETS if that is set. Else
/// it is the first that exists of ../share/pliant relative to the program's folder, so that an installed tree can be
/// moved, and assets/ of the source tree. Else it is the installation folder chosen at build time.
void asset_path(const char *name, char path[PATH_LENGTH]);
