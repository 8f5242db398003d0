// What a folder holds that can be opened: folders, scenes and meshes.
#pragma once
#include "base/error.h"
#include "base/path.h"
#include "render/hud.h"

// A zeroed one is empty.
typedef struct FolderList {
  char path[PATH_LENGTH];  // from the root
  int64_t count, capacity;
  HudFile *file;  // [count], folders first, each sort by name; hidden ones are left out
} FolderList;

/// Reads a folder. Fails with the system's words where that cannot be read, or its path is too long; the list is then
/// as it was.
bool folder_list_read(FolderList *list, const char *path, Error *error);
void folder_list_destroy(FolderList *list);

/// Whether a name is that of a scene, or of a mesh in a format that is read.
bool folder_list_opens(const char *name);
