// Properties of Gmsh's element types. MSH files denote a type by a number: for example, 4 is a linear tet.
#pragma once
#include "mesh/format/builder.h"

enum { MSH_TYPES = 141 };

/// Both functions describe Gmsh's element type `type`, 0 to MSH_TYPES - 1. msh_type_nodes returns its number of nodes;
/// 0: the type is unknown. msh_type_kind returns its kind.
int msh_type_nodes(int type);
CellKind msh_type_kind(int type);

/// Returns the cell shape of an element type of Gmsh; CELL_SHAPES if no shape of cell_shape.h corresponds to the type.
CellShape msh_type_shape(int type);
