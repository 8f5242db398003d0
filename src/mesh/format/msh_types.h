// Properties of Gmsh's element types. A type is the number by which MSH files denote it.
#pragma once
#include "mesh/format/builder.h"

enum { MSH_TYPES = 141 };

/// msh_type_nodes returns the number of nodes of a type from 0 to MSH_TYPES - 1, or 0 if the type is unknown.
/// msh_type_kind returns its kind.
int msh_type_nodes(int type);
CellKind msh_type_kind(int type);

/// Returns the cell shape of a type; CELL_SHAPES if it is not supported.
CellShape msh_type_shape(int type);
