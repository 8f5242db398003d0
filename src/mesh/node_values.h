// Reads values at the nodes of a mesh from a text file.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a text file with one line per node, in any order: the node's number and its value. Numbers are those in the
/// mesh file; a generated grid numbers its nodes from 1. # begins a comment. Every node must occur exactly once.
/// Returns values [node_count], which the caller releases by free(), or NULL on failure; the message begins with
/// "file:line:".
double *node_values_read(const char *path, const CellMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
