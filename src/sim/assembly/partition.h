// Divides a mesh into parts for assembly `sharednz` (paper 000, section 16.3.2, Fig. 16.5). Each node belongs to one
// part, and one thread block sums the matrix rows of a part's nodes. For this, part k evaluates E_k, the set of all
// tets that touch its nodes, and reads all nodes of E_k. The data of a part must fit into the shared memory of a thread
// block, which limits the number of tets |E_k|.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Partition is empty. The nodes and the tets of each part ascend. Parts are numbered in the order of their
// first nodes.
typedef struct Partition {
  int part_count;
  int *node_start;  // [part_count + 1], offsets into `node`
  int *node;        // [node_count], nodes of each part
  int *tet_start;   // [part_count + 1], offsets into `tet`
  int *tet;         // E_k of each part k
} Partition;

/// Creates parts with |E_k| <= tets_max. PARTITION_GREEDY: each node begins as a part of its own. Then, in turn, each
/// node merges its part with the neighbouring part for which the union has the fewest tets, if the union fits.
/// PARTITION_METIS: METIS divides the graph of nodes into k parts, and k grows until all parts fit. Fails if the tets
/// at one node do not fit, and names the node.
bool partition_create(Partition *partition, const Space *space, Partitioner partitioner, int tets_max, Error *error);

/// Runs the greedy method separately in 2^levels regions of the body; no part spans two regions. partition_create does
/// this for bodies of more than PARTITION_WHOLE nodes. The result does not depend on the number of threads.
enum { PARTITION_WHOLE = 1 << 18 };
bool partition_create_regions(Partition *partition, const Space *space, int levels, int tets_max, Error *error);
void partition_destroy(Partition *partition);

#ifdef __cplusplus
}
#endif
