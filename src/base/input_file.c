// Opens files for reading: see input_file.h.
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *input_file_open(const char *path, InputKind kind, Error *error) {
  if (!path[0]) {
    error_set(error, "the name of a file is empty; give the path of a file");
    return NULL;
  }
  struct stat status;
  const char *expected = kind == INPUT_FILE ? "a file" : "a file or a pipe", *is = NULL;

  // opening a pipe waits for its other end; do not wait if only a regular file is allowed
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (kind == INPUT_FILE ? O_NONBLOCK : 0));
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    error_set(error, "%s: %s", path, strerror(errno));
    if (descriptor >= 0) close(descriptor);
    return NULL;
  }

  const bool is_pipe = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  if (S_ISDIR(status.st_mode))
    is = "is a folder";
  else if (is_pipe && kind == INPUT_FILE)
    is = "is a pipe";
  else if (!S_ISREG(status.st_mode) && !is_pipe)
    is = "is a device";
  FILE *file = is ? NULL : fdopen(descriptor, "rb");
  if (file) return file;
  if (is)
    error_set(error, "%s: %s, expected %s", path, is, expected);
  else
    error_set(error, "%s: %s", path, strerror(errno));
  close(descriptor);
  return NULL;
}
