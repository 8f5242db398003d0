// Finds frames of an earlier recording: see old_frames.h.
#include "record/old_frames.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"

// Returns true if `name` is a file name of a frame with this ending: "frame_", five digits or more, and the ending. The
// asterisk in the ending "*.bin" stands for any text that begins with a point, as in "frame_00012.cells.bin". A frame
// with the ending ".vtu" that several processes have written has a file with the ending ".pvtu" instead.
static bool is_frame(const char *name, const char *ending) {
  if (strncmp(name, "frame_", 6) != 0) return false;
  const size_t digits = strspn(name + 6, "0123456789");
  const char *rest = name + 6 + digits;
  const size_t length = strlen(rest), end = strlen(ending) - 1;
  if (digits < 5) return false;
  return ending[0] == '*' ? rest[0] == '.' && length >= end && strcmp(rest + length - end, ending + 1) == 0
                          : strcmp(rest, ending) == 0 || (strcmp(ending, ".vtu") == 0 && strcmp(rest, ".pvtu") == 0);
}

// Returns true if `name` is a file name of a piece of a frame, such as "frame_00012_3.vtu", and the ending is ".vtu".
static bool is_piece(const char *name, const char *ending) {
  if (strcmp(ending, ".vtu") != 0 || strncmp(name, "frame_", 6) != 0) return false;
  const size_t digits = strspn(name + 6, "0123456789");
  const char *rest = name + 6 + digits;
  return digits >= 5 && rest[0] == '_' && rest[1] >= '0' && rest[1] <= '9' &&
         strcmp(rest + 1 + strspn(rest + 1, "0123456789"), ending) == 0;
}

int old_frames_count(const char *folder, const char *ending) {
  int count = 0;
  DIR *listing = opendir(folder);
  for (struct dirent *entry = NULL; listing && (entry = readdir(listing));) count += is_frame(entry->d_name, ending);
  if (listing) closedir(listing);
  return count;
}

bool old_frames_refuse(const char *folder, const char *ending, bool overwrites, Error *error) {
  const int count = old_frames_count(folder, ending);
  if (count == 0) return true;
  error_set(error, "%s: contains %d frame%s of an earlier run; choose another folder%s", folder, count,
            count == 1 ? "" : "s",
            !overwrites  ? ""
            : count == 1 ? ", or give --overwrite to delete it"
                         : ", or give --overwrite to delete them");
  return false;
}

bool old_frames_remove(const char *folder, const char *ending, Error *error) {
  bool ok = true;
  if (atomic_file_discards()) return true;  // in an MPI run, only the process that writes frames deletes old ones
  DIR *listing = opendir(folder);
  if (!listing) return error_set(error, "%s: the folder cannot be read: %s", folder, strerror(errno));
  for (struct dirent *entry = NULL; ok && (entry = readdir(listing));)
    if ((is_frame(entry->d_name, ending) || is_piece(entry->d_name, ending)) &&
        unlinkat(dirfd(listing), entry->d_name, 0) != 0)
      ok = error_set(error, "%s/%s: cannot delete this frame of an earlier run: %s", folder, entry->d_name,
                     strerror(errno));
  closedir(listing);
  return ok;
}
