// Medit's format. The ASCII form is a sequence of keywords. Most keywords are followed by a count and as many rows of
// numbers. Line ends have no meaning, and nodes are numbered from 1. In the binary form, numbers replace the keywords:
//   at the beginning      int 1, which shows the byte order; int version
//   for each keyword      int keyword; file offset of the next keyword; count; data
// File offsets have 8 bytes from version 3 on, and counts in version 4; otherwise they are ints. Reals are floats in
// version 1 and doubles in later versions.
#include "mesh/format/medit.h"

#include <string.h>

#include "base/interrupt.h"
#include "mesh/format/binary.h"
#include "mesh/format/builder.h"

typedef enum Section {
  SECTION_VERTICES,
  SECTION_TETS,
  SECTION_HEXES,
  SECTION_CELLS,
  SECTION_DIMENSION,
  SECTION_END
} Section;

// Keywords that are read; all others are skipped. The cells of a keyword with SECTION_CELLS are not read but only
// counted.
static const struct {
  const char *name;
  int code;  // number of the keyword in a binary file
  Section section;
  CellKind kind;
  int words;  // numbers per cell: its nodes, then a label ("reference"); for a vertex, coordinates and label
} keywords[] = {
  { "Dimension", 3, SECTION_DIMENSION, CELL_OTHER, 0 },
  { "Vertices", 4, SECTION_VERTICES, CELL_OTHER, 4 },
  { "Edges", 5, SECTION_CELLS, CELL_LINE, 3 },
  { "Triangles", 6, SECTION_CELLS, CELL_TRIANGLE, 4 },
  { "Quadrilaterals", 7, SECTION_CELLS, CELL_QUADRANGLE, 5 },
  { "Tetrahedra", 8, SECTION_TETS, CELL_TET, 5 },
  { "Prisms", 9, SECTION_CELLS, CELL_PRISM, 7 },
  { "Hexahedra", 10, SECTION_HEXES, CELL_HEXAHEDRON, 9 },
  { "Hexaedra", 10, SECTION_HEXES, CELL_HEXAHEDRON, 9 },
  { "TetrahedraP2", 30, SECTION_TETS, CELL_TET, 11 },
  { "Pyramids", 49, SECTION_CELLS, CELL_PYRAMID, 6 },
  { "End", 54, SECTION_END, CELL_OTHER, 0 },
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

// ---- reading the ASCII form

static bool next_count(Text *text, const char *what, int record, int *value, Error *error) {
  return text_next_word(text, '#', what, error) && text_count(text, what, 0, MESH_MAX_TETS, record, value, error);
}

static bool read_vertices(MeshBuilder *b, Text *text, Error *error) {
  int count, reference;
  if (!next_count(text, "vertex count", 8, &count, error) || !builder_nodes(b, count, error)) return false;
  for (int a = 0; a < count; a++) {
    for (int i = 0; i < 3; i++)
      if (!text_next_word(text, '#', "vertex's coordinate", error) ||
          !text_double(text, "vertex's coordinate", &b->mesh.X[a][i], error))
        return false;
    if (!text_next_int(text, '#', "vertex's reference", INT32_MIN, INT32_MAX, &reference, error)) return false;
    b->mesh.node_tag[a] = a + INT64_C(1);
  }
  return builder_index(b, error);
}

// Adds a tet or hex by the tags (numbers in the file) of its nodes. `words` is the number of nodes plus 1, for the
// label ("reference") that follows the nodes in the file. Corners of a hex are in VTK's order.
static bool add_cell(MeshBuilder *b, Section section, int64_t number, const int64_t *tags, int words, Error *error) {
  return section == SECTION_HEXES ? builder_cell(b, CELL_HEX8, CELL_FILE_VTK, number, tags, error)
                                  : builder_tet(b, number, tags, words - 1, builder_edges_vtk, error);
}

static bool read_cells(MeshBuilder *b, Text *text, Section section, int words, Error *error) {
  const char *const tet[] = { "tetrahedron count", "the number of a node of the tetrahedron",
                              "tetrahedron's reference" };
  const char *const hex[] = { "hexahedron count", "the number of a node of the hexahedron", "hexahedron's reference" };
  const char *const *name = section == SECTION_HEXES ? hex : tet;
  int count, number;
  if (!next_count(text, name[0], 2 * words, &count, error)) return false;
  for (int e = 0; e < count; e++) {
    int64_t tags[BUILDER_TET_NODES] = { 0 };
    for (int k = 0; k < words; k++) {
      if (!text_next_int(text, '#', k < words - 1 ? name[1] : name[2], INT32_MIN, INT32_MAX, &number, error))
        return false;
      if (k < words - 1) tags[k] = number;
    }
    if (!add_cell(b, section, e + INT64_C(1), tags, words, error)) return false;
  }
  return true;
}

// Skips numbers and advances to the next word that begins with a letter.
static void skip_numbers(Text *text) {
  const char *word;
  int length;
  Error ignored = { 0 };
  while (text_more_words(text, '#') && !interrupt_requested()) {
    text_peek(text, &word, &length);
    const char c = word[0];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return;
    text_word(text, "", &word, &length, &ignored);
  }
}

static int find_keyword(const char *word, int length) {
  for (int k = 0; k < KEYWORDS; k++)
    if ((int)strlen(keywords[k].name) == length && memcmp(keywords[k].name, word, (size_t)length) == 0) return k;
  return -1;
}

static bool read_keywords(MeshBuilder *b, Text *text, Error *error) {
  const char *word;
  int length, number;
  char copy[TEXT_SHOWN + 4];
  if (!text_next_word(text, '#', "MeshVersionFormatted", error) || !text_expect(text, "MeshVersionFormatted", error) ||
      !text_next_int(text, '#', "version", 1, 4, &number, error))
    return false;
  while (text_more_words(text, '#')) {
    if (!text_word(text, "a keyword", &word, &length, error)) return false;
    const int k = find_keyword(word, length);
    if (k < 0 && (word[0] < 'A' || word[0] > 'z'))
      return error_set(error, "%s:%d: \"%s\", expected a keyword such as Vertices", text->path, text->line,
                       text_shown(word, length, copy));
    if (k < 0) {
      skip_numbers(text);
      continue;
    }
    switch (keywords[k].section) {
      case SECTION_DIMENSION:
        if (!text_next_int(text, '#', "dimension", 3, 3, &number, error)) return false;
        break;
      case SECTION_VERTICES:
        if (!read_vertices(b, text, error)) return false;
        break;
      case SECTION_TETS:
      case SECTION_HEXES:
        if (!b->has_nodes)
          return error_set(error, "%s:%d: %s must come after Vertices", text->path, text->line,
                           keywords[k].section == SECTION_TETS ? "Tetrahedra" : "Hexahedra");
        if (!read_cells(b, text, keywords[k].section, keywords[k].words, error)) return false;
        break;
      case SECTION_CELLS:
        if (!next_count(text, "element count", 2 * keywords[k].words, &number, error)) return false;
        b->others[keywords[k].kind] += number;
        skip_numbers(text);
        break;
      case SECTION_END:
        return true;
    }
  }
  return true;
}

bool medit_read(const char *path, TetMesh *mesh, Error *error) {
  Text text = { 0 };
  MeshBuilder b = { .path = path, .text = &text, .order_unsure = true };
  const bool ok = text_open(&text, path, error) && read_keywords(&b, &text, error) && builder_finish(&b, mesh, error);
  text_close(&text);
  builder_destroy(&b);
  return ok;
}

// ---- reading the binary form

// Data that the reader keeps while it reads a binary file. swap: true if the file's byte order differs from that of
// this machine.
typedef struct Binary {
  Text text;
  MeshBuilder builder;
  int version;
  bool swap;
} Binary;

static bool get_int(Binary *m, const char *what, int size, int64_t low, int64_t high, int64_t *value, Error *error) {
  const unsigned char *bytes;
  char range[TEXT_RANGE_LENGTH];
  if (!text_bytes(&m->text, what, 1, size, &bytes, error)) return false;
  *value = size == 4 ? binary_i32(bytes, m->swap) : binary_i64(bytes, m->swap);
  if (*value >= low && *value <= high) return true;
  return error_set(error, "%s: byte %lld: %s is \"%lld\", expected %s", m->text.path,
                   (long long)text_offset(&m->text) - size, what, (long long)*value, text_range(low, high, range));
}

static bool take_vertices(Binary *m, int64_t count, Error *error) {
  MeshBuilder *b = &m->builder;
  const int real = m->version == 1 ? 4 : 8, integer = m->version == 4 ? 8 : 4, size = 3 * real + integer;
  const unsigned char *bytes;
  if (!text_bytes(&m->text, "vertices", count, size, &bytes, error) || !builder_nodes(b, count, error)) return false;
  for (int64_t a = 0; a < count && !interrupt_requested(); a++, bytes += size) {
    for (int i = 0; i < 3; i++)
      b->mesh.X[a][i] = real == 4 ? (double)binary_f32(bytes + 4 * i, m->swap) : binary_f64(bytes + 8 * i, m->swap);
    b->mesh.node_tag[a] = a + 1;
  }
  return builder_index(b, error);
}

static bool take_cells(Binary *m, Section section, int64_t count, int words, Error *error) {
  const int integer = m->version == 4 ? 8 : 4, size = words * integer;
  const unsigned char *bytes;
  if (!text_bytes(&m->text, section == SECTION_HEXES ? "hexahedra" : "tetrahedra", count, size, &bytes, error))
    return false;
  for (int64_t e = 0; e < count; e++, bytes += size) {
    int64_t tags[BUILDER_TET_NODES];
    for (int c = 0; c < words - 1; c++)
      tags[c] = integer == 4 ? binary_i32(bytes + 4 * c, m->swap) : binary_i64(bytes + 8 * c, m->swap);
    if (!add_cell(&m->builder, section, e + 1, tags, words, error)) return false;
  }
  return true;
}

static bool take_keyword(Binary *m, int64_t code, Error *error) {
  int k = 0;
  int64_t value;
  const int integer = m->version == 4 ? 8 : 4;
  while (k < KEYWORDS && keywords[k].code != code) k++;
  if (k == KEYWORDS) return true;
  if (keywords[k].section == SECTION_DIMENSION) return get_int(m, "dimension", 4, 3, 3, &value, error);
  if (!get_int(m, "count", integer, 0, MESH_MAX_TETS, &value, error)) return false;
  if (keywords[k].section == SECTION_VERTICES) return take_vertices(m, value, error);
  const Section section = keywords[k].section;
  if (section == SECTION_TETS || section == SECTION_HEXES) {
    if (!m->builder.has_nodes)
      return error_set(error, "%s: byte %lld: %s must come after vertices", m->text.path,
                       (long long)text_offset(&m->text), section == SECTION_TETS ? "tetrahedra" : "hexahedra");
    return take_cells(m, section, value, keywords[k].words, error);
  }
  m->builder.others[keywords[k].kind] += value;
  return true;
}

static bool read_binary(Binary *m, Error *error) {
  enum { CODE_END = 54 };
  const unsigned char *bytes;
  int64_t version, code, next;
  m->text.at++;  // skip the line end that text_open adds before the content
  if (!text_bytes(&m->text, "the number 1 in binary", 1, 4, &bytes, error)) return false;
  m->swap = binary_i32(bytes, false) != 1;
  if (binary_i32(bytes, m->swap) != 1)
    return error_set(error,
                     "%s: byte 0: the integer is 0x%08x, expected 1 in either byte order (is this a .meshb file?)",
                     m->text.path, binary_u32(bytes, false));
  if (!get_int(m, "version", 4, 1, 4, &version, error)) return false;
  m->version = (int)version;
  const int64_t size = m->text.end - m->text.at + text_offset(&m->text);
  for (;;) {
    if (m->text.at == m->text.end) return true;  // all data have been read; the keyword End is missing
    if (!get_int(m, "keyword", 4, 0, 1000, &code, error)) return false;
    if (code == CODE_END) return true;
    const int64_t here = text_offset(&m->text);
    if (!get_int(m, "next keyword's position", m->version >= 3 ? 8 : 4, 0, size, &next, error)) return false;
    if (next != 0 && next <= here)
      return error_set(error, "%s: byte %lld: the next keyword's position is %lld, expected a later byte", m->text.path,
                       (long long)here, (long long)next);
    if (!take_keyword(m, code, error)) return false;
    if (next == 0) return true;
    m->text.at = m->text.end - (size - next);
  }
}

bool medit_read_binary(const char *path, TetMesh *mesh, Error *error) {
  Binary m = { .builder = { .path = path, .binary = true, .order_unsure = true } };
  m.builder.text = &m.text;
  const bool ok = text_open(&m.text, path, error) && read_binary(&m, error) && builder_finish(&m.builder, mesh, error);
  text_close(&m.text);
  builder_destroy(&m.builder);
  return ok;
}

// ---- writing a file

bool medit_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  (void)how;
  fprintf(file, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", mesh->node_count);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++)
    fprintf(file, "%.17g %.17g %.17g 0\n", mesh->X[a][0], mesh->X[a][1], mesh->X[a][2]);
  fprintf(file, "Tetrahedra\n%d\n", mesh->tet_count);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    for (int c = 0; c < 4; c++) fprintf(file, "%d ", mesh_file_corner(mesh, e, c) + 1);
    fputs("0\n", file);
  }
  fputs("End\n", file);
  return interrupt_check(error);
}

bool medit_write_binary(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  // Write version 3, in which file offsets have 8 bytes, so that the file may be larger than 2 GiB.
  const bool swap = how->big_endian != machine_is_big_endian();
  const int64_t after_dimension = 8 + 16, vertices = 16 + (int64_t)mesh->node_count * 28;
  const int64_t after_vertices = after_dimension + vertices,
                after_tets = after_vertices + 16 + (int64_t)mesh->tet_count * 20;
  put_i32(file, 1, swap);
  put_i32(file, 3, swap);
  put_i32(file, 3, swap);
  put_i64(file, after_dimension, swap);
  put_i32(file, 3, swap);
  put_i32(file, 4, swap);
  put_i64(file, after_vertices, swap);
  put_i32(file, mesh->node_count, swap);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++) {
    for (int i = 0; i < 3; i++) put_f64(file, mesh->X[a][i], swap);
    put_i32(file, 0, swap);
  }
  put_i32(file, 8, swap);
  put_i64(file, after_tets, swap);
  put_i32(file, mesh->tet_count, swap);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    for (int c = 0; c < 4; c++) put_i32(file, mesh_file_corner(mesh, e, c) + 1, swap);
    put_i32(file, 0, swap);
  }
  put_i32(file, 54, swap);
  put_i64(file, 0, swap);
  return interrupt_check(error);
}
