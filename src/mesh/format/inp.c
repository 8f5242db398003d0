// Reads Abaqus input files. The keywords that are read, with their lines of data:
//
//   *NODE [, NSET=name]                  number, x, y, z
//   *ELEMENT, TYPE=type [, ELSET=name]   number, node...; may continue on further lines
//   *NSET, *ELSET, *SURFACE              see inp_sets.c
//   *PART, *ASSEMBLY, *INSTANCE          one part and one instance of it, neither moved nor rotated
//
// Tets and hexes become cells. Shells, membranes and plane elements become faces of sets. All other keywords are
// skipped. The file is read twice: nodes first, since elements may be defined before them.
#include "mesh/format/inp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "mesh/format/inp_parts.h"

// Types of elements. A type matches a row if it begins with the row's name and no digit follows: "C3D10" also matches
// C3D10M, but not C3D100.
static const struct {
  const char *name;
  CellKind kind;
  int nodes;  // nodes per element; 0: elements of this type are only counted
} types[] = {
  { "C3D4", CELL_TET, 4 },          { "C3D10", CELL_TET, 10 },       { "C3D8", CELL_HEXAHEDRON, 8 },
  { "C3D20", CELL_HEXAHEDRON, 0 },  { "C3D27", CELL_HEXAHEDRON, 0 }, { "C3D6", CELL_PRISM, 0 },
  { "C3D15", CELL_PRISM, 0 },       { "C3D5", CELL_PYRAMID, 0 },     { "S3", CELL_TRIANGLE, 3 },
  { "STRI3", CELL_TRIANGLE, 3 },    { "CPS3", CELL_TRIANGLE, 3 },    { "CPE3", CELL_TRIANGLE, 3 },
  { "M3D3", CELL_TRIANGLE, 3 },     { "SFM3D3", CELL_TRIANGLE, 3 },  { "R3D3", CELL_TRIANGLE, 3 },
  { "CPS6", CELL_TRIANGLE, 6 },     { "CPE6", CELL_TRIANGLE, 6 },    { "M3D6", CELL_TRIANGLE, 6 },
  { "STRI65", CELL_TRIANGLE, 6 },   { "SFM3D6", CELL_TRIANGLE, 6 },  { "S4", CELL_QUADRANGLE, 4 },
  { "CPS4", CELL_QUADRANGLE, 4 },   { "CPE4", CELL_QUADRANGLE, 4 },  { "M3D4", CELL_QUADRANGLE, 4 },
  { "SFM3D4", CELL_QUADRANGLE, 4 }, { "R3D4", CELL_QUADRANGLE, 4 },  { "T3D2", CELL_LINE, 0 },
  { "B31", CELL_LINE, 0 },          { "B33", CELL_LINE, 0 },
};
enum { TYPES = sizeof types / sizeof *types };

// Returns the row of `types` that matches the name of an element type; TYPES if there is none.
static int find_type(const InpWord *name) {
  for (int k = 0; k < TYPES; k++) {
    const int length = (int)strlen(types[k].name);
    if (name->length < length || strncasecmp(name->at, types[k].name, (size_t)length) != 0) continue;
    if (name->length == length || name->at[length] < '0' || name->at[length] > '9') return k;
  }
  return TYPES;
}

// ---- reading nodes

static bool read_node(Inp *inp, Error *error) {
  Text *text = &inp->text;
  int64_t tag;
  double X[3];
  if (!inp_integer(text, "node number", 0, &tag, error)) return false;
  if (!inp_real(text, "node's x", &X[0], error) || !inp_real(text, "node's y", &X[1], error) ||
      !inp_real(text, "node's z", &X[2], error))
    return false;
  void *tags = inp->tag, *positions = inp->X;
  bool ok = array_reserve(&tags, &inp->node_capacity, inp->node_count + 1, sizeof *inp->tag, "nodes", error);
  inp->tag = tags;
  ok = ok && array_reserve(&positions, &inp->position_capacity, inp->node_count + 1, sizeof *inp->X, "nodes", error);
  inp->X = positions;
  if (!ok) return false;
  inp->tag[inp->node_count] = tag;
  memcpy(inp->X[inp->node_count++], X, sizeof X);
  return interrupt_check(error);
}

static bool read_nodes(Inp *inp, const InpKeyword *keyword, Error *error) {
  Text *text = &inp->text;
  const InpWord *name = inp_parameter(keyword, "NSET");
  InpEntry entry = { .member = INP_NODE_RANGE, .first = inp->node_count };
  if (name && (entry.set = inp_set(inp, name, false, error)) < 0) return false;
  if (name) inp->set[entry.set].members.lists_nodes = true;
  if (!inp->has_nodes_here) inp->meshes++;
  inp->has_nodes_here = true;
  if (inp->meshes > 1)
    return error_set(error,
                     "%s:%d: the file has a second part with nodes, but Pliant reads only one; write each part to a "
                     "file, and list the files in the scene's \"bodies\"",
                     text->path, text->line);
  while (inp_next_data(text))
    if (!read_node(inp, error)) return false;
  entry.last = inp->node_count;
  return !name || inp_add_entry(inp, &entry, error);
}

// Copies positions and tags (the file's node numbers) of all nodes to the mesh that inp->builder creates.
static bool give_nodes(Inp *inp, Error *error) {
  if (inp->node_count == 0) return error_set(error, "%s: the file has no *NODE lines", inp->text.path);
  if (!builder_nodes(&inp->builder, inp->node_count, error)) return false;
  memcpy(inp->builder.mesh.X, inp->X, sizeof *inp->X * (size_t)inp->node_count);
  memcpy(inp->builder.mesh.node_tag, inp->tag, sizeof *inp->tag * (size_t)inp->node_count);
  return builder_index(&inp->builder, error);
}

// ---- reading elements

// Reads the nodes of an element, which may continue on further lines.
static bool read_element_nodes(Inp *inp, int nodes, int64_t *tags, Error *error) {
  Text *text = &inp->text;
  for (int a = 0; a < nodes; a++) {
    if (text_line_over(text) && !inp_next_data(text))
      return error_set(error, "%s:%d: an element has only %d of the %d nodes of its type", text->path, text->line, a,
                       nodes);
    if (!inp_integer(text, "the number of a node of the element", 0, &tags[a], error)) return false;
  }
  return text_line_over(text) ||
         error_set(error, "%s:%d: an element has more than the %d nodes of its type", text->path, text->line, nodes);
}

// Skips the remaining nodes of an element whose type is not read. They continue on the next line if a line ends with a
// comma.
static void skip_element(Text *text) {
  for (;;) {
    text_skip_line(text);
    const char *last = text->at;
    while (last > text->data && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) last--;
    if (last == text->data || last[-1] != ',' || !inp_next_data(text)) return;
  }
}

static bool add_face(Inp *inp, const int64_t *tags, int corners, InpElement *element, Error *error) {
  void *items = inp->face;
  const bool grown = inp->face_count < INT32_MAX &&
                     array_reserve(&items, &inp->face_capacity, inp->face_count + 1, sizeof *inp->face, "faces", error);
  inp->face = items;
  if (!grown) return false;
  int64_t *face = inp->face[inp->face_count];
  for (int c = 0; c < 4; c++) face[c] = c < corners ? tags[c] : -1;
  element->face = (int)inp->face_count++;
  return true;
}

static bool read_element(Inp *inp, int type, bool in_set, Error *error) {
  Text *text = &inp->text;
  MeshBuilder *b = &inp->builder;
  int64_t tags[BUILDER_TET_NODES];
  InpElement element = { .cell = -1, .face = -1 };
  const CellKind kind = type < TYPES ? types[type].kind : CELL_OTHER;
  const int nodes = type < TYPES ? types[type].nodes : 0;
  if (!inp_integer(text, "element number", 0, &element.tag, error)) return false;
  if (nodes == 0)
    skip_element(text);
  else if (!read_element_nodes(inp, nodes, tags, error))
    return false;

  bool ok = true;
  if (nodes > 0 && kind == CELL_TET) {
    element.cell = b->mesh.tet_count;
    ok = builder_tet(b, element.tag, tags, nodes, builder_edges_vtk, error);
  } else if (nodes > 0 && kind == CELL_HEXAHEDRON) {
    element.cell = b->cells[CELL_HEX8].count;
    element.is_hex = true;
    ok = builder_cell(b, CELL_HEX8, CELL_FILE_VTK, element.tag, tags, error);
  } else {
    b->others[kind]++;
    b->in_sets[kind] += nodes > 0 && in_set;
    if (nodes > 0) ok = add_face(inp, tags, kind == CELL_TRIANGLE ? 3 : 4, &element, error);
  }

  void *items = inp->element;
  ok = ok && inp->element_count < INT32_MAX &&
       array_reserve(&items, &inp->element_capacity, inp->element_count + 1, sizeof element, "elements", error);
  inp->element = items;
  if (ok) inp->element[inp->element_count++] = element;
  return ok;
}

static bool read_elements(Inp *inp, const InpKeyword *keyword, Error *error) {
  Text *text = &inp->text;
  const InpWord *type = inp_parameter(keyword, "TYPE"), *name = inp_parameter(keyword, "ELSET");
  InpEntry entry = { .member = INP_ELEMENT_RANGE, .first = inp->element_count };
  if (!type || type->length == 0)
    return error_set(error, "%s:%d: *ELEMENT needs the parameter TYPE", text->path, text->line);
  const int row = find_type(type);
  if (name && (entry.set = inp_set(inp, name, false, error)) < 0) return false;
  while (inp_next_data(text))
    if (!read_element(inp, row, name != NULL, error)) return false;
  entry.last = inp->element_count;
  return !name || inp_add_entry(inp, &entry, error);
}

// ---- reading parts and instances

// Reads the translation and the rotation of an instance. Fails unless both are zero.
static bool read_instance(Inp *inp, Error *error) {
  Text *text = &inp->text;
  if (++inp->instances > 1)
    return error_set(
        error,
        "%s:%d: the file has a second instance, but Pliant reads only one; write each instance to a file, and list "
        "the files in the scene's \"bodies\"",
        text->path, text->line);
  while (inp_next_data(text))
    for (InpWord field; inp_field(text, &field);) {
      double value = 0;
      if (field.length > 0 && (!text_real(field.at, field.length, &value) || value != 0))
        return error_set(error, "%s:%d: the instance is moved or rotated; use \"place\" and \"turn\" of a scene's body",
                         text->path, text->line);
    }
  return true;
}

// Processes the keywords *PART, *ASSEMBLY, *INSTANCE, *END PART, *END ASSEMBLY and *END INSTANCE. *known becomes true
// for these keywords, false for all others.
static bool read_structure(Inp *inp, const InpKeyword *keyword, bool *known, Error *error) {
  const char *word = keyword->name;
  *known = true;
  if (strcmp(word, "PART") == 0) {
    const InpWord *name = inp_parameter(keyword, "NAME");
    inp->in_part = true;
    inp->has_nodes_here = false;
    if (name) snprintf(inp->part, sizeof inp->part, "%.*s", name->length, name->at);
  } else if (strcmp(word, "ENDPART") == 0) {
    inp->in_part = false;
  } else if (strcmp(word, "ASSEMBLY") == 0) {
    inp->in_assembly = true;
  } else if (strcmp(word, "ENDASSEMBLY") == 0) {
    inp->in_assembly = false;
  } else if (strcmp(word, "INSTANCE") == 0) {
    inp->in_instance = true;
    inp->has_nodes_here = false;
    return read_instance(inp, error);
  } else if (strcmp(word, "ENDINSTANCE") == 0) {
    inp->in_instance = false;
  } else {
    *known = false;
  }
  return true;
}

// Keywords that are refused, because they create or change nodes and elements, or include another file.
static const char *const refused[] = { "INCLUDE", "SYSTEM", "NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY" };

static bool check_refused(const Inp *inp, const char *word, Error *error) {
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (strcmp(word, refused[k]) == 0)
      return error_set(error, "%s:%d: *%s is not supported: write all nodes and elements into the file", inp->text.path,
                       inp->text.line, word);
  return true;
}

// Reads the data of a keyword: nodes in the first pass over the file, everything else in the second pass.
static bool read_data(Inp *inp, const InpKeyword *keyword, bool first_pass, Error *error) {
  const char *word = keyword->name;
  // *NODE in an assembly, but outside an instance, defines reference points, which are not nodes of the mesh.
  const bool is_point = inp->in_assembly && !inp->in_instance && inp->part[0];
  if (first_pass) return strcmp(word, "NODE") != 0 || is_point || read_nodes(inp, keyword, error);
  if (strcmp(word, "ELEMENT") == 0) return read_elements(inp, keyword, error);
  if (strcmp(word, "NSET") == 0) return inp_read_set(inp, keyword, true, error);
  if (strcmp(word, "ELSET") == 0) return inp_read_set(inp, keyword, false, error);
  if (strcmp(word, "SURFACE") == 0) return inp_read_surface(inp, keyword, error);
  return true;
}

static bool read_pass(Inp *inp, bool first_pass, Error *error) {
  Text *text = &inp->text;
  InpKeyword keyword;
  bool is_keyword, known, begun = false;
  char copy[TEXT_SHOWN + 4];
  inp->in_part = inp->in_assembly = inp->in_instance = false;
  inp->instances = 0;
  while (inp_next_line(text, &is_keyword)) {
    if (!is_keyword && !begun)
      return error_set(error, "%s:%d: \"%s\", expected a keyword such as *NODE", text->path, text->line,
                       text_shown(text->at, (int)strcspn(text->at, " ,\r\n"), copy));
    if (!is_keyword) continue;  // skip a line of data that belongs to a skipped keyword
    begun = true;
    if (!inp_read_keyword(text, &keyword, error)) return false;
    if (!check_refused(inp, keyword.name, error)) return false;
    if (!read_structure(inp, &keyword, &known, error)) return false;
    if (!known && !read_data(inp, &keyword, first_pass, error)) return false;
  }
  return interrupt_check(error);
}

static bool read_file(Inp *inp, TetMesh *mesh, Error *error) {
  Text *text = &inp->text;
  if (!text_open(text, inp->builder.path, error)) return false;
  if (text_at_end(text)) return error_set(error, "%s: the file is empty", inp->builder.path);
  const Text beginning = *text;
  if (!read_pass(inp, true, error) || !give_nodes(inp, error)) return false;
  *text = beginning;
  return read_pass(inp, false, error) && builder_finish(&inp->builder, mesh, error) && inp_make_sets(inp, mesh, error);
}

bool inp_read(const char *path, TetMesh *mesh, Error *error) {
  Inp inp = { .builder.path = path };
  inp.builder.text = &inp.text;
  TetMesh made = { 0 };
  const bool ok = read_file(&inp, &made, error);
  text_close(&inp.text);
  builder_destroy(&inp.builder);
  for (int k = 0; k < inp.set_count; k++) {
    free(inp.set[k].members.node);
    free(inp.set[k].members.cell);
    free(inp.set[k].members.facet);
  }
  free(inp.tag);
  free(inp.X);
  free(inp.element);
  free(inp.face);
  free(inp.set);
  free(inp.entry);
  if (ok)
    *mesh = made;
  else
    mesh_destroy(&made);
  return ok;
}

bool inp_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  (void)how;
  const int64_t *tag = mesh->node_tag;
  fputs("*HEADING\nwritten by Pliant\n*NODE\n", file);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++)
    fprintf(file, "%lld, %.17g, %.17g, %.17g\n", (long long)tag[a], mesh->X[a][0], mesh->X[a][1], mesh->X[a][2]);
  fputs("*ELEMENT, TYPE=C3D4, ELSET=body\n", file);
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    fprintf(file, "%d", e + 1);
    for (int c = 0; c < 4; c++) fprintf(file, ", %lld", (long long)tag[mesh_file_corner(mesh, e, c)]);
    fputs("\n", file);
  }
  return interrupt_check(error);
}
