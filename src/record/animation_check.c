// Tests if an animated GIF or WebP file is complete: see animation_check.h.
#include "record/animation_check.h"

#include <stdbool.h>
#include <string.h>

// Moves the position in the file ahead by `count` bytes. Moving beyond the end of the file succeeds too, but the next
// read then fails.
static bool skip(FILE *file, int64_t count) {
  return fseeko(file, (off_t)count, SEEK_CUR) == 0;
}

// Skips the sub-blocks of a GIF block: each begins with its length, and length 0 ends the list.
static bool skip_sub_blocks(FILE *file) {
  for (int length; (length = getc(file)) > 0;)
    if (!skip(file, length)) return false;
  return !feof(file);
}

// Returns the size of a GIF colour table, bytes. If bit 7 of `flags` is set, the table has 2^(n + 1) colours of 3
// bytes, where n is the number in bits 0 to 2; otherwise there is no table.
static int table_bytes(int flags) {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

// Skips a picture of a GIF: position and size (8 bytes), flags, colours, a code size and the data.
static bool skip_picture(FILE *file) {
  if (!skip(file, 8)) return false;
  const int flags = getc(file);
  return flags != EOF && skip(file, table_bytes(flags) + 1) && skip_sub_blocks(file);
}

const char *gif_fault(FILE *file, int64_t pictures) {
  unsigned char head[13];
  int64_t found = 0;
  rewind(file);
  if (fread(head, 1, sizeof head, file) != sizeof head) return "is cut off";
  if (memcmp(head, "GIF89a", 6) != 0 || !skip(file, table_bytes(head[10]))) return "is no GIF file";
  for (;;) {
    const int kind = getc(file);
    bool good = true;
    if (kind == ';') break;  // this byte ends a GIF file
    if (kind == ',')
      good = skip_picture(file) && ++found;
    else if (kind == '!')  // an extension block: a byte for its kind, then sub-blocks of data
      good = skip(file, 1) && skip_sub_blocks(file);
    else
      return "is cut off";
    if (!good) return "is cut off";
  }
  return found < 1 || found > pictures ? "does not contain all frames" : NULL;
}

static int64_t little_endian(const unsigned char *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (int64_t)bytes[3] << 24;
}

// A WebP file is a RIFF file: chunks with name (4 bytes), size (4 bytes) and data of even length. A picture is a chunk
// ANMF in an animation, and VP8 or VP8L in a file with one picture.
const char *webp_fault(FILE *file, int64_t pictures) {
  unsigned char head[12];
  int64_t found = 0;
  if (fseeko(file, 0, SEEK_END) != 0) return "cannot be read back";
  const int64_t end = (int64_t)ftello(file);
  rewind(file);
  if (fread(head, 1, sizeof head, file) != sizeof head) return "is cut off";
  if (memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WEBP", 4) != 0) return "is no WebP file";
  if (little_endian(head + 4) + 8 != end) return "is cut off";
  for (int64_t at = sizeof head; at < end;) {
    unsigned char chunk[8];
    if (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(chunk, 1, sizeof chunk, file) != sizeof chunk)
      return "is cut off";
    found += memcmp(chunk, "ANMF", 4) == 0 || memcmp(chunk, "VP8 ", 4) == 0 || memcmp(chunk, "VP8L", 4) == 0;
    const int64_t size = little_endian(chunk + 4);
    at += 8 + size + size % 2;
    if (at > end) return "is cut off";
  }
  return found < 1 || found > pictures ? "does not contain all frames" : NULL;
}
