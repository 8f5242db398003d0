// Values at the nodes of a mesh, from a separate file.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a text file with a line for each node, in any order. A line has the node's number in the mesh's file (in a
/// grid they count from 1) and its value; # begins a comment. Every node must occur exactly once. Returns the values
/// [node_count], which the caller releases by free(). Returns NULL on failure; the message begins with "file:line:".
double *node_values_read(const char *path, const CellMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
