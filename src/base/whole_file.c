// Files that appear whole: see whole_file.h.
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool whole_file_open(WholeFile *whole, const char *path, Error *error) {
  *whole = (WholeFile){ 0 };
  if (strlen(path) + sizeof ".part" > WHOLE_FILE_PATH) return error_set(error, "%.100s...: the path is too long", path);
  memcpy(whole->path, path, strlen(path) + 1);
  memcpy(whole->part, path, strlen(path));
  memcpy(whole->part + strlen(path), ".part", sizeof ".part");
  whole->file = fopen(whole->part, "wb");
  return whole->file || error_set(error, "%s: cannot be written: %s", path, strerror(errno));
}

// a folder's names are on the disk once the folder is
static bool sync_folder_of(const char *path) {
  char folder[WHOLE_FILE_PATH];
  const char *slash = strrchr(path, '/');
  if (slash)
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  else
    snprintf(folder, sizeof folder, ".");
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return false;
  const bool ok = fsync(descriptor) == 0;
  close(descriptor);
  return ok;
}

bool whole_file_commit_to_disk(WholeFile *whole, Error *error) {
  if (fflush(whole->file) == 0 && fsync(fileno(whole->file)) == 0)
    return whole_file_commit(whole, error) &&
           (sync_folder_of(whole->path) || error_set(error, "%s: %s", whole->path, strerror(errno)));
  const int cause = errno;
  whole_file_close(whole);
  return error_set(error, "%s: cannot be written: %s", whole->path, strerror(cause));
}

bool whole_file_commit(WholeFile *whole, Error *error) {
  const bool written = !ferror(whole->file) && fflush(whole->file) == 0;
  const bool closed = fclose(whole->file) == 0;
  whole->file = NULL;
  if (written && closed && rename(whole->part, whole->path) == 0) return true;
  const int cause = errno;
  unlink(whole->part);
  return error_set(error, "%s: cannot be written: %s", whole->path, strerror(cause));
}

void whole_file_close(WholeFile *whole) {
  if (!whole->file) return;
  fclose(whole->file);
  unlink(whole->part);
  whole->file = NULL;
}
