// Reads pictures in Radiance's format .hdr (RGBE, Ward 1991): three 8-bit mantissas and a common exponent per pixel.
// Pliant has its own reader, because the libraries that read this format are large (OpenImageIO), no longer maintained
// (FreeImage), or not packaged by Homebrew (stb).
#pragma once
#include <stdio.h>

#include "base/error.h"

enum { HDR_EDGE_MAX = 32768 };  // largest width and height, pixels

// A picture that is read row by row from the top. The members are for hdr_file.c, except width and height.
typedef struct HdrFile {
  FILE *file;
  const char *path;          // borrowed, for messages
  int width, height;         // pixels
  int row;                   // rows that were read
  unsigned char (*rgbe)[4];  // [width], the last row
} HdrFile;

/// Opens a picture and reads its size. If it fails, nothing must be closed.
bool hdr_file_open(HdrFile *hdr, const char *path, Error *error);

/// Reads the next row: rgb [width], linear, at least 0 and finite. Must be called at most `height` times.
bool hdr_file_row(HdrFile *hdr, float (*rgb)[3], Error *error);
void hdr_file_close(HdrFile *hdr);
