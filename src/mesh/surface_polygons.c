// Reads surfaces of polygons: see surface_polygons.h.
#include "mesh/surface_polygons.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "mesh/merge_positions.h"
#include "mesh/surface_stl.h"
#include "base/array.h"
#include "base/path.h"
#include "base/sort.h"
#include "mesh/format/text.h"

enum { TETGEN_LINE = 2000 };  // TetGen reads at most this many characters as one line

static bool add_vertex(Polygons *p, Text *text, Error *error) {
  void *items = p->X;
  const bool grown = array_reserve(&items, &p->vertex_capacity, p->vertex_count + 1, sizeof *p->X, "vertices", error);
  p->X = items;
  for (int i = 0; grown && i < 3; i++)
    if (!text_double(text, "vertex's coordinate", &p->X[p->vertex_count][i], error)) return false;
  p->vertex_count += grown;
  return grown;
}

static bool add_corner(Polygons *p, int64_t vertex, Error *error) {
  void *items = p->corner;
  const bool grown =
      array_reserve(&items, &p->corner_capacity, p->corner_count + 1, sizeof *p->corner, "corners of faces", error);
  p->corner = items;
  if (grown) p->corner[p->corner_count++] = vertex;
  return grown;
}

// Adds a polygon. Its corners were appended to p->corner, from index `first` to the end. `line` is its line in the
// file.
static bool add_polygon(Polygons *p, int64_t first, int line, Error *error) {
  void *items = p->polygon;
  const bool grown =
      array_reserve(&items, &p->polygon_capacity, p->polygon_count + 1, sizeof *p->polygon, "faces", error);
  p->polygon = items;
  if (grown) p->polygon[p->polygon_count++] = (Polygon){ first, (int)(p->corner_count - first), line };
  return grown;
}

// Reads the corners of a face, after the "f" of its line in an OBJ file. A corner is the number of a vertex, from 1 on;
// a negative number counts backward: -1 is the last vertex so far. Numbers of texture coordinates and normals, after
// slashes, are skipped.
static bool read_obj_face(Polygons *p, Text *text, Error *error) {
  const int64_t first = p->corner_count;
  const char *word;
  int length;
  char shown[TEXT_SHOWN + 4];
  while (!text_line_over(text)) {
    int64_t number = 0;
    if (!text_word(text, "face's corner", &word, &length, error)) return false;
    const char *slash = memchr(word, '/', (size_t)length);
    if (!text_integer(word, slash ? (int)(slash - word) : length, &number) || number == 0 || number < -p->vertex_count)
      return error_set(error, "%s:%d: a face has the corner \"%s\", expected a vertex's number", text->path, text->line,
                       text_shown(word, length, shown));
    if (!add_corner(p, number < 0 ? p->vertex_count + number : number - 1, error)) return false;
  }
  return add_polygon(p, first, text->line, error);
}

static bool read_obj(Polygons *p, Text *text, Error *error) {
  const char *word;
  int length;
  while (text_more_words(text, '#')) {
    if (!text_word(text, "", &word, &length, error)) return false;
    if (length == 1 && word[0] == 'v' && !add_vertex(p, text, error)) return false;
    if (length == 1 && word[0] == 'f' && !read_obj_face(p, text, error)) return false;
    text_skip_line(text);
  }
  return true;
}

static bool read_off(Polygons *p, Text *text, Error *error) {
  int vertices, faces, ignored;
  if (!text_next_word(text, '#', "OFF", error)) return false;
  if (!text_expect(text, "OFF", error)) return false;
  if (!text_next_int(text, '#', "vertex count", 0, INT_MAX, &vertices, error)) return false;
  if (!text_next_int(text, '#', "face count", 0, INT_MAX, &faces, error)) return false;
  if (!text_next_int(text, '#', "edge count", INT_MIN, INT_MAX, &ignored, error)) return false;
  for (int v = 0; v < vertices; v++) {
    text_skip_line(text);  // skip colours or normals after a position
    if (!text_next_word(text, '#', "vertex", error) || !add_vertex(p, text, error)) return false;
  }
  for (int f = 0; f < faces; f++) {
    const int64_t first = p->corner_count;
    int corners;
    text_skip_line(text);
    if (!text_next_word(text, '#', "face", error) ||
        !text_count(text, "count of a face's corners", 0, INT_MAX, 2, &corners, error))
      return false;
    for (int k = 0; k < corners; k++) {
      int64_t vertex;
      if (!text_int64(text, "face's corner", 0, vertices - INT64_C(1), &vertex, error) || !add_corner(p, vertex, error))
        return false;
    }
    if (!add_polygon(p, first, text->line, error)) return false;
  }
  return true;
}

static int digits(int64_t number) {
  int count = 1;
  for (; number > 9; number /= 10) count++;
  return count;
}

static bool check(const Polygons *p, const char *path, Error *error) {
  for (int64_t f = 0; f < p->polygon_count; f++) {
    const Polygon *face = &p->polygon[f];
    int64_t length = 12;
    if (face->count < 3)
      return error_set(error, "%s:%d: the number of corners of a face is %d, expected 3 or more", path, face->line,
                       face->count);
    for (int k = 0; k < face->count; k++) {
      const int64_t vertex = p->corner[face->first + k];
      length += 1 + digits(vertex);
      if (vertex >= p->vertex_count)
        return error_set(error, "%s:%d: a face has the corner %lld, but the file has %lld vertices", path, face->line,
                         (long long)vertex + 1, (long long)p->vertex_count);
    }
    if (length > TETGEN_LINE)
      return error_set(error, "%s:%d: a face has %d corners, too many for TetGen; split it", path, face->line,
                       face->count);
  }
  return p->polygon_count > 0 || error_set(error, "%s: the file has no faces", path);
}

// An edge of a face. Edges are sorted by their vertices.
typedef struct Edge {
  int64_t low, high;  // the two vertices of the edge; low < high
} Edge;

static int compare_edges(const void *a, const void *b) {
  const Edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return x->high < y->high ? -1 : x->high > y->high;
}

// Counts the edges that belong to only one face. *rim gets the first of them. Such an edge is at the rim of a hole in
// the surface.
static bool count_open_edges(const Polygons *p, int64_t *open, Edge *rim, Error *error) {
  Edge *edge = array_new(p->corner_count, sizeof *edge, "edges of faces", error);
  if (!edge) return false;
  int64_t count = 0;
  *open = 0;
  for (int64_t f = 0; f < p->polygon_count; f++)
    for (int k = 0; k < p->polygon[f].count; k++) {
      const int64_t *corner = p->corner + p->polygon[f].first;
      const int64_t a = corner[k], b = corner[(k + 1) % p->polygon[f].count];
      edge[count++] = (Edge){ a < b ? a : b, a < b ? b : a };
    }
  const bool ok = sort_items(edge, count, sizeof *edge, compare_edges, error);
  for (int64_t k = 0; ok && k < count; k++)
    if ((k == 0 || compare_edges(&edge[k - 1], &edge[k]) != 0) &&
        (k + 1 == count || compare_edges(&edge[k], &edge[k + 1]) != 0)) {
      if (*open == 0) *rim = edge[k];
      ++*open;
    }
  free(edge);
  return ok;
}

// Replaces each corner by now[corner]. Then removes corners that are equal to the next corner of their face, and faces
// with fewer than three corners.
static void renumber(Polygons *p, const int64_t *now) {
  int64_t corners = 0, faces = 0;
  for (int64_t f = 0; f < p->polygon_count; f++) {
    const Polygon face = p->polygon[f];
    const int64_t first = corners;
    for (int k = 0; k < face.count; k++) {
      const int64_t corner = now[p->corner[face.first + k]];
      if (corners == first || p->corner[corners - 1] != corner) p->corner[corners++] = corner;
    }
    while (corners > first + 1 && p->corner[corners - 1] == p->corner[first]) corners--;
    if (corners - first < 3)
      corners = first;
    else
      p->polygon[faces++] = (Polygon){ first, (int)(corners - first), face.line };
  }
  p->corner_count = corners;
  p->polygon_count = faces;
}

// Merges vertices at equal positions into one vertex. Programs write such vertices along seams of textures.
static bool join_vertices(Polygons *p, Error *error) {
  int64_t *now = array_new(p->vertex_count, sizeof *now, "vertices", error);
  NumberedPoint *point = array_new(p->vertex_count, sizeof *point, "vertices", error);
  for (int64_t v = 0; now && point && v < p->vertex_count; v++) {
    memcpy(point[v].X, p->X[v], sizeof *p->X);
    point[v].number = v;
  }
  const bool ok = now && point && merge_positions(point, p->vertex_count, p->X, now, &p->vertex_count, error);
  if (ok) renumber(p, now);
  free(now);
  free(point);
  return ok;
}

// Fails if the surface has a hole, also after vertices at equal positions were merged.
static bool check_closed(Polygons *p, const char *path, Error *error) {
  int64_t open;
  Edge rim;
  if (!count_open_edges(p, &open, &rim, error)) return false;
  if (open == 0) return true;
  if (!join_vertices(p, error) || !count_open_edges(p, &open, &rim, error)) return false;
  if (open == 0) return true;
  const double *a = p->X[rim.low], *b = p->X[rim.high];
  return error_set(error,
                   "%s: the surface must be closed, but has a hole: %lld edge%s to only one face, "
                   "the first from (%.5g, %.5g, %.5g) to (%.5g, %.5g, %.5g)",
                   path, (long long)open, open == 1 ? " belongs" : "s belong", a[0], a[1], a[2], b[0], b[1], b[2]);
}

bool polygons_read(const char *path, bool closed, Polygons *polygons, Error *error) {
  Text text = { 0 };
  Polygons made = { 0 };
  bool ok = text_open(&text, path, error);
  ok = ok && (path_ends_with(path, ".obj")   ? read_obj
              : path_ends_with(path, ".stl") ? stl_read
                                             : read_off)(&made, &text, error);
  ok = ok && check(&made, path, error);
  ok = ok && (!closed || check_closed(&made, path, error));
  text_close(&text);
  if (ok)
    *polygons = made;
  else
    polygons_destroy(&made);
  return ok;
}

void polygons_destroy(Polygons *p) {
  free(p->X);
  free(p->corner);
  free(p->polygon);
  *p = (Polygons){ 0 };
}

double polygons_volume(const Polygons *p) {
  double volume = 0;
  for (int64_t f = 0; f < p->polygon_count; f++) {
    const int64_t *corner = p->corner + p->polygon[f].first;
    const double *o = p->X[0];  // reference point near the surface; a distant one would lose digits
    for (int k = 2; k < p->polygon[f].count; k++) {
      double d[3][3];
      for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) d[c][i] = p->X[corner[c == 0 ? 0 : k - 2 + c]][i] - o[i];
      volume += (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                 d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
                6;
    }
  }
  return volume;
}

bool polygons_write_smesh(const Polygons *p, const double (*point)[3], int count, const char *path, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  FILE *file = fopen(path, "w");
  if (!file) return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
  fprintf(file, "%lld 3 0 0\n", (long long)p->vertex_count);
  for (int64_t v = 0; v < p->vertex_count; v++)
    fprintf(file, "%lld %.17g %.17g %.17g\n", (long long)v, p->X[v][0], p->X[v][1], p->X[v][2]);
  fprintf(file, "%lld 0\n", (long long)p->polygon_count);
  for (int64_t f = 0; f < p->polygon_count; f++) {
    fprintf(file, "%d", p->polygon[f].count);
    for (int k = 0; k < p->polygon[f].count; k++) fprintf(file, " %lld", (long long)p->corner[p->polygon[f].first + k]);
    fputs("\n", file);
  }
  fprintf(file, "%d\n", count);
  for (int k = 0; k < count; k++) fprintf(file, "%d %.17g %.17g %.17g\n", k, point[k][0], point[k][1], point[k][2]);
  fputs("0\n", file);  // number of regions with attributes
  const bool written = !ferror(file);
  return (fclose(file) == 0 && written) || error_set(error, "%s: cannot be written: %s", path, strerror(errno));
}
