// A file that appears whole or not at all: it is written under another name and renamed at the end.
#pragma once
#include <stdio.h>

#include "base/error.h"

enum { WHOLE_FILE_PATH = 4096 };

// A zeroed WholeFile is closed.
typedef struct WholeFile {
  FILE *file;                                         // to write into
  char path[WHOLE_FILE_PATH], part[WHOLE_FILE_PATH];  // the name it will have, and has until then
} WholeFile;

/// Opens "path.part" for writing, in binary. Fails with the system's words.
bool whole_file_open(WholeFile *whole, const char *path, Error *error);

/// As whole_file_commit, but what is then there is on the disk, name and all, even if the machine stops right after.
bool whole_file_commit_to_disk(WholeFile *whole, Error *error);

/// Closes it and gives it its name. Fails where a byte of it could not be written.
bool whole_file_commit(WholeFile *whole, Error *error);

/// Drops what was not committed. Takes a closed one too.
void whole_file_close(WholeFile *whole);
