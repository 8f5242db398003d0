// What msh.c (sections, ASCII) and msh_binary.c share.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/msh_types.h"
#include "mesh/format/text.h"

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

typedef struct Msh {
  Text text;
  MshVersion version;
  bool binary, swap;  // swap: the other byte order
  MeshBuilder builder;
  bool has_elements;
} Msh;

/// Whether elements of a type are taken as cells of their shape, and not as tets, or counted: any that there is for
/// problems without time, of bodies hexes.
static inline bool msh_takes_cell(const Msh *msh, int type) {
  const CellShape shape = msh_type_shape(type);
  return msh->builder.takes_cells ? shape < CELL_SHAPES : shape == CELL_HEX8;
}

/// Whether an element below cells is kept as a piece of a group: one of a type whose nodes are known, where cells are
/// taken.
static inline bool msh_takes_piece(const Msh *msh, int type) {
  const CellKind kind = msh_type_kind(type);
  return msh->builder.takes_cells && !msh_takes_cell(msh, type) && msh_type_nodes(type) <= CELL_NODES_MAX &&
         (kind == CELL_POINT || kind == CELL_LINE || kind == CELL_TRIANGLE || kind == CELL_QUADRANGLE);
}

/// What elements of a 4.1 entity say of groups: its number, or 0 where no entity is in a group.
static inline int msh_part(const Msh *msh, int entity) {
  return msh->builder.groups.links.count ? entity : 0;
}

/// A group's number, which is negative where an element or an entity is turned round in it.
static inline int msh_group(int tag) {
  return tag < 0 ? -(tag + 1) + (tag > INT32_MIN) : tag;
}

/// A cell, or a piece of a group, by the tags of its nodes; `part` is 0, or what groups hold: a 4.1 entity, or of 2.2
/// the group itself.
bool msh_add_cell(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);
bool msh_add_piece(Msh *msh, int type, int64_t element, int part, const int64_t *tags, Error *error);

/// After "$PhysicalNames" or "$Entities" (4.1), of files whose cells are taken.
bool msh_names(Msh *msh, Error *error);
bool msh_entities(Msh *msh, Error *error);

/// After "$Nodes" or "$Elements" of a binary file, from the line end on.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
