// Parts of a mesh for assembly `sharednz` (paper 000, section 16.3.2, Fig. 16.5): each node belongs to one part; part k
// evaluates E_k, all tets that touch its nodes, and reads the nodes of E_k. A part must fit into shared memory, which
// limits |E_k|.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Partition is empty. Nodes and tets of a part ascend; parts are numbered by their first node.
typedef struct Partition {
  int part_count;
  int *node_start;  // [part_count + 1], into node
  int *node;        // [node_count]
  int *tet_start;   // [part_count + 1], into tet
  int *tet;         // E_k
} Partition;

/// Parts with |E_k| <= tets_most. Greedy: parts begin as single nodes; in turn each node unites its part with the
/// neighbouring one that keeps E_k of the union smallest, while it fits. METIS: k-way partitions of the graph of nodes,
/// more and more of them until all fit. Fails where the tets at one node do not fit, and names the node.
bool partition_create(Partition *partition, const Space *space, Partitioner partitioner, int tets_most, Error *error);

/// Greedy in 2^levels regions side by side, which no part reaches across: what partition_create does to bodies of more
/// than PARTITION_WHOLE nodes. The same whatever the number of threads.
enum { PARTITION_WHOLE = 1 << 18 };
bool partition_create_regions(Partition *partition, const Space *space, int levels, int tets_most, Error *error);
void partition_destroy(Partition *partition);

#ifdef __cplusplus
}
#endif
