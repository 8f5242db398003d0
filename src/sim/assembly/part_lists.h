// What the threads of assembly sharednz copy and add up, part by part (partition.h), in packed lists (packed_lists.h):
// the arrays that its kernel walks. They are made on the host, over all cores, one of the three after the other, so
// that only one of them stands in memory at a time.
//
// A part's tets are numbered as the partition has them, from 0; an item is node_source or pair_source
// (node_pairs.h) of such a number. A part's own nodes are numbered likewise.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/assembly/packed_lists.h"
#include "sim/assembly/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

// The part of each node, and the node's number among that part's own. A zeroed PartOwners is empty.
typedef struct PartOwners {
  int *part, *number;  // [node_count]
} PartOwners;

// The scatter array: each list is a node that is read once, and its items are where it is copied to, at most
// `items_most` of them: a node that more tets need has several lists.
typedef struct PartReads {
  int *start;     // [part_count + 1], into node
  int *node;      // the node of each list
  int64_t nodes;  // how many nodes parts read, each counted once by a part
  PackedLists lists;
} PartReads;

// Lists of an own node with each neighbour that is another part's, or comes behind it in the same part.
typedef struct PartPairs {
  int *start;              // [part_count + 1], into place
  BlockPlace (*place)[2];  // of the block, and of its transpose, which another part has (at = -1) where both differ
  PackedLists lists;
} PartPairs;

// Lists of own nodes.
typedef struct PartNodes {
  BlockPlace *place;  // [node_count], in the order of partition.node: own blocks
  PackedLists lists;
} PartNodes;

// How lists are packed: for how many threads, in batches of how many entries.
typedef struct Packing {
  int threads, batch;
} Packing;

bool part_owners_create(PartOwners *owners, const Space *space, const Partition *partition, Error *error);
void part_owners_destroy(PartOwners *owners);

/// Each fails only for lack of memory, or interrupted. `layout` gives the places.
bool part_reads_create(PartReads *reads, const Space *space, const Partition *partition, int items_most, int threads,
                       Error *error);
void part_reads_destroy(PartReads *reads);
bool part_pairs_create(PartPairs *pairs, const Space *space, const Operator *layout, const Partition *partition,
                       const PartOwners *owners, Packing packing, Error *error);
void part_pairs_destroy(PartPairs *pairs);
bool part_nodes_create(PartNodes *nodes, const Space *space, const Operator *layout, const Partition *partition,
                       const PartOwners *owners, Packing packing, Error *error);
void part_nodes_destroy(PartNodes *nodes);

#ifdef __cplusplus
}
#endif
