// Reads STL files: see surface_stl.h.
#include "mesh/surface_stl.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/format/binary.h"
#include "mesh/merge_positions.h"

// A binary STL file begins with HEADER bytes of any content and the number of triangles in 4 bytes, HEAD bytes in
// total. RECORD bytes follow for each triangle: a normal of 12 bytes, three corners of 12 bytes each from byte
// CORNERS_AT on, and two unused bytes.
enum { HEADER = 80, HEAD = HEADER + 4, RECORD = 50, CORNERS_AT = 12 };

// Merges corners at equal positions into one vertex, and drops triangles that then have two equal vertices. `corner`
// lists the corners of `count` triangles, three for each, numbered in the order of the file. line [count] is the line
// of each triangle in the file.
static bool join(NumberedPoint *corner, int64_t count, const int *line, Polygons *p, Error *error) {
  int64_t *vertex = array_new(3 * count, sizeof *vertex, "corners of faces", error);
  p->X = array_new(3 * count, sizeof *p->X, "vertices", error);
  p->corner = array_new(3 * count, sizeof *p->corner, "corners of faces", error);
  p->polygon = array_new(count, sizeof *p->polygon, "faces", error);
  const bool ok = vertex && p->X && p->corner && p->polygon &&
                  merge_positions(corner, 3 * count, p->X, vertex, &p->vertex_count, error);
  for (int64_t t = 0; ok && t < count; t++) {
    const int64_t *of = vertex + 3 * t;
    if (of[0] == of[1] || of[1] == of[2] || of[2] == of[0]) continue;
    memcpy(p->corner + p->corner_count, of, 3 * sizeof *of);
    p->polygon[p->polygon_count++] = (Polygon){ p->corner_count, 3, line ? line[t] : 0 };
    p->corner_count += 3;
  }
  free(vertex);
  return ok;
}

static bool read_binary(Polygons *p, const Text *text, const unsigned char *bytes, int64_t count, Error *error) {
  const bool swap = machine_is_big_endian();
  NumberedPoint *corner = array_new(3 * count, sizeof *corner, "corners of faces", error);
  bool ok = corner != NULL;
  for (int64_t k = 0; ok && k < 3 * count; k++) {
    const int64_t at = HEAD + RECORD * (k / 3) + CORNERS_AT + 12 * (k % 3);
    corner[k].number = k;
    for (int i = 0; i < 3; i++) corner[k].X[i] = binary_f32(bytes + at + 4 * i, swap);
    if (!isfinite(corner[k].X[0]) || !isfinite(corner[k].X[1]) || !isfinite(corner[k].X[2]))
      ok = error_set(error, "%s: byte %lld: a corner of triangle %lld is not finite", text->path, (long long)at,
                     (long long)(k / 3) + 1);
  }
  ok = ok && join(corner, count, NULL, p, error);
  free(corner);
  return ok;
}

// Reads an ASCII file. Only the lines "vertex x y z" are read; each triangle has three.
static bool read_words(Polygons *p, Text *text, Error *error) {
  void *corners = NULL, *lines = NULL;
  int64_t count = 0, capacity = 0, line_capacity = 0;
  bool ok = true;
  while (ok && text_more_words(text, 0)) {
    const char *word;
    int length;
    ok = text_word(text, "", &word, &length, error);
    if (ok && text_is(word, length, "vertex")) {
      ok = array_reserve(&corners, &capacity, count + 1, sizeof(NumberedPoint), "corners of faces", error) &&
           array_reserve(&lines, &line_capacity, count / 3 + 1, sizeof(int), "faces", error);
      NumberedPoint *corner = ok ? (NumberedPoint *)corners + count : NULL;
      for (int i = 0; ok && i < 3; i++) ok = text_double(text, "vertex's coordinate", &corner->X[i], error);
      if (ok) {
        corner->number = count;
        ((int *)lines)[count / 3] = text->line;
        count++;
      }
    } else if (ok && text_is(word, length, "endfacet") && count % 3 != 0) {
      ok = error_set(error, "%s:%d: a facet needs three corners", text->path, text->line);
    }
    text_skip_line(text);
  }

  if (ok && count % 3 != 0) ok = error_set(error, "%s:%d: the file ends within a facet", text->path, text->line);
  ok = ok && join(corners, count / 3, lines, p, error);
  free(corners);
  free(lines);
  return ok;
}

bool stl_read(Polygons *p, Text *text, Error *error) {
  const unsigned char *bytes = (const unsigned char *)text->data + 1;
  const int64_t size = text->end - text->data - 1;

  // Some binary files begin with "solid", as ASCII files do. So the file is binary if its length fits the number of
  // triangles in its header.
  const int64_t count = size >= HEAD ? (int64_t)binary_u32(bytes + HEADER, machine_is_big_endian()) : -1;
  if (count >= 0 && size == HEAD + RECORD * count) return read_binary(p, text, bytes, count, error);
  const unsigned char *first = bytes;
  while (first < bytes + size && strchr(" \t\r\n", *first)) first++;
  const bool solid = bytes + size - first >= 5 && text_is((const char *)first, 5, "solid");

  // binary files, also incomplete ones, have zero bytes; text files have none
  if (solid && (count < 0 || !memchr(bytes, 0, (size_t)size))) return read_words(p, text, error);
  if (count >= 0)
    return error_set(error,
                     "%s: the binary STL file has %lld bytes, but its %lld triangles need %lld bytes: the file is "
                     "damaged or incomplete",
                     text->path, (long long)size, (long long)count, (long long)(HEAD + RECORD * count));
  return error_set(
      error,
      "%s: is not an STL file: it does not begin with \"solid\", and is shorter than the header of a binary file",
      text->path);
}
