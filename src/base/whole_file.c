// Files that appear whole: see whole_file.h.
#include "base/whole_file.h"

#include <errno.h>
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
