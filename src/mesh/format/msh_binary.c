// Reads the sections $Nodes and $Elements of MSH files in binary form; msh.c reads the ASCII form. In the file an int
// has 4 bytes; a size_t and a double have 8 bytes.
//
//   2.2  $Nodes      count in ASCII, then per node: int tag, double x y z
//        $Elements   count in ASCII, then per block: int type count tag_count, and per element: int tag tag... node...
//   4.1  $Nodes      size_t blocks count min max, then per block: int dim entity parametric, size_t count,
//                    size_t tag each, double x y z [u [v [w]]] each
//        $Elements   size_t blocks count min max, then per block: int dim entity type, size_t count,
//                    per element: size_t tag node...
#include "base/interrupt.h"
#include "mesh/format/binary.h"
#include "mesh/format/msh_parts.h"

static bool bad(const Msh *msh, const char *what, int64_t value, int64_t low, int64_t high, Error *error) {
  char location[WHERE_LENGTH], range[TEXT_RANGE_LENGTH];
  return error_set(error, "%s: %s is \"%lld\", expected %s", builder_where(&msh->builder, location), what,
                   (long long)value, text_range(low, high, range));
}

static bool get_i32(Msh *msh, const char *what, int32_t low, int32_t high, int32_t *value, Error *error) {
  const unsigned char *bytes;
  if (!text_bytes(&msh->text, what, 1, 4, &bytes, error)) return false;
  *value = binary_i32(bytes, msh->swap);
  return (*value >= low && *value <= high) || bad(msh, what, *value, low, high, error);
}

static bool get_i64(Msh *msh, const char *what, int64_t low, int64_t high, int64_t *value, Error *error) {
  const unsigned char *bytes;
  if (!text_bytes(&msh->text, what, 1, 8, &bytes, error)) return false;
  *value = binary_i64(bytes, msh->swap);
  return (*value >= low && *value <= high) || bad(msh, what, *value, low, high, error);
}

static void get_position(const unsigned char *from, bool swap, double X[3]) {
  for (int i = 0; i < 3; i++) X[i] = binary_f64(from + 8 * i, swap);
}

static bool nodes_22(Msh *msh, Error *error) {
  enum { NODE_BYTES = 28 };
  Text *text = &msh->text;
  TetMesh *mesh = &msh->builder.mesh;
  const unsigned char *bytes;
  int count;
  if (!text_next_line(text, "node count", error)) return false;
  if (!text_count(text, "node count", 4, MESH_MAX_NODES, NODE_BYTES, &count, error)) return false;
  if (!text_begin_binary(text, "nodes", error)) return false;
  if (!text_bytes(text, "nodes", count, NODE_BYTES, &bytes, error)) return false;
  if (!builder_nodes(&msh->builder, count, error)) return false;
  for (int a = 0; a < count && !interrupt_requested(); a++, bytes += NODE_BYTES) {
    mesh->node_tag[a] = binary_i32(bytes, msh->swap);
    get_position(bytes + 4, msh->swap, mesh->X[a]);
  }
  return true;
}

static bool totals(Msh *msh, const char *what, int64_t high, int64_t *blocks, int64_t *count, Error *error) {
  int64_t low_tag, high_tag;
  if (!text_begin_binary(&msh->text, "binary data", error)) return false;
  if (!get_i64(msh, "block count", 0, INT32_MAX, blocks, error)) return false;
  if (!get_i64(msh, what, 1, high, count, error)) return false;
  if (!get_i64(msh, "smallest tag", INT64_MIN, INT64_MAX, &low_tag, error)) return false;
  return get_i64(msh, "largest tag", INT64_MIN, INT64_MAX, &high_tag, error);
}

static bool nodes_41(Msh *msh, Error *error) {
  Text *text = &msh->text;
  TetMesh *mesh = &msh->builder.mesh;
  int64_t blocks, count, done = 0;
  if (!totals(msh, "node count", MESH_MAX_NODES, &blocks, &count, error)) return false;

  // Test if the file is long enough before memory is allocated. A node has at least 32 bytes: a tag (its number) of 8
  // bytes and a position of 24 bytes.
  const unsigned char *bytes;
  const char *here = text->at;
  if (!text_bytes(text, "nodes", count, 32, &bytes, error)) return false;
  text->at = here;
  if (!builder_nodes(&msh->builder, count, error)) return false;
  for (int64_t b = 0; b < blocks; b++) {
    int32_t dim, entity, parametric;
    int64_t in_block;
    if (!get_i32(msh, "entity dimension", 0, 3, &dim, error)) return false;
    if (!get_i32(msh, "entity tag", INT32_MIN, INT32_MAX, &entity, error)) return false;
    if (!get_i32(msh, "parametric", 0, 1, &parametric, error)) return false;
    if (!get_i64(msh, "count of nodes in this block", 0, count - done, &in_block, error)) return false;
    if (!text_bytes(text, "node tags", in_block, 8, &bytes, error)) return false;
    for (int64_t a = 0; a < in_block && !interrupt_requested(); a++)
      mesh->node_tag[done + a] = binary_i64(bytes + 8 * a, msh->swap);
    const int size = 8 * (3 + (parametric ? dim : 0));
    if (!text_bytes(text, "nodes' positions", in_block, size, &bytes, error)) return false;
    for (int64_t a = 0; a < in_block && !interrupt_requested(); a++)
      get_position(bytes + size * a, msh->swap, mesh->X[done + a]);
    done += in_block;
  }
  return done == count || bad(msh, "sum of the blocks' node counts", done, count, count, error);
}

bool msh_binary_nodes(Msh *msh, Error *error) {
  return msh->version == MSH_2_2 ? nodes_22(msh, error) : nodes_41(msh, error);
}

enum { PART_OF_EACH = -1 };

// Adds `count` elements of one type to the builder. They are stored one after the other with `size` bytes each. The
// nodes of an element begin `offset` bytes after its start and have `width` bytes each. `part` is the number of the
// part (set of elements, see groups.h) to which all these elements belong; 0: none; PART_OF_EACH: each element's part
// is its first tag, or 0 if it has no tags.
static bool take_elements(Msh *msh, int type, int part, int64_t count, int64_t size, int64_t offset, int width,
                          Error *error) {
  const unsigned char *bytes;
  const CellKind kind = msh_type_kind(type);
  const int nodes = msh_type_nodes(type), read = nodes == BUILDER_TET_NODES ? nodes : 4;
  if (!text_bytes(&msh->text, "elements", count, size, &bytes, error)) return false;
  const CellShape shape = msh_takes_cell(msh, type) ? msh_type_shape(type) : CELL_SHAPES;
  const bool piece = msh_takes_piece(msh, type);
  if (shape == CELL_SHAPES && (msh->builder.takes_cells || kind != CELL_TET)) {
    msh->builder.others[kind] += count;
    if (!piece) return true;
  }
  for (int64_t e = 0; e < count; e++, bytes += size) {
    int64_t tags[CELL_NODES_MAX];
    for (int c = 0; c < (piece || shape < CELL_SHAPES ? nodes : read); c++) {
      const unsigned char *from = bytes + offset + width * c;
      tags[c] = width == 4 ? binary_i32(from, msh->swap) : binary_i64(from, msh->swap);
    }
    const int64_t number = width == 4 ? binary_i32(bytes, msh->swap) : binary_i64(bytes, msh->swap);
    const int own = part != PART_OF_EACH ? part : offset > width ? msh_group(binary_i32(bytes + width, msh->swap)) : 0;
    if (!(shape < CELL_SHAPES ? msh_add_cell(msh, type, number, own, tags, error)
          : piece             ? !own || msh_add_piece(msh, type, number, own, tags, error)
                              : msh_add_tet(msh, nodes, number, own, tags, error)))
      return false;
  }
  return true;
}

static bool known_type(const Msh *msh, int type, Error *error) {
  char location[WHERE_LENGTH];
  return msh_type_nodes(type) > 0 ||
         error_set(error, "%s: unknown element type %d", builder_where(&msh->builder, location), type);
}

static bool elements_22(Msh *msh, Error *error) {
  Text *text = &msh->text;
  int count;
  if (!text_next_line(text, "element count", error) ||
      !text_count(text, "element count", 1, MESH_MAX_TETS, 8, &count, error) ||
      !text_begin_binary(text, "elements", error))
    return false;
  while (count > 0) {
    int32_t type, in_block, tag_count;
    if (!get_i32(msh, "element type", 1, MSH_TYPES - 1, &type, error)) return false;
    if (!known_type(msh, type, error)) return false;
    if (!get_i32(msh, "count of elements in this block", 1, count, &in_block, error)) return false;
    if (!get_i32(msh, "count of tags", 0, 1 << 20, &tag_count, error)) return false;
    const int64_t before = 4 * (1 + (int64_t)tag_count), size = before + 4 * (int64_t)msh_type_nodes(type);
    if (!take_elements(msh, type, PART_OF_EACH, in_block, size, before, 4, error)) return false;
    count -= in_block;
  }
  return true;
}

static bool elements_41(Msh *msh, Error *error) {
  int64_t blocks, count, done = 0;
  if (!totals(msh, "element count", MESH_MAX_TETS, &blocks, &count, error)) return false;
  for (int64_t b = 0; b < blocks; b++) {
    int32_t dim, entity, type;
    int64_t in_block;
    if (!get_i32(msh, "entity dimension", 0, 3, &dim, error)) return false;
    if (!get_i32(msh, "entity tag", INT32_MIN, INT32_MAX, &entity, error)) return false;
    if (!get_i32(msh, "element type", 1, MSH_TYPES - 1, &type, error)) return false;
    if (!known_type(msh, type, error)) return false;
    if (!get_i64(msh, "count of elements in this block", 0, count - done, &in_block, error)) return false;
    if (!take_elements(msh, type, msh_part(msh, entity), in_block, 8 * (1 + (int64_t)msh_type_nodes(type)), 8, 8,
                       error))
      return false;
    done += in_block;
  }
  return done == count || bad(msh, "sum of the blocks' element counts", done, count, count, error);
}

bool msh_binary_elements(Msh *msh, Error *error) {
  return msh->version == MSH_2_2 ? elements_22(msh, error) : elements_41(msh, error);
}
