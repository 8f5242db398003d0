// A file that appears complete or not at all: it is written under another name and renamed at the end. /dev/null, pipes
// and other files that are not regular are written directly, never replaced.
#pragma once
#include <stdio.h>

#include "base/error.h"

enum { FILE_PATH_LENGTH = 4096 };

// A zeroed AtomicFile is closed.
typedef struct AtomicFile {
  FILE *stream;                      // open for writing; if `target` is not empty, also for reading the written bytes
                                     // again
  char path[FILE_PATH_LENGTH];       // path as the caller has given it
  char target[FILE_PATH_LENGTH];     // final name of the file, after symbolic links are followed; empty: the file is
                                     // written directly
  char part[FILE_PATH_LENGTH + 16];  // name of the file until the commit: target, a random number, ".part"
  int lock;                          // descriptor of the part file, which is locked until the rename; 0: none
  bool named;                        // the file has its final name, even if a later call failed
} AtomicFile;

/// Opens the file for writing, in binary. An existing file of this name stays until the commit, and its mode is kept.
/// Fails with the system's message; folders, disks and broken links are refused.
bool atomic_file_open(AtomicFile *file, const char *path, Error *error);

/// Tests, before a run, if atomic_file_open could open the file. Also deletes its unfinished copies (AtomicFile.part)
/// that killed programs have left, unless a running process has locked them.
bool atomic_file_check(const char *path, Error *error);

/// Writes the file's final name to `target`, symbolic links followed; an empty text if the file would be written
/// directly.
bool atomic_file_target(const char *path, char target[FILE_PATH_LENGTH], Error *error);

/// Closes the file and renames it, once its bytes are on the disk. If the machine stops during this call, the name
/// refers to the old file or to the new one, both complete. After the return the name refers to the new file. Fails if
/// a byte could not be written; the old file then stays.
bool atomic_file_commit(AtomicFile *file, Error *error);

/// As atomic_file_commit, but does not wait for the disk. For programs that write many files and then call
/// atomic_file_sync.
bool atomic_file_commit_unsynced(AtomicFile *file, Error *error);

/// Commits two files that belong together: both are renamed, or neither.
bool atomic_file_commit_pair(AtomicFile *first, AtomicFile *second, Error *error);

/// Waits until this file's bytes, or the names in this folder, are on the disk.
bool atomic_file_sync(const char *path, Error *error);

/// Waits until the name of this file or folder is on the disk.
bool atomic_file_sync_name(const char *path, Error *error);

/// Drops a file that was not committed. Accepts a closed one.
void atomic_file_close(AtomicFile *file);
