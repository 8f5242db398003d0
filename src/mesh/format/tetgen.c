// Reads and writes TetGen's files. They consist of lines; # begins a comment:
//   .node   count dimension attributes markers, then per node: number x y z attribute... [marker]
//   .ele    count nodes_per_tet attributes,     then per tet:  number node... attribute...
#include "mesh/format/tetgen.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/path.h"
#include "mesh/format/builder.h"

bool tetgen_other(const char *path, const char *ending, char *other, size_t size) {
  const bool packed = path_ends_with(path, ".gz");
  const size_t length = strlen(path) - (packed ? 3 : 0);
  const char *dot = path + length - 1;
  while (dot > path && *dot != '.') dot--;
  return (size_t)snprintf(other, size, "%.*s%s%s", (int)(dot - path), path, ending, packed ? ".gz" : "") < size;
}

static bool read_nodes(MeshBuilder *b, Text *text, Error *error) {
  int count, dimension, attributes, markers;
  double ignored;
  if (!text_next_word(text, '#', "node count", error)) return false;
  if (!text_count(text, "node count", 0, MESH_MAX_NODES, 8, &count, error)) return false;
  if (!text_next_int(text, '#', "dimension", 3, 3, &dimension, error)) return false;
  if (!text_next_int(text, '#', "count of attributes", 0, 1000, &attributes, error)) return false;
  if (!text_next_int(text, '#', "count of markers", 0, 1, &markers, error)) return false;
  if (!builder_nodes(b, count, error)) return false;
  for (int a = 0; a < count; a++) {
    if (!text_next_word(text, '#', "node number", error) ||
        !text_int64(text, "node number", 0, INT64_MAX, &b->mesh.node_tag[a], error))
      return false;
    for (int i = 0; i < 3; i++)
      if (!text_double(text, "node's coordinate", &b->mesh.X[a][i], error)) return false;
    for (int k = 0; k < attributes + markers; k++)
      if (!text_double(text, "node's attribute or marker", &ignored, error)) return false;
  }
  return builder_index(b, error);
}

static bool read_tets(MeshBuilder *b, Text *text, Error *error) {
  int count, nodes, attributes;
  int64_t number, tags[10];
  double ignored;
  if (!text_next_word(text, '#', "tet count", error)) return false;
  if (!text_count(text, "tet count", 0, MESH_MAX_TETS, 10, &count, error)) return false;
  if (!text_next_int(text, '#', "node count of a tet", 4, 10, &nodes, error)) return false;
  if (!text_next_int(text, '#', "count of attributes", 0, 1000, &attributes, error)) return false;
  if (nodes != 4 && nodes != 10)
    return error_set(error, "%s:%d: the number of nodes of a tet is \"%d\", expected 4 or 10", text->path, text->line,
                     nodes);
  for (int e = 0; e < count; e++) {
    if (!text_next_word(text, '#', "tet's number", error) ||
        !text_int64(text, "tet's number", 0, INT64_MAX, &number, error))
      return false;
    for (int c = 0; c < nodes; c++)
      if (!text_int64(text, "the number of a node of the tet", 0, INT64_MAX, &tags[c], error)) return false;
    for (int k = 0; k < attributes; k++)
      if (!text_double(text, "tet's attribute", &ignored, error)) return false;
    if (!builder_tet(b, number, tags, nodes, builder_edges_tetgen, error)) return false;
  }
  return true;
}

static bool read_file(MeshBuilder *b, const char *path, bool (*read)(MeshBuilder *, Text *, Error *), Error *error) {
  Text text = { 0 };
  char copy[TEXT_SHOWN + 4];
  b->path = path;
  bool ok = text_open(&text, path, error);
  b->text = ok ? &text : NULL;
  ok = ok && read(b, &text, error);
  if (ok && text_more_words(&text, '#')) {
    const char *word;
    int length;
    text_peek(&text, &word, &length);
    ok = error_set(error, "%s:%d: \"%s\" follows the last record; the first line gives the number of records", path,
                   text.line, text_shown(word, length, copy));
  }
  b->text = NULL;
  text_close(&text);
  return ok;
}

bool tetgen_read(const char *path, TetMesh *mesh, Error *error) {
  enum { PATH_LENGTH = 4096 };
  MeshBuilder b = { 0 };
  char other[PATH_LENGTH];
  const bool nodes_given = path_ends_with(path, ".node") || path_ends_with(path, ".node.gz");
  if (!tetgen_other(path, nodes_given ? ".ele" : ".node", other, sizeof other))
    return error_set(error, "%.100s...: the path is too long", path);

  // test `path` first: if both files are missing, the message then names the file that the user gave
  if (access(path, R_OK) != 0) return error_set(error, "%s: %s", path, strerror(errno));
  bool ok = true;
  for (int tets = 0; ok && tets < 2; tets++) {
    const char *now = nodes_given == !tets ? path : other;
    if (now == other && access(other, R_OK) != 0)
      ok = error_set(error, "%s: the second file of this mesh, %s, cannot be opened: %s", path, other, strerror(errno));
    ok = ok && read_file(&b, now, tets ? read_tets : read_nodes, error);
  }
  b.path = path;
  ok = ok && builder_finish(&b, mesh, error);
  builder_destroy(&b);
  return ok;
}

bool tetgen_write_nodes(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  (void)how;
  fprintf(file, "%d 3 0 0\n", mesh->node_count);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++)
    fprintf(file, "%lld %.17g %.17g %.17g\n", (long long)mesh->node_tag[a], mesh->X[a][0], mesh->X[a][1],
            mesh->X[a][2]);
  return interrupt_check(error);
}

bool tetgen_write_tets(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  (void)how;
  const int64_t *tag = mesh->node_tag, first = tag[0] == 0 ? 0 : 1;
  fprintf(file, "%d 4 0\n", mesh->tet_count);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    fprintf(file, "%lld", (long long)(e + first));
    for (int c = 0; c < 4; c++) fprintf(file, " %lld", (long long)tag[mesh_file_corner(mesh, e, c)]);
    fputs("\n", file);
  }
  return interrupt_check(error);
}
