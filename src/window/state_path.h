// The folder in which the window stores what it remembers of the user.
#pragma once
#include <stdbool.h>

#include "base/path.h"

enum { STATE_PATH = PATH_LENGTH + 16 };

/// Writes the path of this folder, $XDG_STATE_HOME/pliant or ~/.local/state/pliant, and the path of the file `name` in
/// it. The folder may not exist. Returns false if neither XDG_STATE_HOME nor HOME is an absolute path, or if the path
/// is too long.
bool state_path(const char *name, char folder[PATH_LENGTH], char path[STATE_PATH]);
