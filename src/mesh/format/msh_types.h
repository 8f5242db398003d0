// Properties of Gmsh's element types. MSH files denote a type by a number: 4 is a linear tet.
#pragma once
#include "mesh/format/builder.h"

enum { MSH_TYPES = 141 };

/// msh_type_nodes returns the number of nodes of a type from 0 to MSH_TYPES - 1; 0: unknown. msh_type_kind returns its
/// kind.
int msh_type_nodes(int type);
CellKind msh_type_kind(int type);

/// Returns the cell shape of a type; CELL_SHAPES: not supported.
CellShape msh_type_shape(int type);
