// Names of new files: see file_name.h.
#include "base/file_name.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NUMBERS_MAX = 10000 };

void file_stem(const char *path, char stem[FILE_STEM]) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  snprintf(stem, FILE_STEM, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

bool file_name_free(const char *path, const char *ending, char name[PATH_LENGTH], Error *error) {
  char stem[FILE_STEM];
  file_stem(path, stem);
  for (int number = 1; number < NUMBERS_MAX; number++) {
    snprintf(name, PATH_LENGTH, "%s-%d%s", stem, number, ending);
    if (access(name, F_OK) != 0) return true;
  }
  return error_set(error, "cannot find a free file name: %.300s and all lower numbers exist", name);
}
