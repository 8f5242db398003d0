// The list of recently opened files, stored in $XDG_STATE_HOME/pliant/recent or ~/.local/state/pliant/recent, one path
// per line.
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/path.h"

enum { RECENT_MAX = 10 };

typedef struct RecentFiles {
  int count;
  char path[RECENT_MAX][PATH_LENGTH];  // [count], absolute paths, the newest first
} RecentFiles;

/// Reads the list of recent files. It is empty if its file does not exist.
void recent_read(RecentFiles *recent);

/// Moves a file to the top of the list and writes the list. A path that does not exist or is too long is not added. If
/// the list cannot be written, `recent` is changed nevertheless; returns false with the cause.
bool recent_add(RecentFiles *recent, const char *path, Error *error);
