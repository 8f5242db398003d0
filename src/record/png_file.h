// Writes and reads pictures as PNG files.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Writes [height][width][4] bytes RGBA, upper row first, as an 8-bit RGB file, without alpha. The file appears
/// completely or not at all. Its data may reach the disk later; atomic_file_sync waits for this. The error message
/// contains the path and the cause.
bool png_write(const char *path, const uint8_t *rgba, int width, int height, Error *error);

/// Reads a picture of width x height pixels as bytes RGBA, upper row first. Fails if the file has another size.
bool png_read(const char *path, uint8_t *rgba, int width, int height, Error *error);

/// As png_write, for the picture in the window, whose OpenGL context must be current.
bool png_write_window(const char *path, int width, int height, Error *error);
