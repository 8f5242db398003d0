// The list of recently opened files. It is stored in $XDG_STATE_HOME/pliant/recent or ~/.local/state/pliant/recent, one
// path per line.
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/path.h"

enum { RECENT_MAX = 10 };

typedef struct RecentFiles {
  int count;
  char path[RECENT_MAX][PATH_LENGTH];  // absolute paths, the newest first
} RecentFiles;

/// Reads the list. The result is empty if there is no list.
void recent_read(RecentFiles *recent);

/// Moves a file to the top of the list, and writes the list. If the list cannot be written, returns false with the
/// cause, but `recent` is changed. Files whose path does not exist or is too long are not added.
bool recent_add(RecentFiles *recent, const char *path, Error *error);
