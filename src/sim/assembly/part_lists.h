// Lists of each part of the mesh for the assembly "sharednz", packed for the threads of a GPU (packed_lists.h). A part
// is a group of nodes whose matrix rows one thread block sums; the part owns these nodes (partition.h). In shared
// memory, each tet that touches an owned node has a record: first the data of its nodes, later its vector and matrix.
//
// There are three kinds of lists:
//   reads    for each node: the positions in the records to which its nodal data are copied
//   pairs    for each pair of nodes: the blocks of tets' matrices that are summed
//   nodes    for each owned node: the diagonal blocks and forces that are summed
// The items of a list are codes. In the lists "reads" and "nodes", e * cell_nodes + a names corner a of tet e
// (node_source in node_pairs.h). In the lists "pairs", (e * cell_nodes + a) * cell_nodes + b names corners a and b of
// tet e (pair_source). The tets of each part are numbered from 0. Example for tets of 4 nodes: corner 1 of tet 5 is 21.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/assembly/packed_lists.h"
#include "sim/assembly/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

// The part that owns each node: the one whose thread block sums the node's matrix row. A part is a group of nodes. A
// zeroed PartOwners is empty.
typedef struct PartOwners {
  // [node_count] each. part: for each node, the part that owns it. number: the node's index among the nodes of this
  // part.
  int *part, *number;
} PartOwners;

// The lists by which a thread block copies nodal data to the tets of its part in shared memory. Each list belongs to
// one node, whose data a thread loads once. Each item of the list is an index e * cell_nodes + a: the data are copied
// to corner a of tet e. Lists have a maximum length, so a node of many tets has several lists.
typedef struct PartReads {
  int *start;  // [part_count + 1], the index in `node` of each part's first list
  int *node;   // the node of each list, one part after the other
  // Number of nodes that a part reads, summed over all parts. A node that several parts read counts once for each of
  // them.
  int64_t nodes;
  PackedLists lists;  // the lists, packed for the threads that read them
} PartReads;

// Lists for the sums of off-diagonal blocks. A part has a list for each pair (a, b) of a node a that it owns and a
// neighbour b of a. If the part also owns b, only the node with the lower number has a list for the pair. This
// list gives block (a, b) and its transpose (b, a).
typedef struct PartPairs {
  int *start;  // [part_count + 1], the index in `slots` of each part's first pair
  // For each pair (a, b): the positions of block (a, b), and of its transpose, block (b, a), in the array of matrix
  // values (block_slots.h). If node b belongs to another part, the index `at` of the second position is -1, and the
  // other part computes block (b, a).
  BlockSlots (*slots)[2];
  PackedLists lists;  // the lists, packed for the threads that sum along them
} PartPairs;

// Lists for the sums of diagonal blocks and of vector entries: one list for each node that a part owns.
typedef struct PartNodes {
  // [node_count], the position of each node's diagonal block in the matrix (block_slots.h). The nodes are in the order
  // of Partition.node: the nodes of all parts, one part after the other.
  BlockSlots *slots;
  PackedLists lists;  // the lists, packed for the threads that sum along them
} PartNodes;

// Sizes that determine how lists are packed. threads: number of threads of a thread block. batch: number of list
// entries that a thread loads together.
typedef struct Packing {
  int threads, batch;
} Packing;

// Finds, for each node, the part that owns it: the part whose thread block sums the node's matrix row. Fails only if
// memory runs out.
bool part_owners_create(PartOwners *owners, const Space *space, const Partition *partition, Error *error);
void part_owners_destroy(PartOwners *owners);

/// Build the three kinds of lists. reads: positions to which nodal data are copied. pairs: terms of off-diagonal
/// blocks. nodes: terms of diagonal blocks and forces. items_max: maximum number of items of a list in `reads`. layout:
/// the operator that stores the matrix, with the position of each block. Each function fails only if memory runs out or
/// if the user interrupts.
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
