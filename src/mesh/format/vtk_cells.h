// Functions that the readers of legacy VTK files and of VTU files share.
#pragma once
#include "mesh/format/builder.h"

enum { VTK_TETRA = 10, VTK_HEXAHEDRON = 12, VTK_QUADRATIC_TETRA = 24 };

/// Adds a cell of VTK type `type` with the nodes [count], counted from 0, to the builder. Tets and 8-node hexes are
/// stored; all other cells are only counted. `number` is the cell's number, for messages. Fails if there are too few
/// nodes for the type.
bool vtk_cell(MeshBuilder *builder, int64_t number, int type, const int64_t *nodes, int64_t count, Error *error);
