// Reads tets and cubes from Vega's files, and writes tets. A section begins with *KEYWORD, a comment with #. Commas or
// blanks separate words:
//   *VERTICES   count 3 attributes markers, then per node: number x y z ...
//   *ELEMENTS   TET or CUBIC (cubes), then: count nodes_per_element attributes, then per element: number node...
#include "mesh/format/vega.h"

#include <string.h>

#include "base/interrupt.h"
#include "mesh/format/builder.h"

static bool read_vertices(MeshBuilder *b, Text *text, Error *error) {
  int count, dimension;
  if (!text_next_word(text, '#', "vertex count", error)) return false;
  if (!text_count(text, "vertex count", 0, MESH_MAX_NODES, 8, &count, error)) return false;
  if (!text_next_int(text, '#', "dimension", 3, 3, &dimension, error)) return false;
  if (!builder_nodes(b, count, error)) return false;
  text_skip_line(text);
  for (int a = 0; a < count; a++) {
    if (!text_next_word(text, '#', "vertex number", error) ||
        !text_int64(text, "vertex number", 0, INT64_MAX, &b->mesh.node_tag[a], error))
      return false;
    for (int i = 0; i < 3; i++)
      if (!text_double(text, "vertex's coordinate", &b->mesh.X[a][i], error)) return false;
    text_skip_line(text);
  }
  return builder_index(b, error);
}

static bool read_elements(MeshBuilder *b, Text *text, Error *error) {
  const char *word;
  int length, count, nodes;
  int64_t number, tags[8];
  char copy[TEXT_SHOWN + 4];
  if (!b->has_nodes) return error_set(error, "%s:%d: *ELEMENTS must come after *VERTICES", text->path, text->line);
  if (!text_next_word(text, '#', "TET", error) || !text_word(text, "TET", &word, &length, error)) return false;
  const bool tets = text_is(word, length, "TET") || text_is(word, length, "TETS");
  const bool cubes = text_is(word, length, "CUBIC") || text_is(word, length, "CUBES");
  if (!tets && !cubes)
    return error_set(error, "%s:%d: the elements have the type \"%s\", expected TET or CUBIC", text->path, text->line,
                     text_shown(word, length, copy));
  if (!text_next_word(text, '#', "element count", error) ||
      !text_count(text, "element count", 0, MESH_MAX_TETS, 10, &count, error) ||
      !text_next_int(text, '#', "node count of an element", tets ? 4 : 8, tets ? 4 : 8, &nodes, error))
    return false;
  text_skip_line(text);
  for (int e = 0; e < count; e++) {
    if (!text_next_word(text, '#', "element number", error)) return false;
    if (!text_int64(text, "element number", 0, INT64_MAX, &number, error)) return false;
    for (int c = 0; c < nodes; c++)
      if (!text_int64(text, "the number of a node of the element", 0, INT64_MAX, &tags[c], error)) return false;
    if (tets && !builder_tet(b, number, tags, 4, NULL, error)) return false;

    // Vega numbers the corners of a cube in the order of VTK: around the bottom, then around the top.
    if (cubes && !builder_cell(b, CELL_HEX8, CELL_FILE_VTK, number, tags, error)) return false;
    text_skip_line(text);
  }
  return true;
}

static bool read_sections(MeshBuilder *b, Text *text, Error *error) {
  const char *word;
  int length;
  char copy[TEXT_SHOWN + 4];
  bool begun = false;
  while (text_more_words(text, '#')) {
    if (!text_word(text, "a section", &word, &length, error)) return false;
    if (word[0] != '*' && !begun)
      return error_set(error, "%s:%d: \"%s\", expected the beginning of a section, such as *VERTICES", text->path,
                       text->line, text_shown(word, length, copy));
    begun = true;
    if (text_is(word, length, "*INCLUDE"))
      return error_set(error, "%s:%d: *INCLUDE is not supported: insert the included file here", text->path,
                       text->line);
    if (text_is(word, length, "*VERTICES")) {
      if (!read_vertices(b, text, error)) return false;
    } else if (text_is(word, length, "*ELEMENTS")) {
      if (!read_elements(b, text, error)) return false;
    } else {
      text_skip_line(text);  // skips a line of a section that is not read
    }
  }
  return true;
}

bool vega_read(const char *path, TetMesh *mesh, Error *error) {
  Text text = { 0 };
  MeshBuilder b = { .path = path, .text = &text };
  bool ok = text_open(&text, path, error);
  text.separator = ',';  // Vega separates words by spaces, tabs and commas
  ok = ok && read_sections(&b, &text, error) && builder_finish(&b, mesh, error);
  text_close(&text);
  builder_destroy(&b);
  return ok;
}

bool vega_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  (void)how;
  const int64_t *tag = mesh->node_tag;
  fprintf(file, "# Vega mesh, %d vertices, %d tets\n\n*VERTICES\n%d 3 0 0\n", mesh->node_count, mesh->tet_count,
          mesh->node_count);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++)
    fprintf(file, "%lld %.17g %.17g %.17g\n", (long long)tag[a], mesh->X[a][0], mesh->X[a][1], mesh->X[a][2]);
  fprintf(file, "\n*ELEMENTS\nTET\n%d 4 0\n", mesh->tet_count);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    fprintf(file, "%d", e + 1);
    for (int c = 0; c < 4; c++) fprintf(file, " %lld", (long long)tag[mesh_file_corner(mesh, e, c)]);
    fputs("\n", file);
  }
  return interrupt_check(error);
}
