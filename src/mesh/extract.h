// Extracts a part of a mesh, for example the part of a process in an MPI run.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Nodes and cells of a part of a mesh.
typedef struct MeshPart {
  int *node;  // [node_count], the number in the whole mesh of each node of the part
  int *cell;  // [cell_count], the number in the whole mesh of each cell of the part
  int node_count, cell_count;
} MeshPart;

/// Creates the mesh of a part, with the properties of nodes and cells but without named sets. local [nodes of the whole
/// mesh]: the number in the part of each node of its cells. After a failure *made is empty.
bool mesh_extract(const TetMesh *mesh, const MeshPart *part, const int *local, TetMesh *made, Error *error);

#ifdef __cplusplus
}
#endif
