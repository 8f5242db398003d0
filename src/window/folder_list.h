// Lists the folders, scenes and meshes in a folder.
#pragma once
#include "base/error.h"
#include "base/path.h"
#include "hud/hud.h"

// The entries of a folder. Zeroed: no entries.
typedef struct FolderList {
  char path[PATH_LENGTH];  // absolute path of the folder
  int64_t count, capacity;
  HudFile *file;  // [count], folders before files, both sorted by name, without hidden entries
} FolderList;

/// Reads a folder. Fails with the system's message if it cannot be read or its path is too long; the list is then
/// unchanged.
bool folder_list_read(FolderList *list, const char *path, Error *error);
void folder_list_destroy(FolderList *list);

/// Returns true if the name has the ending of a scene (.json) or of a mesh format.
bool folder_list_opens(const char *name);
