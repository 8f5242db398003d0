// A file that appears whole or not at all: it is written under another name, and renamed at the end. /dev/null, pipes
// and other things that are no regular files are written into directly, never replaced.
#pragma once
#include <stdio.h>

#include "base/error.h"

enum { FILE_PATH_LENGTH = 4096 };

// A zeroed AtomicFile is closed.
typedef struct AtomicFile {
  FILE *stream;                      // to write into; and to read back, unless target is empty
  char path[FILE_PATH_LENGTH];       // as given
  char target[FILE_PATH_LENGTH];     // its name in the end, symbolic links followed; empty: written into directly
  char part[FILE_PATH_LENGTH + 16];  // its name until then: target, a random number, ".part"
  int lock;                          // a descriptor of the part, which is locked until it has its name; 0: none
  bool named;                        // the bytes are under `path` now, also where a later call failed
} AtomicFile;

/// Opens it for writing, in binary. An older file of that name stays until the commit, and hands down its mode. Fails
/// with the system's words; a folder, a disk and a link to nothing are refused.
bool atomic_file_open(AtomicFile *file, const char *path, Error *error);

/// Tests whether it could be opened, before a run. Deletes the parts of this file that killed programs have left: those
/// that no process has locked. Leaves everything else as it was.
bool atomic_file_check(const char *path, Error *error);

/// The name that the file will have, symbolic links followed; empty if it would be written into directly.
bool atomic_file_target(const char *path, char target[FILE_PATH_LENGTH], Error *error);

/// Closes it and gives it its name, once its bytes are on the disk: if the machine stops meanwhile, the name is that of
/// the old file or of the new one, and after the return that of the new one. Fails where a byte could not be written;
/// then the old file stays.
bool atomic_file_commit(AtomicFile *file, Error *error);

/// As atomic_file_commit, but does not wait for the disk: for one of many, for which atomic_file_sync waits later.
bool atomic_file_commit_unsynced(AtomicFile *file, Error *error);

/// Two files that belong together: both get their names, or neither.
bool atomic_file_commit_pair(AtomicFile *first, AtomicFile *second, Error *error);

/// Waits until this file's bytes, or the names in this folder, are on the disk.
bool atomic_file_sync(const char *path, Error *error);

/// Waits until the name of this file or folder is on the disk.
bool atomic_file_sync_name(const char *path, Error *error);

/// Drops what was not committed. Takes a closed one too.
void atomic_file_close(AtomicFile *file);
