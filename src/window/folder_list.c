// Lists the folders, scenes and meshes in a folder: see folder_list.h.
#include "window/folder_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/array.h"
#include "mesh/fill_surface.h"
#include "mesh/format/mesh_formats.h"

bool folder_list_opens(const char *name) {
  bool packed;
  Error ignored = { 0 };
  return path_ends_with(name, ".json") || fill_surface_reads(name) || mesh_format(name, &packed, &ignored) != NULL;
}

// Comparison for qsort: folders before files, then names in alphabetical order without regard to case.
static int in_order(const void *left, const void *right) {
  const HudFile *a = left, *b = right;
  if (a->folder != b->folder) return a->folder ? -1 : 1;
  const int order = strcasecmp(a->name, b->name);
  return order ? order : strcmp(a->name, b->name);
}

static bool add(FolderList *list, const char *name, const struct stat *status, Error *error) {
  void *items = list->file;
  const bool grown =
      array_reserve(&items, &list->capacity, list->count + 1, sizeof *list->file, "the files of a folder", error);
  list->file = items;
  if (!grown) return false;
  HudFile *file = &list->file[list->count++];
  *file = (HudFile){ .folder = S_ISDIR(status->st_mode), .bytes = (double)status->st_size };
  memcpy(file->name, name, strlen(name) + 1);
  return true;
}

bool folder_list_read(FolderList *list, const char *path, Error *error) {
  FolderList made = { 0 };
  struct stat status;
  char *whole = realpath(path, NULL);
  DIR *folder = whole ? opendir(whole) : NULL;
  bool ok = folder != NULL || error_set(error, "%.600s: cannot be read: %s", path, strerror(errno));
  if (ok && strlen(whole) >= sizeof made.path) ok = error_set(error, "%.600s...: the path is too long", whole);
  if (ok) memcpy(made.path, whole, strlen(whole) + 1);
  for (const struct dirent *entry; ok && (entry = readdir(folder));) {
    // leaves out hidden entries, names that are too long, and files that were deleted in the meantime
    if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof made.file->name ||
        fstatat(dirfd(folder), entry->d_name, &status, 0) != 0)
      continue;

    // leaves out devices and pipes, which are no scenes
    if (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && folder_list_opens(entry->d_name)))
      ok = add(&made, entry->d_name, &status, error);
  }

  if (folder) closedir(folder);
  free(whole);
  if (!ok) {
    folder_list_destroy(&made);
    return false;
  }
  if (made.count > 1) qsort(made.file, (size_t)made.count, sizeof *made.file, in_order);
  folder_list_destroy(list);
  *list = made;
  return true;
}

void folder_list_destroy(FolderList *list) {
  free(list->file);
  *list = (FolderList){ 0 };
}
