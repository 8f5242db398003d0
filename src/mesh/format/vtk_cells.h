// Functions shared by the readers of legacy VTK and VTU files.
#pragma once
#include "mesh/format/builder.h"

enum { VTK_TETRA = 10, VTK_HEXAHEDRON = 12, VTK_QUADRATIC_TETRA = 24 };

/// Adds a cell of VTK's type `type` to the builder; nodes [count] are numbered from 0. Tets and 8-node hexes are
/// stored, other cells are only counted. `number` is the cell's number, for messages. Fails if the type needs more
/// nodes.
bool vtk_cell(MeshBuilder *builder, int64_t number, int type, const int64_t *nodes, int64_t count, Error *error);
