// Declarations that msh.c (sections, ASCII), msh_binary.c and msh_groups.c share.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/msh_types.h"
#include "mesh/format/text.h"

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

// State while a file is read. has_elements: the section $Elements has been read.
typedef struct Msh {
  Text text;
  MshVersion version;
  bool binary, swap;  // swap: the file has the byte order opposite to that of the machine
  MeshBuilder builder;
  bool has_elements;
} Msh;

/// Returns true if elements of this type are stored by msh_add_cell. With builder.takes_cells these are elements of all
/// supported shapes, otherwise only hexes. Without takes_cells, tets are stored by msh_add_tet, and all other elements
/// are only counted.
static inline bool msh_takes_cell(const Msh *msh, int type) {
  const CellShape shape = msh_type_shape(type);
  return msh->builder.takes_cells ? shape < CELL_SHAPES : shape == CELL_HEX8;
}

/// Returns true if elements of this type are stored by msh_add_piece, as elements of a group of lower dimension than
/// the cells. The number of nodes of the type must be known.
static inline bool msh_takes_piece(const Msh *msh, int type) {
  const CellKind kind = msh_type_kind(type);
  return !msh_takes_cell(msh, type) && msh_type_nodes(type) <= CELL_NODES_MAX &&
         (kind == CELL_POINT || kind == CELL_LINE || kind == CELL_TRIANGLE || kind == CELL_QUADRANGLE);
}

/// Returns the part (groups.h) to which the elements of an entity belong, in MSH 4.1: the entity's number, or 0 if the
/// file has no groups.
static inline int msh_part(const Msh *msh, int entity) {
  return msh->builder.groups.links.count ? entity : 0;
}

/// Returns the number of a group from its tag in a file. The tag is negative if the element or entity has the opposite
/// orientation: for example, tag -3 is group 3.
static inline int msh_group(int tag) {
  return tag < 0 ? -(tag + 1) + (tag > INT32_MIN) : tag;
}

/// Both functions add an element, given by the tags of its nodes: msh_add_cell as a cell, msh_add_piece as an element
/// of a group. `part` is the part of groups.h to which the element belongs, or 0. In MSH 4.1 a part is an entity, and
/// in MSH 2.2 a part is a group.
bool msh_add_cell(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);
bool msh_add_piece(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);

/// Adds a tet of a body, given by the tags of its nodes. If `part` is not 0, also adds the tet to this part of the
/// groups.
bool msh_add_tet(Msh *msh, int nodes, int64_t element, int part, const int64_t *tags, Error *error);

/// Reads the lines after "$PhysicalNames", or after "$Entities" (MSH 4.1).
bool msh_names(Msh *msh, Error *error);
bool msh_entities(Msh *msh, Error *error);

/// Reads a section $NodeData or $ElementData after its first line; `end` is the section's last line. builder.field must
/// not be NULL.
bool msh_field(Msh *msh, const char *end, Error *error);

/// Reads the binary section after "$Nodes" or "$Elements". The position must be at the end of that line.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
