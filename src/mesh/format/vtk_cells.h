// What legacy VTK files and VTU files share: cells by their types, offsets and connectivity.
#pragma once
#include "mesh/format/builder.h"

enum { VTK_TETRA = 10, VTK_HEXAHEDRON = 12, VTK_QUADRATIC_TETRA = 24 };

/// Adds cell `number` of a VTK type with its `count` nodes, node indices counted from 0: a tet is kept, and a hex
/// of 8 nodes, all else counted. Fails where the nodes are too few for the type.
bool vtk_cell(MeshBuilder *builder, int64_t number, int type, const int64_t *nodes, int64_t count, Error *error);
