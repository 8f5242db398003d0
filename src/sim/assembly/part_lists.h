// Lists of each part of the mesh for the assembly "sharednz", packed for the threads of a GPU (packed_lists.h). A part
// is a group of nodes whose matrix rows one thread block sums; it owns these nodes (partition.h). The block keeps a
// record of each tet that touches them in shared memory: first nodal data, then the tet's vector and matrix. There are
// three kinds of lists, for reading nodes, for summing pairs and for summing nodes. The host builds one kind after the
// other on all cores, so that only one kind is in memory at a time.
//
// The tets of a part, and its own nodes, are numbered from 0 in the order of the partition. The items of the lists for
// sums are the codes node_source and pair_source (node_pairs.h), with the number of the tet within its part as the
// cell.
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

// The scatter array: lists by which a part copies nodal data to the records of its tets. A list belongs to one node,
// which a thread reads once. Its items are the places in records to which the node is copied, at most items_max. A node
// that is copied to more places has several lists.
typedef struct PartReads {
  int *start;  // [part_count + 1], offsets into `node`
  int *node;   // the node of each list
  // Number of nodes that parts read, summed over all parts. Nodes near a border count once for each part that reads
  // them.
  int64_t nodes;
  PackedLists lists;
} PartReads;

// Lists for the sums of off-diagonal blocks. A part has a list for each pair (a, b) of a node a that it owns and a
// neighbour b of a. If the part also owns b, there is only one list for (a, b) and (b, a), with the lower number first.
typedef struct PartPairs {
  int *start;  // [part_count + 1], offsets into `slots`
  // Positions in the matrix of the block (a, b) and of its transpose. The transpose has at = -1, which means not
  // stored, if its row belongs to another part.
  BlockSlots (*slots)[2];
  PackedLists lists;
} PartPairs;

// Lists for the sums of diagonal blocks and vector entries, one for each node that a part owns.
typedef struct PartNodes {
  // [node_count], positions of the diagonal blocks, in the order of Partition.node
  BlockSlots *slots;
  PackedLists lists;
} PartNodes;

// Number of threads of a block, and number of entries that a thread loads together: arguments of packed_lists_measure.
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
