// Paths of files.
#pragma once
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { PATH_LENGTH = 1024 };  // of the longest path that a user can give, its zero byte included

/// Whether the name has something before this ending, such as ".msh", in capitals or not.
static inline bool path_ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcasecmp(path + length - tail, ending) == 0;
}
