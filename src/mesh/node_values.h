// Values at the nodes of a mesh, from a separate file.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a text file with two numbers per node, in any order: its number in the mesh's file (in a grid from 1) and its
/// value; # begins a comment. Every node must occur once. Returns [node_count] values, which the caller releases with
/// free(), or NULL with "file:line: message".
double *node_values_read(const char *path, const CellMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
