// Opens files for reading. Refuses device files such as /dev/zero, whose data never end, before it reads a byte.
#pragma once
#include <stdio.h>

#include "base/error.h"

typedef enum InputKind {
  INPUT_FILE,          // a regular file
  INPUT_FILE_OR_PIPE,  // a regular file, or a pipe
} InputKind;

/// Opens a file for reading, in binary. Fails with the system's message, or if it is a folder, a device, or a pipe when
/// a regular file is expected. The caller closes it.
FILE *input_file_open(const char *path, InputKind kind, Error *error);
