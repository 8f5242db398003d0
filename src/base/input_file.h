// Opens files for reading, but no device files such as /dev/zero, whose data never end.
#pragma once
#include <stdio.h>

#include "base/error.h"

typedef enum InputKind {
  INPUT_FILE,          // a regular file
  INPUT_FILE_OR_PIPE,  // a regular file, or a pipe
} InputKind;

/// Opens a file for reading, in binary; the caller closes it. Fails with the system's message, or if the path is a
/// folder, a device, or a pipe while `kind` is INPUT_FILE.
FILE *input_file_open(const char *path, InputKind kind, Error *error);
