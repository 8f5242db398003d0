// Orders of a mesh's nodes. Neighbours with close numbers share cache lines, which makes products and assemblies
// faster. Users never see the order: simulation.h takes and gives nodes by their own numbers.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MeshOrder {
  ORDER_METIS,      // parts of some ORDER_PART_NODES nodes with few neighbours outside, each along a Morton curve
  ORDER_FILE,       // as the file has them
  ORDER_RCM,        // reverse Cuthill-McKee (1969): narrow bands
  ORDER_MORTON,     // along a Morton curve through space
  ORDER_BISECTION,  // halves of halves, across the longest side (bisect.h)
  ORDER_AUTO,       // METIS's up to ORDER_METIS_NODES, beyond that by bisection
} MeshOrder;
#define MESH_ORDER_NAMES "metis|file|rcm|morton|bisection|auto"  // as the user types them, in this order

enum {
  ORDER_PART_NODES = 200,       // a multiprocessor's share of a mesh of interactive size
  ORDER_METIS_NODES = 1 << 18,  // beyond, METIS, which has one thread, takes longer than all else before the first step
};

/// What ORDER_AUTO is for a mesh of a degree with so many nodes; other kinds are themselves. Of degree 2 nodes have
/// some four times as many neighbours, and METIS takes as much longer.
MeshOrder mesh_order_chosen(MeshOrder kind, int node_count, int degree);

/// order [node_count]: which node comes k-th. Fails for lack of memory.
bool mesh_order(const TetMesh *mesh, MeshOrder kind, int *order, Error *error);

/// The mesh with its nodes renumbered, so that node k is the one that was order[k], and its tets sorted by their
/// smallest node, by `rank` [node_count] (of the nodes of `mesh`) where that is not NULL. A tet keeps
/// its corners' order. `tet_place` [tet_count], unless NULL: which each tet is then. Fails for lack of memory, or
/// interrupted.
bool mesh_renumber(TetMesh *renumbered, const TetMesh *mesh, const int *order, const int *rank, int *tet_place,
                   Error *error);

#ifdef __cplusplus
}
#endif
