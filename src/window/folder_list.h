// Lists the entries of a folder that can be opened: folders, scenes and meshes.
#pragma once
#include "base/error.h"
#include "base/path.h"
#include "render/hud.h"

// A zeroed FolderList is empty.
typedef struct FolderList {
  char path[PATH_LENGTH];  // absolute path
  int64_t count, capacity;
  HudFile *file;  // [count], folders before files, both sorted by name; hidden entries are left out
} FolderList;

/// Reads a folder. Fails with the system's message if the folder cannot be read, or if its path is too long; the list
/// is then unchanged.
bool folder_list_read(FolderList *list, const char *path, Error *error);
void folder_list_destroy(FolderList *list);

/// Returns true if the name ends like a scene (.json) or like a mesh format that can be read.
bool folder_list_opens(const char *name);
