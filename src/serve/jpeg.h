// Compresses pictures as JPEG, by libjpeg-turbo.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// A compressed picture. Zeroed: empty.
typedef struct Jpeg {
  unsigned char *bytes;  // [size], the compressed picture, owned
  unsigned long size;
} Jpeg;

/// Compresses a picture, [height][width][4] bytes RGBA, upper row first; alpha is ignored. quality: 1 to 100. Replaces
/// the contents of *jpeg.
bool jpeg_compress(Jpeg *jpeg, const uint8_t *rgba, int width, int height, int quality, Error *error);
void jpeg_free(Jpeg *jpeg);
