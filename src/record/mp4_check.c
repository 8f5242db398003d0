// Tests MP4 files (ISO/IEC 14496-12): see mp4_check.h. A file consists of boxes: size (4 bytes, big-endian), name (4
// bytes) and contents, which may be boxes. A size of 1 means that the true size is in the 8 bytes after the name.
#include "record/mp4_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A box of an MP4 file: a part of the file with a name and a size.
typedef struct Box {
  char name[5];
  uint64_t at, end;  // offsets in the file at which the box's contents begin and end
} Box;

static uint64_t big_endian(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  for (int k = 0; k < count; k++) value = value << 8 | bytes[k];
  return value;
}

// Reads the box at offset `at` from its first 16 bytes `head`. Returns false if the box extends beyond offset `end`.
static bool box_read(const unsigned char head[16], uint64_t at, uint64_t end, Box *box) {
  uint64_t size = big_endian(head, 4);
  const uint64_t head_size = size == 1 ? 16 : 8;
  if (size == 1) size = big_endian(head + 8, 8);
  memcpy(box->name, head + 4, 4);
  box->name[4] = '\0';
  box->at = at + head_size;
  box->end = at + size;
  return size >= head_size && size <= end - at;
}

// Finds the first box (section of an MP4 file) with the name `name` between the offsets `at` and `end` - 1 of `bytes`.
static bool box_find(const unsigned char *bytes, uint64_t at, uint64_t end, const char *name, Box *box) {
  while (at < end) {
    unsigned char head[16] = { 0 };
    memcpy(head, bytes + at, end - at < sizeof head ? end - at : sizeof head);
    if (!box_read(head, at, end, box)) return false;
    if (strcmp(box->name, name) == 0) return true;
    at = box->end;
  }
  return false;
}

// Tests the index of a film, which is in the box moov; moov [size] are the contents of this box. Returns true if the
// index lists `pictures` pictures, if they are together not larger than the contents of the box `data`, and if all
// chunks (groups of consecutive pictures) begin within these contents.
static bool index_is_good(const unsigned char *moov, uint64_t size, int64_t pictures, const Box *data) {
  static const char *const path[] = { "trak", "mdia", "minf", "stbl" };
  Box box = { .at = 0, .end = size }, sizes, chunks;
  for (int k = 0; k < 4; k++)
    if (!box_find(moov, box.at, box.end, path[k], &box)) return false;

  // The box stsz has, in 4 bytes each: a version; the size of all pictures if they have the same size, otherwise 0; the
  // number of pictures; and, if their sizes differ, the size of each picture.
  if (!box_find(moov, box.at, box.end, "stsz", &sizes) || sizes.end - sizes.at < 12) return false;
  const uint64_t same = big_endian(moov + sizes.at + 4, 4), count = big_endian(moov + sizes.at + 8, 4);
  if (count != (uint64_t)pictures || (!same && sizes.end - sizes.at < 12 + 4 * count)) return false;
  uint64_t total = same * count;
  for (uint64_t k = 0; !same && k < count; k++) total += big_endian(moov + sizes.at + 12 + 4 * k, 4);
  if (total == 0 || total > data->end - data->at) return false;

  // The box stco has a version and a count, in 4 bytes each, and then the offset of each chunk in 4 bytes. In large
  // files the box co64 replaces it, with offsets of 8 bytes.
  const bool wide = !box_find(moov, box.at, box.end, "stco", &chunks);
  const int each = wide ? 8 : 4;
  if (wide && !box_find(moov, box.at, box.end, "co64", &chunks)) return false;
  if (chunks.end - chunks.at < 8) return false;
  const uint64_t chunk_count = big_endian(moov + chunks.at + 4, 4);
  if (chunk_count == 0 || (chunks.end - chunks.at - 8) / (uint64_t)each < chunk_count) return false;
  for (uint64_t k = 0; k < chunk_count; k++) {
    const uint64_t offset = big_endian(moov + chunks.at + 8 + (uint64_t)each * k, each);
    if (offset < data->at || offset >= data->end) return false;
  }
  return true;
}

const char *mp4_fault(FILE *file, int64_t pictures) {
  Box ftyp = { 0 }, moov = { 0 }, mdat = { 0 };
  if (fseeko(file, 0, SEEK_END) != 0) return "cannot be read back";
  const uint64_t end = (uint64_t)ftello(file);
  if (end == 0) return "is empty";
  for (uint64_t at = 0; at < end;) {
    unsigned char head[16] = { 0 };
    Box box;
    if (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(head, 1, sizeof head, file) < 8) return "is cut off";
    if (!box_read(head, at, end, &box)) return "is cut off";
    if (strcmp(box.name, "ftyp") == 0) ftyp = box;
    if (strcmp(box.name, "moov") == 0) moov = box;
    if (strcmp(box.name, "mdat") == 0) mdat = box;
    at = box.end;
  }

  if (!ftyp.end || !mdat.end) return "has no frames";
  if (!moov.end) return "has no index";
  const size_t size = (size_t)(moov.end - moov.at);
  unsigned char *index = malloc(size ? size : 1);
  if (!index) return "has an index that does not fit into memory";
  const bool good = fseeko(file, (off_t)moov.at, SEEK_SET) == 0 && fread(index, 1, size, file) == size &&
                    index_is_good(index, size, pictures, &mdat);
  free(index);
  return good ? NULL : "has an index that does not list all frames";
}
