// Orders of a mesh's nodes. If neighbours have close numbers, their values share cache lines, which makes matrix
// products and assembly faster. Users never see the order, since simulation.h uses the numbers of the user's mesh.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MeshOrder {
  ORDER_METIS,      // METIS divides the mesh into parts of about ORDER_PART_NODES nodes; each is sorted as ORDER_MORTON
  ORDER_FILE,       // the order of the nodes in the file
  ORDER_RCM,        // reverse Cuthill-McKee (1969), which gives a matrix of small bandwidth
  ORDER_MORTON,     // along a Morton (Z-order) curve through space
  ORDER_BISECTION,  // repeated halving across the longest side (bisect.h)
  ORDER_AUTO,       // ORDER_METIS for up to ORDER_METIS_NODES nodes, ORDER_BISECTION for more nodes
} MeshOrder;
#define MESH_ORDER_NAMES "metis|file|rcm|morton|bisection|auto"  // names for users, in the order of the enum

enum {
  // METIS divides the mesh into parts (groups of neighbouring nodes) of about this many nodes. A mesh that is small
  // enough for simulation at interactive speed has about this many nodes per multiprocessor of a GPU.
  ORDER_PART_NODES = 200,
  // Largest number of nodes for which ORDER_AUTO chooses METIS, at degree 1. METIS runs on one thread. For more nodes
  // METIS would take longer than all other work before the first step.
  ORDER_METIS_NODES = 1 << 18,
};

/// Returns `kind`, unless it is ORDER_AUTO. For ORDER_AUTO, chooses by the number of nodes and the degree of the
/// elements: METIS up to a limit, bisection above the limit. The limit is ORDER_METIS_NODES at degree 1, and a quarter
/// of this at higher degrees. At degree 2, nodes have about four times as many neighbours, so METIS takes four times as
/// long.
MeshOrder mesh_order_chosen(MeshOrder kind, int node_count, int degree);

/// Computes order [node_count]: node order[k] gets the new number k. Fails if memory runs out.
bool mesh_order(const TetMesh *mesh, MeshOrder kind, int *order, Error *error);

/// Renumbers a mesh: node k of `renumbered` is node order[k] of `mesh`. If `rank` is NULL, tets are sorted by the
/// smallest new number of their nodes. Otherwise rank [node_count] has a rank for each node of `mesh`, and tets are
/// sorted by the smallest rank of their nodes. A tet keeps the order of its corners. tet_index [tet_count], unless
/// NULL, gets the new number of each tet of `mesh`. Fails if memory runs out, or if interrupted.
bool mesh_renumber(TetMesh *renumbered, const TetMesh *mesh, const int *order, const int *rank, int *tet_index,
                   Error *error);

#ifdef __cplusplus
}
#endif
