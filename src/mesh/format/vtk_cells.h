// Functions shared by the readers of legacy VTK and VTU files.
#pragma once
#include "mesh/format/builder.h"

enum { VTK_TETRA = 10, VTK_HEXAHEDRON = 12, VTK_QUADRATIC_TETRA = 24 };

/// Adds a cell to the builder. `type` is VTK's number of its type. nodes [count] are its nodes, numbered from 0. Tets
/// and 8-node hexes are stored, all other cells are only counted. `number` is the cell's number in the file, for
/// messages. Fails if the number of nodes does not suit the type.
bool vtk_cell(MeshBuilder *builder, int64_t number, int type, const int64_t *nodes, int64_t count, Error *error);
