// Reads Radiance pictures: see hdr_file.h.
#include "render/hdr_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/input_file.h"

// Reads a line of the header without its end. Returns false at the end of the file, or if the line is too long.
static bool read_line(FILE *file, char line[256]) {
  if (!fgets(line, 256, file)) return false;
  const size_t length = strcspn(line, "\n");
  const bool whole = line[length] == '\n';
  line[length] = '\0';
  return whole;
}

// Reads the header: a mark, lines such as FORMAT=..., an empty line, and the size.
static bool read_header(HdrFile *hdr, Error *error) {
  char line[256], end;
  if (!read_line(hdr->file, line) || strncmp(line, "#?", 2) != 0)
    return error_set(error, "%s: is not a picture in Radiance's format .hdr", hdr->path);
  while (line[0]) {
    if (!read_line(hdr->file, line)) return error_set(error, "%s: the header has no end", hdr->path);
    if (strncmp(line, "FORMAT=", 7) == 0 && strcmp(line, "FORMAT=32-bit_rle_rgbe") != 0)
      return error_set(error, "%s: has pixels of the format %.60s, expected 32-bit_rle_rgbe", hdr->path, line + 7);
  }
  if (!read_line(hdr->file, line) || sscanf(line, "-Y %5d +X %5d %c", &hdr->height, &hdr->width, &end) != 2)
    return error_set(error, "%s: the size is \"%.60s\", expected \"-Y height +X width\"", hdr->path, line);
  if (hdr->width < 1 || hdr->height < 1 || hdr->width > HDR_EDGE_MAX || hdr->height > HDR_EDGE_MAX)
    return error_set(error, "%s: has %d x %d pixels, expected 1 to %d along each edge", hdr->path, hdr->width,
                     hdr->height, HDR_EDGE_MAX);
  return true;
}

bool hdr_file_open(HdrFile *hdr, const char *path, Error *error) {
  *hdr = (HdrFile){ .path = path, .file = input_file_open(path, INPUT_FILE, error) };
  if (!hdr->file) return false;
  if (read_header(hdr, error) && (hdr->rgbe = array_new(hdr->width, sizeof *hdr->rgbe, "a row of a picture", error)))
    return true;
  hdr_file_close(hdr);
  return false;
}

void hdr_file_close(HdrFile *hdr) {
  if (hdr->file) fclose(hdr->file);
  free(hdr->rgbe);
  *hdr = (HdrFile){ 0 };
}

// Reads one component of all pixels of a row: runs of equal bytes, and bytes that are stored one by one.
static bool read_component(HdrFile *hdr, int component) {
  for (int x = 0; x < hdr->width;) {
    const int head = getc(hdr->file), count = head > 128 ? head - 128 : head;
    if (head <= 0 || count > hdr->width - x) return false;
    int value = 0;
    for (int k = 0; k < count; k++) {
      if ((head <= 128 || k == 0) && (value = getc(hdr->file)) == EOF) return false;
      hdr->rgbe[x++][component] = (unsigned char)value;
    }
  }
  return true;
}

// Reads a row of pixels, of which the first is `pixel`. A pixel with the mantissas 1, 1, 1 repeats the pixel before it.
static bool read_pixels(HdrFile *hdr, unsigned char pixel[4]) {
  int shift = 0;
  for (int x = 0; x < hdr->width;) {
    const bool repeats = pixel[0] == 1 && pixel[1] == 1 && pixel[2] == 1;
    const int64_t count = repeats ? (int64_t)pixel[3] << shift : 1;
    if (count > hdr->width - x || (repeats && (x == 0 || shift > 16))) return false;
    for (int64_t k = 0; k < count; k++, x++) memcpy(hdr->rgbe[x], repeats ? hdr->rgbe[x - 1] : pixel, 4);
    shift = repeats ? shift + 8 : 0;
    if (x < hdr->width && fread(pixel, 1, 4, hdr->file) != 4) return false;
  }
  return true;
}

bool hdr_file_row(HdrFile *hdr, float (*rgb)[3], Error *error) {
  unsigned char first[4];
  bool ok = fread(first, 1, 4, hdr->file) == 4;
  const bool packed = ok && hdr->width >= 8 && hdr->width < 32768 && first[0] == 2 && first[1] == 2 && first[2] < 128;
  if (packed) {
    ok = first[2] << 8 == (hdr->width & ~255) && first[3] == (hdr->width & 255);
    for (int c = 0; ok && c < 4; c++) ok = read_component(hdr, c);
  } else if (ok) {
    ok = read_pixels(hdr, first);
  }
  hdr->row++;
  if (!ok)
    return error_set(error, "%s: %s in row %d of %d", hdr->path, feof(hdr->file) ? "ends" : "is damaged", hdr->row,
                     hdr->height);
  for (int x = 0; x < hdr->width; x++)
    for (int c = 0; c < 3; c++) rgb[x][c] = (float)ldexp(hdr->rgbe[x][c], hdr->rgbe[x][3] - (128 + 8));
  return true;
}
