// Compresses pictures as JPEG, by libjpeg-turbo.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// A zeroed Jpeg is empty.
typedef struct Jpeg {
  unsigned char *bytes;  // [size], the compressed picture, owned
  unsigned long size;
} Jpeg;

/// Compresses a picture, [height][width][4] bytes RGBA, upper row first, without A. quality: 1 to 100. Replaces the
/// contents of *jpeg.
bool jpeg_compress(Jpeg *jpeg, const uint8_t *rgba, int width, int height, int quality, Error *error);
void jpeg_free(Jpeg *jpeg);
