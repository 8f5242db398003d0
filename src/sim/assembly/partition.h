// Divides a mesh into parts for the assembly "sharednz" (paper 000, section 16.3.2, Fig. 16.5). A part is a group of
// nodes; each node belongs to one part. One thread block of the GPU sums the matrix rows of a part's nodes. For this it
// evaluates all tets that have one of these nodes. Their matrices and vectors must fit into the thread block's shared
// memory, which limits the number of tets of a part.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// The parts of a mesh, numbered in the order of their first nodes. The nodes of a part ascend, and so do its tets. A
// zeroed Partition is empty.
typedef struct Partition {
  int part_count;   // number of parts; one thread block sums the matrix rows of a part
  int *node_start;  // [part_count + 1], index in `node` of the first node of each part
  int *node;        // [node_count], nodes of all parts, one part after the other
  int *tet_start;   // [part_count + 1], index in `tet` of the first tet of each part
  int *tet;         // tets of all parts; a part's tets are those that have one of its nodes
} Partition;

/// Creates parts, each with at most tets_max tets. There are two methods:
///   PARTITION_GREEDY  Each node begins as a separate part. For each node in turn, its part is merged with the
///                     neighbouring part for which the union has the fewest tets. Unions of more than tets_max tets are
///                     not made. Then nodes move to neighbouring parts if the parts then have fewer tets in sum.
///                     Merging and moving alternate three times.
///   PARTITION_METIS   The library METIS divides the graph of nodes into k parts; k grows until no part is too large.
/// Fails if a single node has more than tets_max tets, and names the node.
bool partition_create(Partition *partition, const Space *space, Partitioner partitioner, int tets_max, Error *error);

/// Divides the mesh by PARTITION_GREEDY, separately in 2^levels regions of the body, in parallel. A region is a group
/// of nodes that are near each other; no part has nodes of two regions. By PARTITION_GREEDY, partition_create also
/// divides bodies of more than PARTITION_WHOLE nodes in this way. The result does not depend on the number of threads.
enum { PARTITION_WHOLE = 1 << 18 };
bool partition_create_regions(Partition *partition, const Space *space, int levels, int tets_max, Error *error);
void partition_destroy(Partition *partition);

#ifdef __cplusplus
}
#endif
