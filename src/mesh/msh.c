// Gmsh MSH, ASCII. A file is a row of sections, $Name ... $EndName; two of them matter:
//
//   2.2  $Nodes      count, then a line per node         tag x y z
//        $Elements   count, then a line per element      tag type tag_count tag... node...
//   4.1  $Nodes      block_count count min max           and per block: dim entity parametric count,
//                                                        then a line per node tag, then a line x y z [u [v [w]]] each
//        $Elements   block_count count min max           and per block: dim entity type count,
//                                                        then a line per element: tag node...
//
// Node tags need be neither dense nor in order, so elements look them up in a sorted list. Arrays are allocated from a
// stated count only after it was held against the bytes that are left.
#include "mesh/msh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "mesh/text.h"

enum { LINEAR_TET = 4, TYPE_COUNT = 141, SECTION_LENGTH = 64, LIST_LENGTH = 512 };
enum { NODE_BYTES = 8, ELEMENT_BYTES = 4 };  // the shortest lines there are: "1 0 0 0\n" and "1 1\n"

// Gmsh's element types, for messages: [type] = one, many
static const char *const type_name[TYPE_COUNT][2] = {
  [1] = { "line", "lines" },
  [2] = { "triangle", "triangles" },
  [3] = { "quadrangle", "quadrangles" },
  [4] = { "tetrahedron", "tetrahedra" },
  [5] = { "hexahedron", "hexahedra" },
  [6] = { "prism", "prisms" },
  [7] = { "pyramid", "pyramids" },
  [8] = { "3-node line", "3-node lines" },
  [9] = { "6-node triangle", "6-node triangles" },
  [10] = { "9-node quadrangle", "9-node quadrangles" },
  [11] = { "10-node tetrahedron", "10-node tetrahedra" },
  [12] = { "27-node hexahedron", "27-node hexahedra" },
  [13] = { "18-node prism", "18-node prisms" },
  [14] = { "14-node pyramid", "14-node pyramids" },
  [15] = { "point", "points" },
  [16] = { "8-node quadrangle", "8-node quadrangles" },
  [17] = { "20-node hexahedron", "20-node hexahedra" },
  [18] = { "15-node prism", "15-node prisms" },
  [19] = { "13-node pyramid", "13-node pyramids" },
  [21] = { "10-node triangle", "10-node triangles" },
  [23] = { "15-node triangle", "15-node triangles" },
  [26] = { "4-node line", "4-node lines" },
  [27] = { "5-node line", "5-node lines" },
  [29] = { "20-node tetrahedron", "20-node tetrahedra" },
  [30] = { "35-node tetrahedron", "35-node tetrahedra" },
  [31] = { "56-node tetrahedron", "56-node tetrahedra" },
};

typedef struct TagIndex {
  int64_t tag;
  int node;
} TagIndex;

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

typedef struct Msh {
  Text text;
  MshVersion version;
  TetMesh mesh;
  TagIndex *index;        // [mesh.node_count], ascending by tag
  int64_t tet_capacity;   // of mesh.tet
  int count[TYPE_COUNT];  // elements of each type
  bool has_elements;
} Msh;

// ---- $MeshFormat

static bool read_format(Msh *msh, Error *error) {
  Text *text = &msh->text;
  const char *word;
  int length, binary, data_size;
  char copy[TEXT_SHOWN + 4];
  if (msh->version != MSH_NONE) return error_set(error, "%s:%d: a second $MeshFormat", text->path, text->line);
  if (!text_next_line(text, "version, file type and data size", error)) return false;
  if (!text_word(text, "version", &word, &length, error)) return false;
  if (length == 3 && memcmp(word, "2.2", 3) == 0) msh->version = MSH_2_2;
  if (length == 3 && memcmp(word, "4.1", 3) == 0) msh->version = MSH_4_1;
  if (msh->version == MSH_NONE)
    return error_set(error, "%s:%d: MSH version %s is not supported; supported: 2.2 and 4.1, ASCII", text->path,
                     text->line, text_shown(word, length, copy));
  if (!text_int(text, "file type", 0, 1, &binary, error)) return false;
  if (binary)
    return error_set(error, "%s:%d: binary MSH: not supported yet, save as ASCII (in Gmsh: Mesh.Binary = 0)",
                     text->path, text->line);
  if (!text_int(text, "data size", 1, 64, &data_size, error)) return false;
  return text_next_line(text, "$EndMeshFormat", error) && text_expect(text, "$EndMeshFormat", error);
}

// ---- $Nodes

static int compare_tags(const void *left, const void *right) {
  int64_t a = ((const TagIndex *)left)->tag, b = ((const TagIndex *)right)->tag;
  return (a > b) - (a < b);
}

static bool index_tags(Msh *msh, Error *error) {
  TetMesh *mesh = &msh->mesh;
  bool sorted = true;
  msh->index = array_new(mesh->node_count, sizeof *msh->index, "node tags", error);
  if (!msh->index) return false;
  for (int a = 0; a < mesh->node_count; a++) {
    msh->index[a] = (TagIndex){ mesh->node_tag[a], a };
    if (a > 0 && msh->index[a].tag <= msh->index[a - 1].tag) sorted = false;
  }
  if (sorted) return true;
  qsort(msh->index, (size_t)mesh->node_count, sizeof *msh->index, compare_tags);
  for (int a = 1; a < mesh->node_count; a++)
    if (msh->index[a].tag == msh->index[a - 1].tag)
      return error_set(error, "%s:%d: $Nodes has two nodes with the tag %lld", msh->text.path, msh->text.line,
                       (long long)msh->index[a].tag);
  return true;
}

// -1 where the file has no such node
static int find_node(const Msh *msh, int64_t tag) {
  const TagIndex *index = msh->index;
  int low = 0, high = msh->mesh.node_count - 1;
  // dense tags, as most files have them, are found at once
  int64_t guess = tag >= index[0].tag && tag <= index[high].tag ? tag - index[0].tag : -1;
  if (guess < 0) return -1;
  if (guess <= high && index[guess].tag == tag) return index[guess].node;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    if (index[middle].tag == tag) return index[middle].node;
    if (index[middle].tag < tag)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

static bool read_position(Text *text, double *X, Error *error) {
  return text_double(text, "node's x", &X[0], error) && text_double(text, "node's y", &X[1], error) &&
         text_double(text, "node's z", &X[2], error);
}

static bool read_tag(Text *text, const char *what, int64_t *tag, Error *error) {
  return text_int64(text, what, 0, INT64_MAX, tag, error);
}

static bool make_nodes(TetMesh *mesh, int count, Error *error) {
  mesh->node_count = count;
  mesh->X = array_new(count, sizeof *mesh->X, "nodes", error);
  mesh->node_tag = array_new(count, sizeof *mesh->node_tag, "node tags", error);
  return mesh->X && mesh->node_tag;
}

static bool read_nodes_22(Msh *msh, bool parametric, Error *error) {
  Text *text = &msh->text;
  TetMesh *mesh = &msh->mesh;
  int count;
  if (!text_next_line(text, "node count", error)) return false;
  if (!text_count(text, "node count", 4, MESH_MAX_NODES, NODE_BYTES, &count, error)) return false;
  if (!make_nodes(mesh, count, error)) return false;
  for (int a = 0; a < count; a++) {
    if (!text_next_line(text, "a node", error)) return false;
    if (!read_tag(text, "node tag", &mesh->node_tag[a], error)) return false;
    if (!read_position(text, mesh->X[a], error)) return false;
    if (parametric) text_skip_line(text);  // dim, entity and the coordinates on it
  }
  return true;
}

// The line of a 4.1 section: how many blocks, how many nodes or elements in all, and the range of tags, of no use here.
static bool read_totals(Text *text, const char *what, int low, int high, int record_size, int *blocks, int *count,
                        Error *error) {
  int64_t tag;
  return text_next_line(text, "block count", error) && text_int(text, "block count", 0, INT32_MAX, blocks, error) &&
         text_count(text, what, low, high, record_size, count, error) && read_tag(text, "smallest tag", &tag, error) &&
         read_tag(text, "largest tag", &tag, error);
}

static bool read_nodes_41(Msh *msh, Error *error) {
  Text *text = &msh->text;
  TetMesh *mesh = &msh->mesh;
  int blocks, count, done = 0;
  if (!read_totals(text, "node count", 4, MESH_MAX_NODES, NODE_BYTES, &blocks, &count, error)) return false;
  if (!make_nodes(mesh, count, error)) return false;
  for (int b = 0; b < blocks; b++) {
    int dim, entity, parametric, in_block;
    if (!text_next_line(text, "a block of nodes", error)) return false;
    if (!text_int(text, "entity dimension", 0, 3, &dim, error)) return false;
    if (!text_int(text, "entity tag", INT32_MIN, INT32_MAX, &entity, error)) return false;
    if (!text_int(text, "parametric", 0, 1, &parametric, error)) return false;
    if (!text_int(text, "count of nodes in this block", 0, count - done, &in_block, error)) return false;
    for (int a = done; a < done + in_block; a++) {
      if (!text_next_line(text, "a node tag", error)) return false;
      if (!read_tag(text, "node tag", &mesh->node_tag[a], error)) return false;
    }
    for (int a = done; a < done + in_block; a++) {
      double on_entity;
      if (!text_next_line(text, "a node's position", error) || !read_position(text, mesh->X[a], error)) return false;
      for (int i = 0; i < (parametric ? dim : 0); i++)
        if (!text_double(text, "node's parametric coordinate", &on_entity, error)) return false;
    }
    done += in_block;
  }
  if (done < count)
    return error_set(error, "%s:%d: the blocks of $Nodes hold %d nodes, its first line promises %d", text->path,
                     text->line, done, count);
  return true;
}

static bool read_nodes(Msh *msh, bool parametric, Error *error) {
  Text *text = &msh->text;
  const char *end = parametric ? "$EndParametricNodes" : "$EndNodes";
  if (msh->index) return error_set(error, "%s:%d: a second $Nodes", text->path, text->line);
  if (!(msh->version == MSH_2_2 ? read_nodes_22(msh, parametric, error) : read_nodes_41(msh, error))) return false;
  return text_next_line(text, end, error) && text_expect(text, end, error) && index_tags(msh, error);
}

// ---- $Elements

// The four corners of a tet, the rest of its line.
static bool read_tet(Msh *msh, int64_t element_tag, Error *error) {
  Text *text = &msh->text;
  TetMesh *mesh = &msh->mesh;
  // Gmsh's order has (X2-X1).((X3-X1)x(X4-X1)) > 0, ours the opposite sign: its corners 1 and 2 change places
  static const int place[4] = { 1, 0, 2, 3 };
  void *items = mesh->tet;
  int64_t needed = mesh->tet_count + (int64_t)1;
  bool grown = array_reserve(&items, &msh->tet_capacity, needed, sizeof *mesh->tet, "tets", error);
  mesh->tet = items;
  if (!grown) return false;
  for (int c = 0; c < 4; c++) {
    int64_t node_tag;
    if (!read_tag(text, "tet's node", &node_tag, error)) return false;
    int node = find_node(msh, node_tag);
    if (node < 0)
      return error_set(error, "%s:%d: element %lld has the node %lld, which is not in $Nodes", text->path, text->line,
                       (long long)element_tag, (long long)node_tag);
    mesh->tet[mesh->tet_count][place[c]] = node;
  }
  mesh->tet_count++;
  return true;
}

// After tag and type: a tet is kept, any other element only counted.
static bool read_element(Msh *msh, int type, int64_t element_tag, Error *error) {
  msh->count[type]++;
  if (type == LINEAR_TET) return read_tet(msh, element_tag, error);
  text_skip_line(&msh->text);
  return true;
}

static bool read_elements_22(Msh *msh, Error *error) {
  Text *text = &msh->text;
  int count, type, tag_count, ignored;
  int64_t element_tag;
  if (!text_next_line(text, "element count", error)) return false;
  if (!text_count(text, "element count", 1, MESH_MAX_TETS, ELEMENT_BYTES, &count, error)) return false;
  for (int e = 0; e < count; e++) {
    if (!text_next_line(text, "an element", error)) return false;
    if (!read_tag(text, "element tag", &element_tag, error)) return false;
    if (!text_int(text, "element type", 1, TYPE_COUNT - 1, &type, error)) return false;
    if (!text_int(text, "count of tags", 0, INT32_MAX, &tag_count, error)) return false;
    for (int t = 0; t < tag_count; t++)  // physical group, entity, partitions
      if (!text_int(text, "tag", INT32_MIN, INT32_MAX, &ignored, error)) return false;
    if (!read_element(msh, type, element_tag, error)) return false;
  }
  return true;
}

static bool read_elements_41(Msh *msh, Error *error) {
  Text *text = &msh->text;
  int blocks, count, done = 0;
  if (!read_totals(text, "element count", 1, MESH_MAX_TETS, ELEMENT_BYTES, &blocks, &count, error)) return false;
  for (int b = 0; b < blocks; b++) {
    int dim, entity, type, in_block;
    int64_t element_tag;
    if (!text_next_line(text, "a block of elements", error)) return false;
    if (!text_int(text, "entity dimension", 0, 3, &dim, error)) return false;
    if (!text_int(text, "entity tag", INT32_MIN, INT32_MAX, &entity, error)) return false;
    if (!text_int(text, "element type", 1, TYPE_COUNT - 1, &type, error)) return false;
    if (!text_int(text, "count of elements in this block", 0, count - done, &in_block, error)) return false;
    for (int e = 0; e < in_block; e++) {
      if (!text_next_line(text, "an element", error)) return false;
      if (!read_tag(text, "element tag", &element_tag, error)) return false;
      if (!read_element(msh, type, element_tag, error)) return false;
    }
    done += in_block;
  }
  if (done < count)
    return error_set(error, "%s:%d: the blocks of $Elements hold %d elements, its first line promises %d", text->path,
                     text->line, done, count);
  return true;
}

static bool read_elements(Msh *msh, Error *error) {
  Text *text = &msh->text;
  if (!msh->index) return error_set(error, "%s:%d: $Elements before $Nodes", text->path, text->line);
  if (msh->has_elements) return error_set(error, "%s:%d: a second $Elements", text->path, text->line);
  msh->has_elements = true;
  if (!(msh->version == MSH_2_2 ? read_elements_22(msh, error) : read_elements_41(msh, error))) return false;
  return text_next_line(text, "$EndElements", error) && text_expect(text, "$EndElements", error);
}

// ---- the file

static bool read_section(Msh *msh, Error *error) {
  Text *text = &msh->text;
  const char *word;
  int length;
  char name[SECTION_LENGTH], end[SECTION_LENGTH + 4], copy[TEXT_SHOWN + 4];
  if (!text_next_line(text, "a section", error) || !text_word(text, "a section", &word, &length, error)) return false;
  if (word[0] != '$' || length < 2 || length >= SECTION_LENGTH)
    return error_set(error, "%s:%d: \"%s\" where a section should begin, %s", text->path, text->line,
                     text_shown(word, length, copy),
                     msh->version == MSH_NONE ? "$MeshFormat for one (is this an MSH file?)" : "such as $Nodes");
  snprintf(name, sizeof name, "%.*s", length, word);
  if (strcmp(name, "$NOD") == 0)
    return error_set(error, "%s:%d: MSH version 1 is not supported; supported: 2.2 and 4.1, ASCII", text->path,
                     text->line);
  bool nodes = strcmp(name, "$Nodes") == 0, parametric = strcmp(name, "$ParametricNodes") == 0;
  bool elements = strcmp(name, "$Elements") == 0;
  if ((nodes || parametric || elements) && msh->version == MSH_NONE)
    return error_set(error, "%s:%d: %s before $MeshFormat", text->path, text->line, name);
  if (strcmp(name, "$MeshFormat") == 0) return read_format(msh, error);
  if (nodes || (parametric && msh->version == MSH_2_2)) return read_nodes(msh, parametric, error);
  if (elements) return read_elements(msh, error);
  snprintf(end, sizeof end, "$End%s", name + 1);
  return text_skip_past(text, end, error);
}

static bool is_higher_order_tet(int type) {
  return type == 11 || (type >= 29 && type <= 31);
}

// 8194 as "8,194"
static void print_count(int count, char out[16]) {
  char digits[16];
  int length = snprintf(digits, sizeof digits, "%d", count), o = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) out[o++] = ',';
    out[o++] = digits[i];
  }
  out[o] = 0;
}

// "8,194 triangles, 2 points" of all but linear tets. False where there are none.
static bool list_others(const Msh *msh, char list[LIST_LENGTH]) {
  size_t length = 0;
  list[0] = 0;
  for (int type = 1; type < TYPE_COUNT && length < LIST_LENGTH; type++) {
    int count = msh->count[type];
    if (count == 0 || type == LINEAR_TET) continue;
    char number[16], unnamed[32];
    const char *name = type_name[type][count != 1];
    print_count(count, number);
    if (!name) snprintf(unnamed, sizeof unnamed, "element%s of type %d", count == 1 ? "" : "s", type), name = unnamed;
    length += (size_t)snprintf(list + length, LIST_LENGTH - length, "%s%s %s%s", length ? ", " : "", number, name,
                               is_higher_order_tet(type) ? " (higher order: not supported)" : "");
  }
  return length > 0;
}

bool msh_read(const char *path, TetMesh *mesh, Error *error) {
  bool ok = false;
  Msh msh = { 0 };
  char others[LIST_LENGTH];
  if (!text_open(&msh.text, path, error)) goto done;
  if (text_at_end(&msh.text)) {
    error_set(error, "%s: the file is empty", path);
    goto done;
  }
  while (!text_at_end(&msh.text))
    if (!read_section(&msh, error)) goto done;
  if (!msh.index || !msh.has_elements) {
    error_set(error, "%s:%d: the file ends without %s", path, msh.text.line, msh.index ? "$Elements" : "$Nodes");
    goto done;
  }
  bool has_others = list_others(&msh, others);
  if (msh.mesh.tet_count == 0) {
    error_set(error, "%s: no linear (4-node) tetrahedra; the file has %s", path, has_others ? others : "no elements");
    goto done;
  }
  if (has_others) log_notice("%s: skipped %s", path, others);
  *mesh = msh.mesh, msh.mesh = (TetMesh){ 0 };  // handed over
  ok = true;
done:
  text_close(&msh.text);
  mesh_destroy(&msh.mesh);
  free(msh.index);
  return ok;
}
