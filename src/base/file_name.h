// Names of new files.
#pragma once
#include "base/error.h"
#include "base/path.h"

enum { FILE_STEM = 200 };  // bytes of the longest name without folder and ending, with its zero byte

/// Writes a path's file name without folder and ending: "hand" for "scenes/hand.json".
void file_stem(const char *path, char stem[FILE_STEM]);

/// Writes the name of a file that does not exist in the working directory: the stem of `path`, a number, and `ending`,
/// such as "hand-1.png". Fails if all names with numbers below 10,000 exist.
bool file_name_free(const char *path, const char *ending, char name[PATH_LENGTH], Error *error);
