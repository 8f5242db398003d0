// Reads the physical groups of MSH files. The section of their names consists of text lines, in binary files too:
//
//   $PhysicalNames  count, then a line per group: dim group "name"
//
// In version 2.2 the first tag of an element is its group. In version 4.1 an element belongs to an entity, a part of
// the geometry, and a section lists the groups of each entity:
//
//   $Entities       count of points, curves, surfaces and volumes, then a line per entity:
//     a point       tag x y z group_count group...
//     other entity  tag min_x min_y min_z max_x max_y max_z group_count group... bounding_count bounding...
//
// In binary files counts are size_t, tags and groups int, positions double. A group's number is negative if the entity
// has the opposite orientation in this group.
#include <string.h>

#include "mesh/format/binary.h"
#include "mesh/format/msh_parts.h"

enum { DIMENSIONS = 4 };

bool msh_add_cell(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error) {
  const CellShape shape = msh_type_shape(type);
  const int dimension = cell_shape_info(shape)->dimension;
  FileGroups *groups = &msh->builder.groups;
  if (!builder_cell(&msh->builder, shape, CELL_FILE_GMSH, element, tags, error)) return false;
  // pliant-lab, for which takes_cells is true, uses only groups on the boundary. So groups of three-dimensional cells
  // are ignored then.
  if (!part || (msh->builder.takes_cells && dimension > 2)) return true;
  return (msh->version != MSH_2_2 || file_groups_link(groups, dimension, part, part, error)) &&
         file_groups_cell(groups, part, shape, msh->builder.cells[shape].count - 1, error);
}

bool msh_add_tet(Msh *msh, int nodes, int64_t element, int part, const int64_t *tags, Error *error) {
  FileGroups *groups = &msh->builder.groups;
  if (!builder_tet(&msh->builder, element, tags, nodes, builder_edges_gmsh, error)) return false;
  return !part || ((msh->version != MSH_2_2 || file_groups_link(groups, 3, part, part, error)) &&
                   file_groups_cell(groups, part, CELL_TET4, msh->builder.mesh.tet_count - 1, error));
}

bool msh_add_piece(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error) {
  static const struct {
    int dimension, corners;
  } kinds[CELL_KINDS] = {
    [CELL_POINT] = { 0, 1 }, [CELL_LINE] = { 1, 2 }, [CELL_TRIANGLE] = { 2, 3 }, [CELL_QUADRANGLE] = { 2, 4 }
  };
  const int dimension = kinds[msh_type_kind(type)].dimension;
  msh->builder.in_sets[msh_type_kind(type)]++;
  return (msh->version != MSH_2_2 || file_groups_link(&msh->builder.groups, dimension, part, part, error)) &&
         builder_piece(&msh->builder, dimension, part, kinds[msh_type_kind(type)].corners, msh_type_nodes(type),
                       element, tags, error);
}

// Reads the name between the first and the last quote of the line, and advances to the end of the line. *name points to
// the first character of the name in the file's content. *length is the name's length, at most CELL_GROUP_NAME.
static bool read_name(Text *text, const char **name, int *length, Error *error) {
  const char *end = text->at, *first, *last;
  while (end < text->end && *end != '\n' && *end != '\r') end++;
  first = memchr(text->at, '"', (size_t)(end - text->at));
  for (last = end - 1; first && last > first && *last != '"'; last--) continue;
  if (!first || last == first)
    return error_set(error, "%s:%d: expected the name of a physical group in quotes", text->path, text->line);
  *name = first + 1;
  *length = (int)(last - first - 1 < CELL_GROUP_NAME ? last - first - 1 : CELL_GROUP_NAME);
  text_skip_line(text);
  return true;
}

bool msh_names(Msh *msh, Error *error) {
  enum { NAME_BYTES = 7 };  // bytes of the shortest line, which is 0 1 "" with its line end
  Text *text = &msh->text;
  int count;
  if (!text_next_line(text, "count of physical names", error) ||
      !text_count(text, "count of physical names", 0, INT32_MAX, NAME_BYTES, &count, error))
    return false;
  for (int k = 0; k < count; k++) {
    int dimension, group, length = 0;
    const char *name = NULL;
    if (!text_next_line(text, "a physical group", error)) return false;
    if (!text_int(text, "physical group's dimension", 0, 3, &dimension, error)) return false;
    if (!text_int(text, "physical group's number", INT32_MIN, INT32_MAX, &group, error)) return false;
    if (!read_name(text, &name, &length, error)) return false;
    if (!file_groups_name(&msh->builder.groups, dimension, group, name, length, error)) return false;
  }
  return text_next_line(text, "$EndPhysicalNames", error) && text_expect(text, "$EndPhysicalNames", error);
}

static bool link(Msh *msh, int dimension, int entity, int group, Error *error) {
  return file_groups_link(&msh->builder.groups, dimension, entity, msh_group(group), error);
}

static bool read_entity(Msh *msh, int dimension, Error *error) {
  Text *text = &msh->text;
  int entity, group, count;
  double coordinate;
  if (!text_next_line(text, "an entity", error) || !text_int(text, "entity tag", INT32_MIN, INT32_MAX, &entity, error))
    return false;
  for (int i = 0; i < (dimension ? 6 : 3); i++)
    if (!text_double(text, "entity's coordinate", &coordinate, error)) return false;
  if (!text_count(text, "count of physical groups", 0, INT32_MAX, 2, &count, error)) return false;
  for (int k = 0; k < count; k++)
    if (!text_int(text, "physical group", INT32_MIN, INT32_MAX, &group, error) ||
        !link(msh, dimension, entity, group, error))
      return false;
  text_skip_line(text);  // skip the tags of the entities that bound this one
  return true;
}

static bool read_entities(Msh *msh, Error *error) {
  enum { ENTITY_BYTES = 9 };  // bytes of the shortest line, 1 0 0 0 0, without its line end
  Text *text = &msh->text;
  int count[DIMENSIONS];
  if (!text_next_line(text, "counts of entities", error)) return false;
  for (int d = 0; d < DIMENSIONS; d++)
    if (!text_count(text, "count of entities", 0, INT32_MAX, ENTITY_BYTES, &count[d], error)) return false;
  for (int d = 0; d < DIMENSIONS; d++)
    for (int k = 0; k < count[d]; k++)
      if (!read_entity(msh, d, error)) return false;
  return text_next_line(text, "$EndEntities", error) && text_expect(text, "$EndEntities", error);
}

// Reads a count of 8 bytes, and then this many items of `size` bytes each. *bytes points to the first item.
static bool get_count(Msh *msh, const char *what, int size, int64_t *count, const unsigned char **bytes, Error *error) {
  if (!text_bytes(&msh->text, what, 1, 8, bytes, error)) return false;
  *count = binary_i64(*bytes, msh->swap);
  return text_bytes(&msh->text, what, *count, size, bytes, error);
}

static bool get_entity(Msh *msh, int dimension, Error *error) {
  const unsigned char *bytes;
  int64_t count;
  if (!text_bytes(&msh->text, "an entity", 1, 4 + 8 * (dimension ? 6 : 3), &bytes, error)) return false;
  const int entity = binary_i32(bytes, msh->swap);
  if (!get_count(msh, "physical groups", 4, &count, &bytes, error)) return false;
  for (int64_t k = 0; k < count; k++)
    if (!link(msh, dimension, entity, binary_i32(bytes + 4 * k, msh->swap), error)) return false;
  return dimension == 0 || get_count(msh, "bounding entities", 4, &count, &bytes, error);
}

static bool get_entities(Msh *msh, Error *error) {
  const unsigned char *bytes;
  int64_t count[DIMENSIONS];
  if (!text_begin_binary(&msh->text, "entities", error) ||
      !text_bytes(&msh->text, "counts of entities", DIMENSIONS, 8, &bytes, error))
    return false;
  for (int d = 0; d < DIMENSIONS; d++) count[d] = binary_i64(bytes + 8 * d, msh->swap);
  for (int d = 0; d < DIMENSIONS; d++)
    for (int64_t k = 0; k < count[d]; k++)
      if (!get_entity(msh, d, error)) return false;
  return text_next_word(&msh->text, 0, "$EndEntities", error) && text_expect(&msh->text, "$EndEntities", error);
}

bool msh_entities(Msh *msh, Error *error) {
  return msh->binary ? get_entities(msh, error) : read_entities(msh, error);
}
