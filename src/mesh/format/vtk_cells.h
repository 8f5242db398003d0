// Functions for legacy VTK files and VTU files: cells by their types, offsets and connectivity.
#pragma once
#include "mesh/format/builder.h"

enum { VTK_TETRA = 10, VTK_HEXAHEDRON = 12, VTK_QUADRATIC_TETRA = 24 };

/// Adds cell `number` of a VTK type with its `count` nodes, numbered from 0. Tets and hexes of 8 nodes are kept, all
/// others only counted. Fails if there are too few nodes for the type.
bool vtk_cell(MeshBuilder *builder, int64_t number, int type, const int64_t *nodes, int64_t count, Error *error);
