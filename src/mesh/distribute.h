// Distributes a mesh among the processes of an MPI run (base/ranks.h). Process 0 reads the mesh and divides its nodes
// by METIS. It then sends all nodes to all processes, and to each process only the cells that the process needs.
#pragma once
#include "base/ranks.h"
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// The division of a mesh's nodes among processes. A zeroed MeshDivision is empty.
typedef struct MeshDivision {
  const Ranks *ranks;  // the processes
  int cell_count;      // number of cells of the whole mesh
  int piece_count;     // number of connected pieces of the whole mesh
  // [node_count]. owner: the process that owns each node. piece: the connected piece to which each node belongs. Pieces
  // are numbered in the order of their smallest nodes.
  int *owner, *piece;
} MeshDivision;

/// Divides the nodes of a mesh among processes, and distributes the mesh. All processes call this function.
///
/// In process 0, `mesh` is the whole mesh, which does not change. In all other processes, `mesh` is empty before the
/// call. Afterwards it has all nodes of the mesh, but only some of the cells: those at nodes that the process owns or
/// that belong to one of its own cells (mesh_division_is_own). Nodes keep their numbers, and cells keep their order.
/// Named sets are not sent.
///
/// Fails in all processes if memory runs out in one of them, or if a process would own no node. The caller releases
/// *made by mesh_division_destroy, also after a failure. While process 0 divides the mesh, it stores the graph of
/// neighbouring nodes twice, each with 4 bytes per pair of neighbours, and METIS needs about as much again.
bool mesh_distribute(MeshDivision *made, TetMesh *mesh, const Ranks *ranks, Error *error);

/// Frees the arrays of a division, and leaves it empty.
void mesh_division_destroy(MeshDivision *division);

/// Returns the process that counts cell e in sums over cells: the owner of the cell's node with the smallest number.
/// owner [node_count]: the process that owns each node.
int mesh_cell_owner(const TetMesh *mesh, const int *owner, int e);

/// Returns true if this process counts cell e of its mesh in sums over cells. Exactly one process counts a cell
/// (mesh_cell_owner).
bool mesh_division_is_own(const MeshDivision *division, const TetMesh *mesh, int e);

#ifdef __cplusplus
}
#endif
