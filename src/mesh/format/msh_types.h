// Gmsh's element types, by the numbers that its files give them.
#pragma once
#include "mesh/format/builder.h"

enum { MSH_TYPES = 141 };

/// Nodes of a type in [0, MSH_TYPES), 0 where it is not known; and what it counts as.
int msh_type_nodes(int type);
CellKind msh_type_kind(int type);

/// The shape of cells that a type is, CELL_SHAPES where there is none.
CellShape msh_type_shape(int type);
