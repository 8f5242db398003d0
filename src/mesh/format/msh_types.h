// Gmsh's element types, by the numbers that its files give them.
#pragma once
#include "mesh/format/builder.h"

enum { MSH_TYPES = 141 };

/// Number of nodes of a type in [0, MSH_TYPES), 0 if the type is unknown, and its kind.
int msh_type_nodes(int type);
CellKind msh_type_kind(int type);

/// The shape of cells of a type; CELL_SHAPES if it is not supported.
CellShape msh_type_shape(int type);
