// Declarations for msh.c (sections, ASCII), msh_binary.c and msh_groups.c.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/msh_types.h"
#include "mesh/format/text.h"

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

typedef struct Msh {
  Text text;
  MshVersion version;
  bool binary, swap;  // swap: opposite byte order
  MeshBuilder builder;
  bool has_elements;
} Msh;

/// Returns true if elements of a type are read as cells of their shape, instead of as tets or only counted: any
/// supported shape with takes_cells, otherwise only hexes.
static inline bool msh_takes_cell(const Msh *msh, int type) {
  const CellShape shape = msh_type_shape(type);
  return msh->builder.takes_cells ? shape < CELL_SHAPES : shape == CELL_HEX8;
}

/// Returns true if an element of lower dimension than cells is kept as a piece of a group. This requires takes_cells
/// and a type with known nodes.
static inline bool msh_takes_piece(const Msh *msh, int type) {
  const CellKind kind = msh_type_kind(type);
  return msh->builder.takes_cells && !msh_takes_cell(msh, type) && msh_type_nodes(type) <= CELL_NODES_MAX &&
         (kind == CELL_POINT || kind == CELL_LINE || kind == CELL_TRIANGLE || kind == CELL_QUADRANGLE);
}

/// Part of elements of a 4.1 entity: its number, or 0 if no entity is in a group.
static inline int msh_part(const Msh *msh, int entity) {
  return msh->builder.groups.links.count ? entity : 0;
}

/// A group's number, which is negative for an element or entity of opposite orientation.
static inline int msh_group(int tag) {
  return tag < 0 ? -(tag + 1) + (tag > INT32_MIN) : tag;
}

/// Adds a cell, or a piece of a group, by the tags of its nodes; `part` is 0, or a part of groups: a 4.1 entity, or in
/// 2.2 the group itself.
bool msh_add_cell(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);
bool msh_add_piece(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);

/// Called after "$PhysicalNames" or "$Entities" (4.1), if cells are read.
bool msh_names(Msh *msh, Error *error);
bool msh_entities(Msh *msh, Error *error);

/// Called after "$Nodes" or "$Elements" of a binary file, at the line end.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
