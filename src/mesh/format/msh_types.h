// Properties of Gmsh's element types. MSH files denote a type by a number: 4 is a linear tet.
#pragma once
#include "mesh/format/builder.h"

enum { MSH_TYPES = 141 };

/// msh_type_nodes: returns the number of nodes of Gmsh's element type `type`, 0 to MSH_TYPES - 1; 0: the type is
/// unknown. msh_type_kind: returns the kind of elements of this type.
int msh_type_nodes(int type);
CellKind msh_type_kind(int type);

/// Returns the cell shape of an element type of Gmsh; CELL_SHAPES if no shape of cell_shape.h belongs to it.
CellShape msh_type_shape(int type);
