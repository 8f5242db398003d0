// Paths of files.
#pragma once
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { PATH_LENGTH = 1024 };  // length of the longest path that a user can give, with its zero byte

/// Returns true if the path ends with `ending`, such as ".msh", in upper or lower case, and has characters before it.
static inline bool path_ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcasecmp(path + length - tail, ending) == 0;
}
