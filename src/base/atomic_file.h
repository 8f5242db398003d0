// A file that appears complete or not at all: it is written under another name and renamed at the end. /dev/null, pipes
// and other files that are not regular are written directly.
#pragma once
#include <stdio.h>

#include "base/error.h"

enum { FILE_PATH_LENGTH = 4096 };

// A file that is being written; a zeroed AtomicFile is closed.
typedef struct AtomicFile {
  FILE *stream;                 // stream for writing; if `target` is not empty, it can also be read
  char path[FILE_PATH_LENGTH];  // path as the caller has given it, for messages
  // final name of the file, with symbolic links followed; empty: the file is written directly
  char target[FILE_PATH_LENGTH];
  char part[FILE_PATH_LENGTH + 16];  // name of the file until the commit: target, ".", a random number, ".part"
  int lock;                          // descriptor that keeps the part file locked until the rename; 0: none
  bool named;  // true: the file has its final name; it stays true if a later part of the commit fails
} AtomicFile;

/// Makes this program discard all bytes that it writes to files from now on; the files do not appear. Processes of an
/// MPI run call it if another process writes the same results. Files of atomic_file_open_always still appear.
/// atomic_file_discards returns true after this call.
void atomic_file_discard_all(void);
bool atomic_file_discards(void);

/// Opens a file for writing, in binary. An existing file of this name does not change until the commit; the new file
/// gets its permissions. Fails with the system's message, or if the path is a folder, a disk or a broken link.
bool atomic_file_open(AtomicFile *file, const char *path, Error *error);

/// As atomic_file_open, but the file is also written after atomic_file_discard_all. For files with results that only
/// this process has.
bool atomic_file_open_always(AtomicFile *file, const char *path, Error *error);

/// Tests a path before a long run that writes it at the end: fails if atomic_file_open would fail for this path. Also
/// deletes part files, the unfinished files that killed programs have left, unless a running process has locked them.
bool atomic_file_check(const char *path, Error *error);

/// Writes the file's final name, with symbolic links followed, to `target`; "" if the file would be written directly.
bool atomic_file_target(const char *path, char target[FILE_PATH_LENGTH], Error *error);

/// Closes the file, waits until its bytes are on the disk, and renames it to its final name. If the machine stops
/// during the call, this name refers to the old file or to the new one, both complete. If a byte cannot be written, the
/// call fails and the old file does not change.
bool atomic_file_commit(AtomicFile *file, Error *error);

/// As atomic_file_commit, without the wait for the disk, for programs that write many files and then call
/// atomic_file_sync.
bool atomic_file_commit_unsynced(AtomicFile *file, Error *error);

/// Commits two files that belong together: either both get their final names, or neither does and the old files do not
/// change.
bool atomic_file_commit_pair(AtomicFile *first, AtomicFile *second, Error *error);

/// Waits until the bytes of a file are on the disk or, if `path` is a folder, the names of the files in it.
bool atomic_file_sync(const char *path, Error *error);

/// As atomic_file_sync, but also waits after atomic_file_discard_all. For files of atomic_file_open_always.
bool atomic_file_sync_always(const char *path, Error *error);

/// Waits until the name of a file or folder is on the disk: calls atomic_file_sync for the folder that contains it.
bool atomic_file_sync_name(const char *path, Error *error);

/// Closes a file without a commit, and deletes its part file, which has the bytes written so far. Accepts a closed
/// file.
void atomic_file_close(AtomicFile *file);
