// Packed lists (packed_lists.h) of each part (partition.h) for assembly sharednz: the arrays that its kernel walks. The
// host builds the three kinds of lists on all cores, one kind after the other, so that only one is in memory at a time.
//
// A part's tets are numbered from 0 in the partition's order; an item is node_source or pair_source (node_pairs.h) of a
// tet's number. A part's own nodes are numbered in the same way.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/assembly/packed_lists.h"
#include "sim/assembly/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

// The part of each node, and the node's number within that part. A zeroed PartOwners is empty.
typedef struct PartOwners {
  int *part, *number;  // [node_count]
} PartOwners;

// The scatter array. Each list is a node that is read once; its items are the record entries it is copied to, at most
// `items_max`. A node that more tets need has several lists.
typedef struct PartReads {
  int *start;     // [part_count + 1], into node
  int *node;      // the node of each list
  int64_t nodes;  // number of nodes that parts read, each counted once for each part
  PackedLists lists;
} PartReads;

// Lists of the pairs (owned node, neighbour) whose neighbour is in another part, or has a higher number in the same
// part.
typedef struct PartPairs {
  int *start;              // [part_count + 1], into slots
  BlockSlots (*slots)[2];  // slots of the block, and of its transpose; at = -1 if the transpose is in another part's
                           // row
  PackedLists lists;
} PartPairs;

// Lists of owned nodes.
typedef struct PartNodes {
  BlockSlots *slots;  // [node_count], in the order of partition.node: slots of diagonal blocks
  PackedLists lists;
} PartNodes;

// Parameters of packing: number of threads, and entries per batch.
typedef struct Packing {
  int threads, batch;
} Packing;

bool part_owners_create(PartOwners *owners, const Space *space, const Partition *partition, Error *error);
void part_owners_destroy(PartOwners *owners);

/// Each function fails only if memory runs out or if interrupted. `layout` gives the slots of blocks.
bool part_reads_create(PartReads *reads, const Space *space, const Partition *partition, int items_max, int threads,
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
