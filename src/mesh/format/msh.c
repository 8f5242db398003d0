// Gmsh's MSH format: sections in ASCII form (msh_binary.c reads the binary form). A file is a sequence of sections,
// each $Name ... $EndName. This file reads nodes and elements, msh_groups.c groups, msh_field.c fields.
//
//   2.2  $Nodes      count, then a line per node         tag x y z
//        $Elements   count, then a line per element      tag type tag_count tag... node...; the first tag after
//                                                        tag_count is the element's group
//   4.1  $Nodes      block_count count min max           and per block: dim entity parametric count,
//                                                        then a line per node tag, then a line x y z [u [v [w]]] each
//        $Elements   block_count count min max           and per block: dim entity type count,
//                                                        then a line per element: tag node...
//
// Counts are compared with the bytes left in the file before arrays for so many entries are allocated.
#include "mesh/format/msh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/interrupt.h"
#include "mesh/format/binary.h"
#include "mesh/format/msh_parts.h"
#include "mesh/format/text_lines.h"

enum { SECTION_LENGTH = 64 };
// Lengths in bytes of the shortest possible lines: NODE_BYTES for a node such as "1 0 0 0", ELEMENT_BYTES for an
// element such as "1 1", both with the line end.
enum { NODE_BYTES = 8, ELEMENT_BYTES = 4 };

static bool read_format(Msh *msh, Error *error) {
  Text *text = &msh->text;
  const char *word;
  int length, binary, data_size;
  char copy[TEXT_SHOWN + 4];
  if (msh->version != MSH_NONE)
    return error_set(error, "%s:%d: the file has a second section $MeshFormat", text->path, text->line);
  if (!text_next_line(text, "version, file type and data size", error)) return false;
  if (!text_word(text, "version", &word, &length, error)) return false;
  if (length == 3 && memcmp(word, "2.2", 3) == 0) msh->version = MSH_2_2;
  if (length == 3 && memcmp(word, "4.1", 3) == 0) msh->version = MSH_4_1;
  if (msh->version == MSH_NONE)
    return error_set(error, "%s:%d: MSH version %s is not supported; supported: 2.2 and 4.1", text->path, text->line,
                     text_shown(word, length, copy));
  if (!text_int(text, "file type", 0, 1, &binary, error)) return false;
  if (!text_int(text, "data size", 1, 64, &data_size, error)) return false;
  msh->builder.binary = msh->binary = binary;
  if (binary) {
    const unsigned char *one;
    if (data_size != 8)
      return error_set(error, "%s:%d: data size is %d, expected 8 in a binary file", text->path, text->line, data_size);
    if (!text_begin_binary(text, "the number 1 in binary", error) ||
        !text_bytes(text, "the number 1 in binary", 1, 4, &one, error))
      return false;
    msh->swap = binary_i32(one, false) != 1;
    if (binary_i32(one, msh->swap) != 1)
      return error_set(error, "%s: byte %lld: the integer is 0x%08x, expected 1 in either byte order", text->path,
                       (long long)text_offset(text) - 4, binary_u32(one, false));
  }
  return text_next_word(text, 0, "$EndMeshFormat", error) && text_expect(text, "$EndMeshFormat", error);
}

// ---- reading the section $Nodes

static bool read_position(Text *text, double *X, Error *error) {
  return text_double(text, "node's x", &X[0], error) && text_double(text, "node's y", &X[1], error) &&
         text_double(text, "node's z", &X[2], error);
}

static bool read_tag(Text *text, const char *what, int64_t *tag, Error *error) {
  return text_int64(text, what, 0, INT64_MAX, tag, error);
}

// Arguments of the functions that read one node per line. Line k of a list, from 0 on, belongs to the node with the
// index first + k in `mesh`.
typedef struct NodeLines {
  TetMesh *mesh;
  // surplus: number of parametric coordinates after each position, which are not used; -1: skip the rest of the line
  int first, surplus;
} NodeLines;

static bool read_node_tag(const void *lines, int k, Text *text, Error *error) {
  const NodeLines *l = lines;
  return read_tag(text, "node tag", &l->mesh->node_tag[l->first + k], error);
}

static bool read_node_position(const void *lines, int k, Text *text, Error *error) {
  const NodeLines *l = lines;
  double on_entity;
  if (!read_position(text, l->mesh->X[l->first + k], error)) return false;
  for (int i = 0; i < l->surplus; i++)
    if (!text_double(text, "node's parametric coordinate", &on_entity, error)) return false;
  if (l->surplus < 0) text_skip_line(text);
  return true;
}

static bool read_node(const void *lines, int k, Text *text, Error *error) {
  return read_node_tag(lines, k, text, error) && read_node_position(lines, k, text, error);
}

static bool read_nodes_22(Msh *msh, bool parametric, Error *error) {
  Text *text = &msh->text;
  int count;
  if (!text_next_line(text, "node count", error)) return false;
  if (!text_count(text, "node count", 4, MESH_MAX_NODES, NODE_BYTES, &count, error)) return false;
  if (!builder_nodes(&msh->builder, count, error)) return false;
  // In $ParametricNodes, each position is followed by a dimension, an entity and coordinates on this entity. `surplus`
  // = -1 skips them.
  const NodeLines lines = { &msh->builder.mesh, 0, parametric ? -1 : 0 };
  return text_each_line(text, count, "a node", read_node, &lines, error);
}

// Reads the first line of a section in version 4.1: number of blocks, number of nodes or elements, smallest and largest
// tag. The two tags are not used.
static bool read_totals(Text *text, const char *what, int low, int high, int record_size, int *blocks, int *count,
                        Error *error) {
  int64_t tag;
  if (!text_next_line(text, "block count", error)) return false;
  if (!text_int(text, "block count", 0, INT32_MAX, blocks, error)) return false;
  if (!text_count(text, what, low, high, record_size, count, error)) return false;
  if (!read_tag(text, "smallest tag", &tag, error)) return false;
  return read_tag(text, "largest tag", &tag, error);
}

static bool read_nodes_41(Msh *msh, Error *error) {
  Text *text = &msh->text;
  int blocks, count, done = 0;
  if (!read_totals(text, "node count", 4, MESH_MAX_NODES, NODE_BYTES, &blocks, &count, error)) return false;
  if (!builder_nodes(&msh->builder, count, error)) return false;
  for (int b = 0; b < blocks; b++) {
    int dim, entity, parametric, in_block;
    if (!text_next_line(text, "a block of nodes", error)) return false;
    if (!text_int(text, "entity dimension", 0, 3, &dim, error)) return false;
    if (!text_int(text, "entity tag", INT32_MIN, INT32_MAX, &entity, error)) return false;
    if (!text_int(text, "parametric", 0, 1, &parametric, error)) return false;
    if (!text_int(text, "count of nodes in this block", 0, count - done, &in_block, error)) return false;
    const NodeLines lines = { &msh->builder.mesh, done, parametric ? dim : 0 };
    if (!text_each_line(text, in_block, "a node tag", read_node_tag, &lines, error) ||
        !text_each_line(text, in_block, "a node's position", read_node_position, &lines, error))
      return false;
    done += in_block;
  }
  if (done < count)
    return error_set(error, "%s:%d: the blocks of $Nodes contain %d nodes, but the first line of $Nodes gives %d",
                     text->path, text->line, done, count);
  return true;
}

static bool read_nodes(Msh *msh, bool parametric, Error *error) {
  Text *text = &msh->text;
  const char *end = parametric ? "$EndParametricNodes" : "$EndNodes";
  if (msh->builder.has_nodes)
    return error_set(error, "%s:%d: the file has a second section $Nodes", text->path, text->line);
  if (msh->binary) {
    if (parametric)
      return error_set(error,
                       "%s:%d: $ParametricNodes is not supported in a binary file; save the mesh as ASCII, or without "
                       "parametric nodes",
                       text->path, text->line);
    if (!msh_binary_nodes(msh, error)) return false;
    if (!text_next_word(text, 0, end, error)) return false;
    if (!text_expect(text, end, error)) return false;
    return builder_index(&msh->builder, error);
  }
  if (!(msh->version == MSH_2_2 ? read_nodes_22(msh, parametric, error) : read_nodes_41(msh, error))) return false;
  return text_next_line(text, end, error) && text_expect(text, end, error) && builder_index(&msh->builder, error);
}

// ---- reading the section $Elements

enum { WINDOW = 1 << 15 };  // max number of elements that are read in parallel and then added to the builder

// An element, as read from its line. `node` contains only the nodes that the reader needs (nodes_taken).
typedef struct ElementLine {
  int64_t tag, node[CELL_NODES_MAX];
  int type, part;  // part: the element's part (groups.h); 0: none
} ElementLine;

// Arguments of the functions that read one element per line. type, part: for version 4.1, in which all elements of a
// block have the same type and belong to the same part (set of elements); type and part of the present block.
typedef struct ElementLines {
  const Msh *msh;
  ElementLine *element;  // [WINDOW], elements that were read but not yet added to the builder
  int type, part;
} ElementLines;

// Returns how many nodes of an element are read; 0: the element is skipped. All nodes are read of elements that
// msh_add_cell adds, of points, lines and faces in a group, and of tets with 4 or 10 nodes. Of tets with more nodes,
// the four corners are read, unless builder.takes_cells is true.
static int nodes_taken(const Msh *msh, int type, int part) {
  const int nodes = msh_type_nodes(type);
  if (msh_takes_cell(msh, type) || (part && msh_takes_piece(msh, type))) return nodes;
  if (msh->builder.takes_cells) return 0;
  return msh_type_kind(type) != CELL_TET ? 0 : nodes == BUILDER_TET_NODES ? nodes : 4;
}

// Reads the nodes of an element, which are the last numbers on its line. Skips those that are not needed.
static bool read_nodes_of(const ElementLines *l, ElementLine *element, Text *text, Error *error) {
  const int taken = nodes_taken(l->msh, element->type, element->part);
  for (int c = 0; c < taken; c++)
    if (!read_tag(text, "the number of a node of the element", &element->node[c], error)) return false;
  if (taken == 0 || msh_type_nodes(element->type) > taken) text_skip_line(text);
  return true;
}

static bool read_element_22(const void *lines, int k, Text *text, Error *error) {
  const ElementLines *l = lines;
  ElementLine *element = &l->element[k];
  int tag_count, tag;
  if (!read_tag(text, "element tag", &element->tag, error)) return false;
  if (!text_int(text, "element type", 1, MSH_TYPES - 1, &element->type, error)) return false;
  if (!text_int(text, "count of tags", 0, INT32_MAX, &tag_count, error)) return false;
  element->part = 0;
  for (int t = 0; t < tag_count; t++) {  // the first tag is the physical group, the second the entity
    if (!text_int(text, "tag", INT32_MIN, INT32_MAX, &tag, error)) return false;
    if (t == 0) element->part = msh_group(tag);
  }
  return read_nodes_of(l, element, text, error);
}

static bool read_element_41(const void *lines, int k, Text *text, Error *error) {
  const ElementLines *l = lines;
  l->element[k].type = l->type;
  l->element[k].part = l->part;
  return read_tag(text, "element tag", &l->element[k].tag, error) && read_nodes_of(l, &l->element[k], text, error);
}

// Adds an element to the builder. A tet or cell becomes a cell of the mesh. All other elements are counted, and those
// of a group are also added to the group.
static bool add_element(Msh *msh, const ElementLine *e, Error *error) {
  if (msh_takes_cell(msh, e->type)) return msh_add_cell(msh, e->type, e->tag, e->part, e->node, error);
  if (msh_type_kind(e->type) == CELL_TET && !msh->builder.takes_cells)
    return msh_add_tet(msh, msh_type_nodes(e->type), e->tag, e->part, e->node, error);
  msh->builder.others[msh_type_kind(e->type)]++;
  return !e->part || !msh_takes_piece(msh, e->type) || msh_add_piece(msh, e->type, e->tag, e->part, e->node, error);
}

// Reads `count` elements, in parallel if possible. If a line is invalid, reads the lines again one after the other, so
// that the error names the first invalid line.
static bool read_element_lines(Msh *msh, int count, int type, int part, TextLine read, Error *error) {
  Text *text = &msh->text;
  ElementLines lines = { msh, array_new(count < WINDOW ? count : WINDOW, sizeof *lines.element, "elements", error),
                         type, part };
  bool ok = lines.element;
  for (int done = 0; ok && done < count;) {
    const int window = count - done < WINDOW ? count - done : WINDOW, first = text->line + 1;
    const bool at_once = text_lines(text, window, read, &lines);
    const int last = text->line;
    for (int k = 0; ok && k < window; k++) {
      if (at_once)
        text->line = first + k;  // for messages: line number of the element that is added
      else
        ok = text_next_line(text, "an element", error) && read(&lines, k, text, error);
      ok = ok && add_element(msh, &lines.element[k], error);
    }
    if (at_once) text->line = last;
    done += window;
  }
  free(lines.element);
  return ok;
}

static bool read_elements_22(Msh *msh, Error *error) {
  Text *text = &msh->text;
  int count;
  if (!text_next_line(text, "element count", error)) return false;
  if (!text_count(text, "element count", 1, MESH_MAX_TETS, ELEMENT_BYTES, &count, error)) return false;
  return read_element_lines(msh, count, 0, 0, read_element_22, error);
}

static bool read_elements_41(Msh *msh, Error *error) {
  Text *text = &msh->text;
  int blocks, count, done = 0;
  if (!read_totals(text, "element count", 1, MESH_MAX_TETS, ELEMENT_BYTES, &blocks, &count, error)) return false;
  for (int b = 0; b < blocks; b++) {
    int dim, entity, type, in_block;
    if (!text_next_line(text, "a block of elements", error)) return false;
    if (!text_int(text, "entity dimension", 0, 3, &dim, error)) return false;
    if (!text_int(text, "entity tag", INT32_MIN, INT32_MAX, &entity, error)) return false;
    if (!text_int(text, "element type", 1, MSH_TYPES - 1, &type, error)) return false;
    if (!text_int(text, "count of elements in this block", 0, count - done, &in_block, error)) return false;
    if (!read_element_lines(msh, in_block, type, msh_part(msh, entity), read_element_41, error)) return false;
    done += in_block;
  }
  if (done < count)
    return error_set(error,
                     "%s:%d: the blocks of $Elements contain %d elements, but the first line of $Elements gives %d",
                     text->path, text->line, done, count);
  return true;
}

static bool read_elements(Msh *msh, Error *error) {
  Text *text = &msh->text;
  if (!msh->builder.has_nodes)
    return error_set(error, "%s:%d: $Elements must come after $Nodes", text->path, text->line);
  if (msh->has_elements)
    return error_set(error, "%s:%d: the file has a second section $Elements", text->path, text->line);
  msh->has_elements = true;
  if (msh->binary)
    return msh_binary_elements(msh, error) && text_next_word(text, 0, "$EndElements", error) &&
           text_expect(text, "$EndElements", error);
  if (!(msh->version == MSH_2_2 ? read_elements_22(msh, error) : read_elements_41(msh, error))) return false;
  return text_next_line(text, "$EndElements", error) && text_expect(text, "$EndElements", error);
}

// ---- reading a whole file

static bool read_section(Msh *msh, Error *error) {
  Text *text = &msh->text;
  const char *word;
  int length;
  char name[SECTION_LENGTH], end[SECTION_LENGTH + 4], copy[TEXT_SHOWN + 4];
  if (!text_next_word(text, 0, "a section", error) || !text_word(text, "a section", &word, &length, error))
    return false;
  if (word[0] != '$' || length < 2 || length >= SECTION_LENGTH)
    return error_set(error, "%s:%d: \"%s\", expected the beginning of a section, %s", text->path, text->line,
                     text_shown(word, length, copy),
                     msh->version == MSH_NONE ? "such as $MeshFormat (is this an MSH file?)" : "such as $Nodes");
  snprintf(name, sizeof name, "%.*s", length, word);
  if (strcmp(name, "$NOD") == 0)
    return error_set(error, "%s:%d: MSH version 1 is not supported; supported: 2.2 and 4.1", text->path, text->line);
  bool nodes = strcmp(name, "$Nodes") == 0, parametric = strcmp(name, "$ParametricNodes") == 0;
  bool elements = strcmp(name, "$Elements") == 0;
  if ((nodes || parametric || elements) && msh->version == MSH_NONE)
    return error_set(error, "%s:%d: %s must come after $MeshFormat", text->path, text->line, name);
  if (strcmp(name, "$MeshFormat") == 0) return read_format(msh, error);
  if (nodes || (parametric && msh->version == MSH_2_2)) return read_nodes(msh, parametric, error);
  if (elements) return read_elements(msh, error);
  if (strcmp(name, "$PhysicalNames") == 0) return msh_names(msh, error);
  if (msh->version == MSH_4_1 && strcmp(name, "$Entities") == 0) return msh_entities(msh, error);
  snprintf(end, sizeof end, "$End%s", name + 1);
  const FileField *field = msh->builder.field;
  if (field && strcmp(name, field->wanted.on_cells ? "$ElementData" : "$NodeData") == 0)
    return msh_field(msh, end, error);
  return msh->binary ? text_search(text, end, error) : text_skip_past(text, end, error);
}

// Reads all sections into the builder.
static bool read_file(Msh *msh, Error *error) {
  const char *path = msh->builder.path;
  if (!text_open(&msh->text, path, error)) return false;
  if (text_at_end(&msh->text)) return error_set(error, "%s: the file is empty", path);
  while (!text_at_end(&msh->text))
    if (!read_section(msh, error)) return false;
  return (msh->builder.has_nodes && msh->has_elements) ||
         error_set(error, "%s:%d: the file ends without %s", path, msh->text.line,
                   msh->builder.has_nodes ? "$Elements" : "$Nodes");
}

bool msh_read(const char *path, TetMesh *mesh, Error *error) {
  return msh_read_field(path, NULL, mesh, error);
}

bool msh_read_field(const char *path, FileField *field, TetMesh *mesh, Error *error) {
  Msh msh = { .builder = { .path = path, .field = field } };
  msh.builder.text = &msh.text;
  const bool ok = read_file(&msh, error) && builder_finish(&msh.builder, mesh, error);
  text_close(&msh.text);
  builder_destroy(&msh.builder);
  return ok;
}

bool msh_read_cells(const char *path, CellMesh *mesh, Error *error) {
  Msh msh = { .builder = { .path = path, .takes_cells = true } };
  msh.builder.text = &msh.text;
  const bool ok = read_file(&msh, error) && builder_finish_cells(&msh.builder, mesh, error);
  text_close(&msh.text);
  builder_destroy(&msh.builder);
  return ok;
}

// ---- writing a file

static void tag_range(const TetMesh *mesh, int64_t *low, int64_t *high) {
  *low = *high = mesh->node_tag[0];
  for (int a = 1; a < mesh->node_count; a++) {
    const int64_t tag = mesh->node_tag[a];
    *low = tag < *low ? tag : *low;
    *high = tag > *high ? tag : *high;
  }
}

// How the cells of a mesh are written. type: Gmsh's number of the element type. For hexes, corner c in the file is
// corner order[c] of mesh->hex; for tets, `order` is not used.
typedef struct MshCells {
  const TetMesh *mesh;
  int type, corners, order[CELL_NODES_MAX];
} MshCells;

static MshCells cells_of(const TetMesh *mesh) {
  MshCells cells = { .mesh = mesh, .corners = mesh_corners(mesh) };
  const CellShape shape = mesh->hex ? CELL_HEX8 : CELL_TET4;
  cells.type = cell_shape_info(shape)->gmsh;
  cell_shape_file_order(shape, CELL_FILE_GMSH, cells.order);
  return cells;
}

// Returns the number (tag) of the node at corner c of cell e. The corners have the order of Gmsh.
static int64_t corner_tag(const MshCells *cells, int e, int c) {
  const TetMesh *mesh = cells->mesh;
  return mesh->node_tag[mesh->hex ? mesh->hex[e][cells->order[c]] : mesh_file_corner(mesh, e, c)];
}

static void write_ascii(FILE *file, const TetMesh *mesh, int version) {
  const MshCells cells = cells_of(mesh);
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  const int64_t *tag = mesh->node_tag;
  if (version == 22) {
    fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", nodes);
    for (int a = 0; a < nodes && !interrupt_requested(); a++)
      fprintf(file, "%lld %.17g %.17g %.17g\n", (long long)tag[a], mesh->X[a][0], mesh->X[a][1], mesh->X[a][2]);
    fprintf(file, "$EndNodes\n$Elements\n%d\n", tets);
  } else {
    int64_t low, high;
    tag_range(mesh, &low, &high);
    fprintf(file, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %d %lld %lld\n3 1 0 %d\n", nodes, (long long)low,
            (long long)high, nodes);
    for (int a = 0; a < nodes && !interrupt_requested(); a++) fprintf(file, "%lld\n", (long long)tag[a]);
    for (int a = 0; a < nodes && !interrupt_requested(); a++)
      fprintf(file, "%.17g %.17g %.17g\n", mesh->X[a][0], mesh->X[a][1], mesh->X[a][2]);
    fprintf(file, "$EndNodes\n$Elements\n1 %d 1 %d\n3 1 %d %d\n", tets, tets, cells.type, tets);
  }

  for (int e = 0; e < tets && !interrupt_requested(); e++) {
    fprintf(file, "%d", e + 1);
    if (version == 22) fprintf(file, " %d 2 1 1", cells.type);
    for (int c = 0; c < cells.corners; c++) fprintf(file, " %lld", (long long)corner_tag(&cells, e, c));
    fputs("\n", file);
  }
  fputs("$EndElements\n", file);
}

static void write_binary(FILE *file, const TetMesh *mesh, int version, bool swap) {
  const MshCells cells = cells_of(mesh);
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  const int64_t *tag = mesh->node_tag;
  int64_t low, high;
  tag_range(mesh, &low, &high);
  fprintf(file, "$MeshFormat\n%s 1 8\n", version == 22 ? "2.2" : "4.1");
  put_i32(file, 1, swap);
  fputs("\n$EndMeshFormat\n$Nodes\n", file);
  if (version == 22) {
    fprintf(file, "%d\n", nodes);
  } else {
    put_i64(file, 1, swap);
    put_i64(file, nodes, swap);
    put_i64(file, low, swap);
    put_i64(file, high, swap);
    put_i32(file, 3, swap);
    put_i32(file, 1, swap);
    put_i32(file, 0, swap);
    put_i64(file, nodes, swap);
    for (int a = 0; a < nodes && !interrupt_requested(); a++) put_i64(file, tag[a], swap);
  }

  for (int a = 0; a < nodes && !interrupt_requested(); a++) {
    if (version == 22) put_i32(file, (int32_t)tag[a], swap);
    for (int i = 0; i < 3; i++) put_f64(file, mesh->X[a][i], swap);
  }
  fputs("\n$EndNodes\n$Elements\n", file);
  if (version == 22) {
    fprintf(file, "%d\n", tets);
    put_i32(file, cells.type, swap);
    put_i32(file, tets, swap);
    put_i32(file, 2, swap);
  } else {
    put_i64(file, 1, swap);
    put_i64(file, tets, swap);
    put_i64(file, 1, swap);
    put_i64(file, tets, swap);
    put_i32(file, 3, swap);
    put_i32(file, 1, swap);
    put_i32(file, cells.type, swap);
    put_i64(file, tets, swap);
  }

  for (int e = 0; e < tets && !interrupt_requested(); e++) {
    if (version == 22) {
      put_i32(file, e + 1, swap);
      put_i32(file, 1, swap);
      put_i32(file, 1, swap);
    } else
      put_i64(file, e + 1, swap);
    for (int c = 0; c < cells.corners; c++) {
      const int64_t number = corner_tag(&cells, e, c);
      if (version == 22)
        put_i32(file, (int32_t)number, swap);
      else
        put_i64(file, number, swap);
    }
  }
  fputs("\n$EndElements\n", file);
}

bool msh_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  const bool binary = how->encoding == MESH_BINARY;
  for (int a = 0; binary && how->msh_version == 22 && a < mesh->node_count; a++)
    if (mesh->node_tag[a] > INT32_MAX)
      return error_set(error, "the number of node %lld does not fit into binary MSH 2.2; write version 4.1",
                       (long long)mesh->node_tag[a]);
  if (binary)
    write_binary(file, mesh, how->msh_version, how->big_endian != machine_is_big_endian());
  else
    write_ascii(file, mesh, how->msh_version);
  return interrupt_check(error);
}
