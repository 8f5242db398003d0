// A file that appears whole or not at all: it is written under another name and renamed at the end. What is no regular file,
// such as /dev/null or a pipe, is written as it is, never replaced.
#pragma once
#include <stdio.h>

#include "base/error.h"

enum { WHOLE_FILE_PATH = 4096 };

// A zeroed WholeFile is closed.
typedef struct WholeFile {
  FILE *file;                       // to write into; where it has another name until it is whole, also to read back
  char path[WHOLE_FILE_PATH];       // as given
  char target[WHOLE_FILE_PATH];     // the name it will have, symbolic links followed; empty: written as it is
  char part[WHOLE_FILE_PATH + 16];  // and has until then: target, a random number, ".part"
} WholeFile;

/// Opens it for writing, in binary. The file that stands there stays until the commit, and hands down its mode. Fails with
/// the system's words; a folder, a disk and a link to nothing are refused.
bool whole_file_open(WholeFile *whole, const char *path, Error *error);

/// Whether it could be opened; leaves everything as it was.
bool whole_file_check(const char *path, Error *error);

/// Closes it and gives it its name, once its bytes are on the disk: whatever happens to the machine, under this name stands
/// the old file or the new one, and when it returns the new one. Fails where a byte of it could not be written, and the old
/// one stays.
bool whole_file_commit(WholeFile *whole, Error *error);

/// As whole_file_commit, but does not wait for the disk: for one of many, which whole_file_sync sees to later.
bool whole_file_commit_unsynced(WholeFile *whole, Error *error);

/// Two files that belong together: both get their names, or neither.
bool whole_file_commit_pair(WholeFile *first, WholeFile *second, Error *error);

/// What was written to this file, or the names in this folder, is on the disk when it returns.
bool whole_file_sync(const char *path, Error *error);

/// The name of this file or folder is on the disk when it returns.
bool whole_file_sync_name(const char *path, Error *error);

/// Drops what was not committed. Takes a closed one too.
void whole_file_close(WholeFile *whole);
