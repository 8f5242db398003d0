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

/// After "$Nodes" or "$Elements" of a binary file, from the line end on.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
