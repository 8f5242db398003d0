// Declarations that msh.c (sections, ASCII), msh_binary.c and msh_groups.c share.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/msh_types.h"
#include "mesh/format/text.h"

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

typedef struct Msh {
  Text text;
  MshVersion version;
  bool binary, swap;  // swap: the file has the opposite byte order of the machine
  MeshBuilder builder;
  bool has_elements;
} Msh;

/// Returns true if elements of a type are stored as cells of their shape (msh_add_cell). With builder.takes_cells these
/// are all supported shapes, otherwise only hexes; tets are then stored as tets and other elements only counted.
static inline bool msh_takes_cell(const Msh *msh, int type) {
  const CellShape shape = msh_type_shape(type);
  return msh->builder.takes_cells ? shape < CELL_SHAPES : shape == CELL_HEX8;
}

/// Returns true if an element of lower dimension than cells is stored as an element of a group (msh_add_piece). This
/// requires a type with a known number of nodes.
static inline bool msh_takes_piece(const Msh *msh, int type) {
  const CellKind kind = msh_type_kind(type);
  return !msh_takes_cell(msh, type) && msh_type_nodes(type) <= CELL_NODES_MAX &&
         (kind == CELL_POINT || kind == CELL_LINE || kind == CELL_TRIANGLE || kind == CELL_QUADRANGLE);
}

/// Returns the part (groups.h) of elements of an entity in MSH 4.1: the entity's number, or 0 if the file has no
/// groups.
static inline int msh_part(const Msh *msh, int entity) {
  return msh->builder.groups.links.count ? entity : 0;
}

/// Returns the number of a group from its tag in a file, which is negative for an element or entity of opposite
/// orientation.
static inline int msh_group(int tag) {
  return tag < 0 ? -(tag + 1) + (tag > INT32_MIN) : tag;
}

/// msh_add_cell adds a cell, and msh_add_piece an element of a group, by the tags of its nodes. `part` is the part of
/// groups.h to which it belongs, or 0. In MSH 4.1 a part is an entity, and in 2.2 the group itself.
bool msh_add_cell(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);
bool msh_add_piece(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);

/// Adds a tet of a body by the tags of its nodes, and its group if `part` is not 0.
bool msh_add_tet(Msh *msh, int nodes, int64_t element, int part, const int64_t *tags, Error *error);

/// Read the section after "$PhysicalNames", or after "$Entities" (4.1).
bool msh_names(Msh *msh, Error *error);
bool msh_entities(Msh *msh, Error *error);

/// Reads a section $NodeData or $ElementData after its first line; `end` is its last one. builder.field must not be
/// NULL.
bool msh_field(Msh *msh, const char *end, Error *error);

/// Read the binary section after "$Nodes" or "$Elements"; the position must be the end of that line.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
