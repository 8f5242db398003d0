// Legacy VTK files. They begin with four lines: "# vtk DataFile Version N", a title, ASCII or BINARY, and DATASET
// UNSTRUCTURED_GRID. Then come the sections
//   POINTS count type      and the numbers x y z of each point
//   CELLS count size       up to version 4: for each cell its number of nodes, then the nodes; `size` ints in all
//   CELLS offsets size     from version 5 on: OFFSETS type, then `offsets` numbers; CONNECTIVITY type, `size` numbers
//   CELL_TYPES count       and one int for each cell
// In binary files, the numbers follow after the end of such a line, with the most significant byte first (big-endian).
#include "mesh/format/vtk.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "mesh/format/binary.h"
#include "mesh/format/vtk_cells.h"

// Data that the reader keeps while it reads a file.
typedef struct Vtk {
  Text text;
  MeshBuilder builder;
  int version;
  bool binary;
  int64_t *numbers;  // the numbers of section CELLS, in files up to version 4
  int64_t number_count;
  int64_t *offset;        // [cell_count + 1], index in `connectivity` of each cell's first node
  int64_t *connectivity;  // [connectivity_count], nodes of all cells, one cell after the other
  int64_t cell_count, connectivity_count;
  int64_t *type;  // [type_count], VTK's number of each cell's type, such as 10 for a tet
  int64_t type_count;
} Vtk;

// Returns the number of bytes that a value of this data type has in binary files; 0 if the type is unknown. *real
// becomes true for floating-point types, false for integers.
static int type_size(const char *word, int length, bool *real) {
  static const struct {
    const char *name;
    int size;
    bool real;
  } types[] = { { "float", 4, true },         { "double", 8, true },        { "int", 4, false },
                { "unsigned_int", 4, false }, { "long", 8, false },         { "unsigned_long", 8, false },
                { "vtktypeint64", 8, false }, { "vtktypeint32", 4, false }, { "vtkIdType", 8, false } };
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (text_is(word, length, types[k].name)) {
      *real = types[k].real;
      return types[k].size;
    }
  return 0;
}

static bool read_type(Vtk *v, int *size, bool *real, Error *error) {
  Text *text = &v->text;
  const char *word;
  int length;
  char copy[TEXT_SHOWN + 4];
  if (!text_word(text, "data type", &word, &length, error)) return false;
  *size = type_size(word, length, real);
  return *size || error_set(error, "%s:%d: data type \"%s\", expected one such as double or vtktypeint64", text->path,
                            text->line, text_shown(word, length, copy));
}

// Reads `count` integers into a new array *out. In binary files each integer has `size` bytes.
static bool read_integers(Vtk *v, const char *what, int64_t count, int size, int64_t **out, Error *error) {
  Text *text = &v->text;
  const unsigned char *bytes;
  const bool swap = !machine_is_big_endian();
  if (*out) return error_set(error, "%s:%d: the file lists %s a second time", text->path, text->line, what);
  if (v->binary) {
    if (!text_begin_binary(text, what, error) || !text_bytes(text, what, count, size, &bytes, error)) return false;
  } else if (count > (text->end - text->at) / 2 + 1) {
    return error_set(error, "%s:%d: expected %lld numbers for %s, but only %lld bytes are left in the file", text->path,
                     text->line, (long long)count, what, (long long)(text->end - text->at));
  }
  *out = array_new(count, sizeof **out, what, error);
  if (!*out) return false;
  for (int64_t k = 0; k < count && !interrupt_requested(); k++)
    if (v->binary)
      (*out)[k] = size == 4 ? binary_i32(bytes + 4 * k, swap) : binary_i64(bytes + 8 * k, swap);
    else if (!text_next_word(text, 0, what, error) || !text_int64(text, what, INT64_MIN, INT64_MAX, &(*out)[k], error))
      return false;
  return interrupt_check(error);
}

static bool read_points(Vtk *v, Error *error) {
  Text *text = &v->text;
  MeshBuilder *b = &v->builder;
  const unsigned char *bytes = NULL;
  const bool swap = !machine_is_big_endian();
  int count, size;
  bool real;
  if (!text_count(text, "point count", 0, MESH_MAX_NODES, 6, &count, error) || !read_type(v, &size, &real, error))
    return false;
  if (!real)
    return error_set(error, "%s:%d: the points have an integer type, expected float or double", text->path, text->line);
  if (v->binary && (!text_begin_binary(text, "points", error) ||
                    !text_bytes(text, "points", count, 3 * (int64_t)size, &bytes, error)))
    return false;
  if (!builder_nodes(b, count, error)) return false;
  for (int a = 0; a < count && !interrupt_requested(); a++) {
    b->mesh.node_tag[a] = a;
    for (int i = 0; i < 3; i++) {
      const int64_t k = 3 * (int64_t)a + i;
      if (v->binary)
        b->mesh.X[a][i] = size == 4 ? (double)binary_f32(bytes + 4 * k, swap) : binary_f64(bytes + 8 * k, swap);
      else if (!text_next_word(text, 0, "point's coordinate", error) ||
               !text_double(text, "point's coordinate", &b->mesh.X[a][i], error))
        return false;
    }
  }
  return builder_index(b, error);
}

static bool read_cells(Vtk *v, Error *error) {
  Text *text = &v->text;
  int64_t first, second;
  int size;
  bool real;
  if (!text_int64(text, "cell count", 0, MESH_MAX_TETS, &first, error) ||
      !text_int64(text, "size of the cells", 0, INT64_MAX / 16, &second, error))
    return false;
  if (v->version < 5) {
    v->cell_count = first;
    v->number_count = second;
    return read_integers(v, "cells", second, 4, &v->numbers, error);
  }
  v->cell_count = first > 0 ? first - 1 : 0;
  v->connectivity_count = second;
  if (!text_next_word(text, 0, "OFFSETS", error)) return false;
  if (!text_expect(text, "OFFSETS", error)) return false;
  if (!read_type(v, &size, &real, error)) return false;
  if (!read_integers(v, "offsets", first, size, &v->offset, error)) return false;
  if (!text_next_word(text, 0, "CONNECTIVITY", error)) return false;
  if (!text_expect(text, "CONNECTIVITY", error)) return false;
  if (!read_type(v, &size, &real, error)) return false;
  return read_integers(v, "connectivity", second, size, &v->connectivity, error);
}

// Skips the section METADATA, which ends with an empty line.
static void skip_metadata(Text *text) {
  for (;;) {
    text_skip_line(text);
    if (text->at == text->end) return;
    text->at++;
    text->line++;
    const char *at = text->at;
    while (*at == ' ' || *at == '\r' || *at == '\t') at++;
    if (*at == '\n' || at == text->end) return;
  }
}

static bool read_head(Vtk *v, Error *error) {
  Text *text = &v->text;
  const char *word;
  int length, major = 0;
  char copy[TEXT_SHOWN + 4];
  if (!text_next_line(text, "# vtk DataFile Version", error)) return false;
  if (sscanf(text->at, "# vtk DataFile Version %d", &major) != 1 || major < 1 || major > 5)
    return error_set(error,
                     "%s:%d: expected \"# vtk DataFile Version\" and a number from 1 to 5 (is this a legacy VTK file?)",
                     text->path, text->line);
  v->version = major;
  text_skip_line(text);

  // skip the second line, the title, which may be empty
  if (text->at < text->end) {
    text->at++;
    text->line++;
  }
  text_skip_line(text);
  if (!text_next_word(text, 0, "ASCII or BINARY", error) || !text_word(text, "ASCII or BINARY", &word, &length, error))
    return false;
  v->binary = text_is(word, length, "BINARY");
  if (!v->binary && !text_is(word, length, "ASCII"))
    return error_set(error, "%s:%d: \"%s\", expected ASCII or BINARY", text->path, text->line,
                     text_shown(word, length, copy));
  if (!text_next_word(text, 0, "DATASET", error) || !text_expect(text, "DATASET", error) ||
      !text_word(text, "UNSTRUCTURED_GRID", &word, &length, error))
    return false;
  if (!text_is(word, length, "UNSTRUCTURED_GRID"))
    return error_set(error,
                     "%s:%d: the dataset has the type %s, expected UNSTRUCTURED_GRID, which can hold tetrahedra%s",
                     text->path, text->line, text_shown(word, length, copy),
                     text_is(word, length, "POLYDATA") ? "; fill a closed surface with `pliant tetrahedralize`" : "");
  return true;
}

static bool read_body(Vtk *v, Error *error) {
  Text *text = &v->text;
  const char *word;
  int length;
  char copy[TEXT_SHOWN + 4];
  while (text_more_words(text, 0)) {
    if (!text_word(text, "a keyword", &word, &length, error)) return false;
    if (text_is(word, length, "POINTS")) {
      if (!read_points(v, error)) return false;
    } else if (text_is(word, length, "CELLS")) {
      if (!read_cells(v, error)) return false;
    } else if (text_is(word, length, "CELL_TYPES")) {
      if (!text_int64(text, "cell count", 0, MESH_MAX_TETS, &v->type_count, error) ||
          !read_integers(v, "cell types", v->type_count, 4, &v->type, error))
        return false;
    } else if (text_is(word, length, "METADATA")) {
      skip_metadata(text);
    } else if (text_is(word, length, "POINT_DATA") || text_is(word, length, "CELL_DATA") ||
               text_is(word, length, "FIELD")) {
      return true;  // the grid is complete; fields follow
    } else {
      return error_set(error, "%s:%d: \"%s\", expected POINTS, CELLS or CELL_TYPES", text->path, text->line,
                       text_shown(word, length, copy));
    }
  }
  return true;
}

static bool add_cells(Vtk *v, Error *error) {
  MeshBuilder *b = &v->builder;
  int64_t at = 0;
  b->text = NULL;  // the file has been read, so messages from here on name no line
  if (!b->has_nodes || (!v->numbers && !v->offset) || !v->type)
    return error_set(error, "%s: the file ends without %s", b->path,
                     !b->has_nodes ? "POINTS"
                     : !v->type    ? "CELL_TYPES"
                                   : "CELLS");
  if (v->type_count != v->cell_count)
    return error_set(error, "%s: CELL_TYPES has %lld entries, but the number of cells in CELLS is %lld", b->path,
                     (long long)v->type_count, (long long)v->cell_count);
  for (int64_t c = 0; c < v->cell_count; c++) {
    const int64_t *nodes;
    int64_t count;
    if (v->offset) {
      if (v->offset[c] < 0 || v->offset[c + 1] < v->offset[c] || v->offset[c + 1] > v->connectivity_count)
        return error_set(error, "%s: the offsets of cell %lld are %lld and %lld, expected ascending offsets up to %lld",
                         b->path, (long long)c, (long long)v->offset[c], (long long)v->offset[c + 1],
                         (long long)v->connectivity_count);
      count = v->offset[c + 1] - v->offset[c];
      nodes = v->connectivity + v->offset[c];
    } else {
      count = at < v->number_count ? v->numbers[at] : -1;
      if (count < 0 || count > v->number_count - at - 1)
        return error_set(error, "%s: CELLS has %lld numbers; the node count of cell %lld is missing or wrong", b->path,
                         (long long)v->number_count, (long long)c);
      nodes = v->numbers + at + 1;
      at += 1 + count;
    }
    const int64_t type = v->type[c];
    if (!vtk_cell(b, c, type >= 0 && type < 256 ? (int)type : 0, nodes, count, error)) return false;
  }
  return true;
}

bool vtk_read(const char *path, TetMesh *mesh, Error *error) {
  Vtk v = { .builder.path = path };
  v.builder.text = &v.text;
  bool ok = text_open(&v.text, path, error);
  ok = ok && read_head(&v, error);
  ok = ok && read_body(&v, error);
  ok = ok && add_cells(&v, error);
  ok = ok && builder_finish(&v.builder, mesh, error);
  text_close(&v.text);
  builder_destroy(&v.builder);
  free(v.numbers);
  free(v.offset);
  free(v.connectivity);
  free(v.type);
  return ok;
}

bool vtk_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  const bool binary = how->encoding == MESH_BINARY, swap = !machine_is_big_endian();
  fprintf(file, "# vtk DataFile Version 3.0\ntetrahedra\n%s\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
          binary ? "BINARY" : "ASCII", mesh->node_count);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++)
    if (binary)
      for (int i = 0; i < 3; i++) put_f64(file, mesh->X[a][i], swap);
    else
      fprintf(file, "%.17g %.17g %.17g\n", mesh->X[a][0], mesh->X[a][1], mesh->X[a][2]);
  fprintf(file, "%sCELLS %d %lld\n", binary ? "\n" : "", mesh->tet_count, 5LL * mesh->tet_count);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    if (binary)
      put_i32(file, 4, swap);
    else
      fputs("4", file);
    for (int c = 0; c < 4; c++)
      if (binary)
        put_i32(file, mesh_file_corner(mesh, e, c), swap);
      else
        fprintf(file, " %d", mesh_file_corner(mesh, e, c));
    if (!binary) fputs("\n", file);
  }

  fprintf(file, "%sCELL_TYPES %d\n", binary ? "\n" : "", mesh->tet_count);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++)
    if (binary)
      put_i32(file, VTK_TETRA, swap);
    else
      fputs("10\n", file);
  fputs("\n", file);
  return interrupt_check(error);
}
