// Where the shipped files are: scenes and meshes.
#pragma once
#include "base/path.h"

/// The full path of one, such as "scenes/hand.json": below $PLIANT_ASSETS; else, of an installed program, in
/// ../share/pliant beside it, so that it may be moved as a whole; else in the folder that it was built from; else where
/// the build was told to install them.
void asset_path(const char *name, char path[PATH_LENGTH]);
