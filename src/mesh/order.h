// Orders of a mesh's nodes. Neighbours with close numbers share cache lines, which makes products and assemblies
// faster. Users never see the order: simulation.h takes and gives nodes by their own numbers.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MeshOrder {
  ORDER_METIS,   // parts of some ORDER_PART_NODES nodes with few neighbours outside, each along a Morton curve
  ORDER_FILE,    // as the file has them
  ORDER_RCM,     // reverse Cuthill-McKee (1969): narrow bands
  ORDER_MORTON,  // along a Morton curve through space
} MeshOrder;

enum { ORDER_PART_NODES = 200 };  // a multiprocessor's share of a mesh of interactive size

/// order [node_count]: which node comes k-th. Fails for lack of memory.
bool mesh_order(const TetMesh *mesh, MeshOrder kind, int *order, Error *error);

/// Renumbers the nodes, so that node k is the one that was order[k], and sorts the tets by their smallest node. A tet
/// keeps its corners' order.
bool mesh_renumber(TetMesh *mesh, const int *order, Error *error);

#ifdef __cplusplus
}
#endif
