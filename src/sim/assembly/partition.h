// Divides a mesh into parts for the assembly "sharednz" (paper 000, section 16.3.2, Fig. 16.5). Each node belongs to
// one part, and one thread block sums the matrix rows of a part's nodes. For this the block of part k evaluates E_k,
// the set of all tets that have one of these nodes, and reads all nodes of E_k. These data must fit into the shared
// memory of the block, which limits |E_k|, the number of tets in E_k.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Partition is empty. The lists of nodes and of tets ascend in each part. Parts are numbered in the order of
// their first nodes.
typedef struct Partition {
  int part_count;
  int *node_start;  // [part_count + 1], offsets into `node`
  int *node;        // [node_count], nodes of each part
  int *tet_start;   // [part_count + 1], offsets into `tet`
  int *tet;         // tets of each part: those that have one of its nodes
} Partition;

/// Creates parts, each with at most tets_max tets.
///   PARTITION_GREEDY  Each node begins as a separate part. Nodes are visited in turn. A visited node merges its part
///                     with the neighbouring part for which the union has the fewest tets, if it is not too large.
///   PARTITION_METIS   The library METIS divides the graph of nodes into k parts; k grows until no part is too large.
/// Fails if a single node has more than tets_max tets, and names the node.
bool partition_create(Partition *partition, const Space *space, Partitioner partitioner, int tets_max, Error *error);

/// Runs PARTITION_GREEDY separately in 2^levels regions of the body, in parallel; no part spans two regions.
/// partition_create does this for bodies of more than PARTITION_WHOLE nodes. The result does not depend on the number
/// of threads.
enum { PARTITION_WHOLE = 1 << 18 };
bool partition_create_regions(Partition *partition, const Space *space, int levels, int tets_max, Error *error);
void partition_destroy(Partition *partition);

#ifdef __cplusplus
}
#endif
