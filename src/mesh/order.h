// Orders of a mesh's nodes. Neighbours with close numbers are in common cache lines, which makes products and
// assemblies faster. Users never see the order: simulation.h uses the users' node numbers.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MeshOrder {
  ORDER_METIS,      // parts of some ORDER_PART_NODES nodes with few neighbours outside, each along a Morton curve
  ORDER_FILE,       // the file's order
  ORDER_RCM,        // reverse Cuthill-McKee (1969): narrow bands
  ORDER_MORTON,     // along a Morton curve through space
  ORDER_BISECTION,  // repeated halving across the longest side (bisect.h)
  ORDER_AUTO,       // ORDER_METIS for up to ORDER_METIS_NODES nodes, beyond that ORDER_BISECTION
} MeshOrder;
#define MESH_ORDER_NAMES "metis|file|rcm|morton|bisection|auto"  // the user's names, in this order

enum {
  ORDER_PART_NODES = 200,       // nodes per multiprocessor for a mesh of interactive size
  ORDER_METIS_NODES = 1 << 18,  // beyond, METIS, on one thread, takes longer than everything else before the first step
};

/// Order that ORDER_AUTO selects for a mesh of `node_count` nodes and a degree; returns other kinds unchanged. Nodes of
/// degree 2 have some four times as many neighbours, and METIS takes that much longer.
MeshOrder mesh_order_chosen(MeshOrder kind, int node_count, int degree);

/// Computes order [node_count], the node at each new index. Fails if memory runs out.
bool mesh_order(const TetMesh *mesh, MeshOrder kind, int *order, Error *error);

/// Renumbers a mesh: node k is the old node order[k], and tets are sorted by their smallest node, or by smallest `rank`
/// [node_count] of old nodes if that is not NULL. A tet keeps the order of its corners. `tet_index` [tet_count], unless
/// NULL, gets the new number of each tet. Fails if memory runs out, or if interrupted.
bool mesh_renumber(TetMesh *renumbered, const TetMesh *mesh, const int *order, const int *rank, int *tet_index,
                   Error *error);

#ifdef __cplusplus
}
#endif
