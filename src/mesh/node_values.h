// Values at the nodes of a mesh, from a file of their own.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A text file with two numbers a node, its number in the mesh's file (in a grid from 1) and its value, in any order;
/// what follows # in a line is left out. All nodes must be there, once. [node_count], which free() releases; NULL with
/// "file:line: what is wrong".
double *node_values_read(const char *path, const CellMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
