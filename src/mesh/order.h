// Orders of a mesh's nodes. If neighbours have close numbers, their data are in the same cache lines, which makes
// products and assemblies faster. Users never see this internal order, since the functions of simulation.h use the
// user's node numbers.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MeshOrder {
  ORDER_METIS,      // parts of about ORDER_PART_NODES nodes with few neighbours in other parts, made by METIS; nodes of
                    // a part are sorted along a Morton curve
  ORDER_FILE,       // the order of the nodes in the file
  ORDER_RCM,        // reverse Cuthill-McKee (1969), which gives a matrix of small bandwidth
  ORDER_MORTON,     // along a Morton (Z-order) curve through space
  ORDER_BISECTION,  // repeated halving across the longest side (bisect.h)
  ORDER_AUTO,       // ORDER_METIS for up to ORDER_METIS_NODES nodes, ORDER_BISECTION for more nodes
} MeshOrder;
#define MESH_ORDER_NAMES "metis|file|rcm|morton|bisection|auto"  // names for users, in the order of the enum

enum {
  ORDER_PART_NODES = 200,       // about the number of nodes per multiprocessor of a GPU, for a mesh that runs at
                                // interactive speed
  ORDER_METIS_NODES = 1 << 18,  // for more nodes, METIS takes longer than all other work before the first step, since
                                // METIS runs on one thread
};

/// Returns the order that ORDER_AUTO selects for a mesh with `node_count` nodes and elements of this degree. If `kind`
/// is not ORDER_AUTO, returns `kind`. With degree 2 the limit is lower than with degree 1: nodes have about four times
/// as many neighbours, and METIS takes four times as long.
MeshOrder mesh_order_chosen(MeshOrder kind, int node_count, int degree);

/// Computes order [node_count]: order[k] is the node that gets the new number k. Fails if memory runs out.
bool mesh_order(const TetMesh *mesh, MeshOrder kind, int *order, Error *error);

/// Renumbers a mesh: node k of `renumbered` is node order[k] of `mesh`. Tets are sorted by their smallest new node
/// number. If `rank` is not NULL, they are sorted by the smallest rank of their nodes instead; rank [node_count] is
/// indexed by old node numbers. A tet keeps the order of its corners. tet_index [tet_count], unless NULL, gets the new
/// number of each tet. Fails if memory runs out, or if interrupted.
bool mesh_renumber(TetMesh *renumbered, const TetMesh *mesh, const int *order, const int *rank, int *tet_index,
                   Error *error);

#ifdef __cplusplus
}
#endif
