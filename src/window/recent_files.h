// The files that were opened last, in a file of the user's: $XDG_STATE_HOME/pliant/recent, or
// ~/.local/state/pliant/recent, one path a line.
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/path.h"

enum { RECENT_MAX = 10 };

typedef struct RecentFiles {
  int count;
  char path[RECENT_MAX][PATH_LENGTH];  // from the root, the newest first
} RecentFiles;

/// Reads the list; empty where there is none.
void recent_read(RecentFiles *recent);

/// Puts a file to the list's top, and writes that. Where the list cannot be written it is only kept here: false, with
/// the cause. What has no path that fits is left out.
bool recent_add(RecentFiles *recent, const char *path, Error *error);
