// Packed lists (packed_lists.h) of each part of the mesh for assembly `sharednz`, whose kernel reads them. A part is a
// group of nodes whose matrix rows one thread block sums; it owns these nodes (partition.h). The block keeps a record
// of each tet that touches them in shared memory. The host builds the three kinds of lists on all cores, one kind after
// the other, so that only one kind is in memory at a time.
//
// The tets of a part are numbered from 0 in the order of the partition, and so are its own nodes. An item of a list is
// the code node_source or pair_source (node_pairs.h), with the tet's number in its part in place of the cell.
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

// The scatter array, by which a part distributes nodal data to the records of its tets. A list belongs to one node,
// which is read once. Its items are the places in records to which the node is copied, at most items_max. A node that
// more tets need has several lists.
typedef struct PartReads {
  int *start;  // [part_count + 1], offsets into `node`
  int *node;   // the node of each list
  // number of nodes that parts read, summed over all parts
  int64_t nodes;
  PackedLists lists;
} PartReads;

// The reduction lists of pairs (a, b), where the part owns node a, and b is a node of another part, or a node of the
// same part with a higher number.
typedef struct PartPairs {
  int *start;  // [part_count + 1], offsets into `slots`
  // Positions in the matrix of the block (a, b) and of its transpose. The transpose has at = -1 if it belongs to a row
  // of another part.
  BlockSlots (*slots)[2];
  PackedLists lists;
} PartPairs;

// The reduction lists of the nodes that parts own.
typedef struct PartNodes {
  // [node_count], positions of the diagonal blocks, in the order of Partition.node
  BlockSlots *slots;
  PackedLists lists;
} PartNodes;

// Parameters of packed_lists_measure: number of threads, and entries per batch.
typedef struct Packing {
  int threads, batch;
} Packing;

bool part_owners_create(PartOwners *owners, const Space *space, const Partition *partition, Error *error);
void part_owners_destroy(PartOwners *owners);

/// These functions build the lists. `layout` gives the positions of matrix blocks. Each fails only if memory runs out
/// or if the user interrupts.
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
