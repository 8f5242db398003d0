// Parts of a mesh for assembly `sharednz` (paper 000, section 16.3.2, Fig. 16.5). Each node belongs to one part; part k
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

/// Creates parts with |E_k| <= tets_max. Greedy: each node begins as a part; in turn each node merges its part with
/// the neighbouring part that keeps E_k of the union smallest, if the union fits. METIS: k-way partitions of the graph
/// of nodes, with growing k until all parts fit. Fails if the tets at one node do not fit, and names the node.
bool partition_create(Partition *partition, const Space *space, Partitioner partitioner, int tets_max, Error *error);

/// Runs the greedy method separately in 2^levels regions; no part spans two regions. partition_create does so for
/// bodies of more than PARTITION_WHOLE nodes. The result does not depend on the number of threads.
enum { PARTITION_WHOLE = 1 << 18 };
bool partition_create_regions(Partition *partition, const Space *space, int levels, int tets_max, Error *error);
void partition_destroy(Partition *partition);

#ifdef __cplusplus
}
#endif
