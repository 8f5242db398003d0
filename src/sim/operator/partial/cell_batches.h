// Cells in batches, for GPU kernels in which one thread block processes one batch. A batch is BATCH_CELLS cells that
// are close in space and share most of their nodes. The thread block reads each node of its batch once.
//
// Contributions of cells to nodes are summed in two steps. A contribution is a cell's part of a result at one of the
// cell's nodes, for example of the product y = A x. In the first step, the thread block sums, in shared memory, the
// contributions of its cells to each node of the batch. It writes each sum to an array in device memory. A slot is one
// element of this array: the sum of one batch at one of its nodes. In the second step, another kernel sums the slots of
// each node of the body, one from every batch that has the node. Both sums have a fixed order. Example: a node that has
// cells in batches 2 and 5 has two slots. Device memory carries one value per slot, instead of one per node of each
// cell. For quadratic tets these are about 3 slots instead of 10 nodes per cell.
//
// The nodes of a batch are numbered in two orders. A position is a node's index in the order of node numbers, so that
// loads are coalesced. A slot is the node's index in the order of decreasing numbers of contributions, so that the
// threads of a warp have about equal work. Example: a batch has the nodes 10, 20 and 30, with 1, 6 and 2 cells. Their
// positions are 0, 1 and 2, and their slots 2, 0 and 1. A corner here means any node of a cell, together with the cell:
// a cell of ten nodes has ten corners.
#pragma once
#include "device/device.h"
#include "sim/element/space_split.h"

#ifdef __cplusplus
extern "C" {
#endif

// BATCH_CELLS: cells per batch, which is one thread block's group of cells. BATCH_NO_CELL: value of `local` for a
// missing cell. BATCH_SPLIT_CORNERS: maximum number of corners (nodes of cells) of a batch whose lists are built on the
// GPU.
enum { BATCH_CELLS = 64, BATCH_NO_CELL = UINT16_MAX, BATCH_SPLIT_CORNERS = 1024 };

// The slots of one node of the body, one for each batch that has the node. A slot is the index of the sum of one
// batch's (group of cells) contributions to this node, for example to y = A x. `count` is their number. The first
// SLOTS_AT_HAND are stored here, so that one load reads them. Few nodes have more slots; CellBatches.node_slot has all.
enum { SLOTS_AT_HAND = 3 };
typedef struct NodeSlots {
  int count, slot[SLOTS_AT_HAND];
} NodeSlots;

// All arrays are on the device, except `cell`. A batch is a group of BATCH_CELLS cells, which one thread block
// processes. A position is the index of a node in the ascending list of the batch's nodes. A slot is the index of the
// batch's sum of contributions to a node; the slots list these nodes in another order. Both indices are counted through
// all batches: if batch 0 has 90 nodes, batch 1 begins with position 90 and slot 90.
typedef struct CellBatches {
  // batch_count: groups of cells. slot_count: nodes of all batches, each counted in every batch that has it
  int cell_count, node_count, batch_count, slot_count;
  int *cell;  // [batch_count][BATCH_CELLS], on the host: the cells of each batch, one per thread; -1: none
  int *at;    // [cell_count], index of each cell in `cell`: batch * BATCH_CELLS + thread
  // [batch_count + 1], first position of each batch (group of cells). It is also the batch's first slot, since a batch
  // has one position and one slot for each of its nodes. Example: batches with 90, 80 and 85 nodes give 0, 90, 170,
  // 255.
  int *slot_start;
  int *batch_node;  // [slot_count], node at each position (index in its batch's ascending list of nodes)
  // [batch_count][cell_nodes][BATCH_CELLS], position of each node of a cell: its index in the ascending list of nodes
  // of its batch (group of cells). BATCH_NO_CELL if the thread has no cell.
  uint16_t *local;
  // [slot_count + batch_count]. Each slot (sum of a batch at a node) has a list of the corners (nodes of cells) whose
  // contributions it sums. The list is a range of its batch's row of `corner`. For slot s of batch b, the range is from
  // list_start[s + b] to list_start[s + b + 1] - 1. The added b is there because each batch has one more entry than
  // slots, for the end of its last list.
  uint16_t *list_start;
  // [batch_count][cell_nodes * BATCH_CELLS], the lists of the corners (nodes of cells) whose contributions each slot
  // (sum of the batch at a node) adds, slot after slot. Corner a of the cell of thread t is coded as a * BATCH_CELLS +
  // t. Each list is sorted by this code.
  uint16_t *corner;
  NodeSlots *node;  // [node_count], for each node its number of slots (sums of batches) and up to three slots
  int *node_start;  // [node_count + 1], index in node_slot of the first slot of each node
  int *node_slot;   // [slot_count], all slots (sums of batches) of each node, node after node, ascending
} CellBatches;

/// Divides the cells of a space into batches of BATCH_CELLS cells, and builds the lists of CellBatches on `device`. On
/// a GPU the lists are built there if a batch has at most BATCH_SPLIT_CORNERS corners (nodes of its cells). Otherwise
/// the host builds them, with equal results. Fails if memory runs out or the user interrupts; *batches is then empty.
bool cell_batches_create(CellBatches *batches, const Space *space, Device device, Error *error);
void cell_batches_destroy(CellBatches *batches, Device device);

/// Builds the lists on the GPU for batches in which the counts, `cell` and `at` are set. node
/// [batch_count][cell_nodes][BATCH_CELLS] holds the nodes of the batches' cells, -1: no cell. After a failure the
/// caller must still call cell_batches_destroy.
bool cell_batches_list(CellBatches *batches, int cell_nodes, const int *node, Error *error);

// Work memory on the device for building the lists again when the user cuts the body (space_split.h). A slot is the
// index of the sum of one batch's (group of cells) contributions to one node. A position is a node's index in the
// ascending list of the batch's nodes. A zeroed BatchSplit is empty.
typedef struct BatchSplit {
  int64_t slots;  // capacity of arrays with one entry per slot (sum at a node); 0: the present number of slots
  // capacity of arrays with one entry per slot (sum of a batch, a group of cells, at a node), before and after the last
  // call of cell_batches_reserve
  int64_t slots_before, slots_after;
  int *node;  // [batch_count][cell_nodes][BATCH_CELLS], nodes of the cells of all batches, -1: the thread has no cell
  // slot [slots]: the slot (index of the sum of a batch, a group of cells) of each position (node in a batch's
  // ascending list). sorted [slots]: the nodes of all positions, sorted.
  int *slot, *sorted;
  void *scratch;         // work memory for sorts
  size_t scratch_bytes;  // size of `scratch`
  // Number of cells for which the arrays `changed` and `nodes` have memory.
  int changed_count;
  // changed [changed_count]: the cells that get new nodes. nodes [changed_count][cell_nodes]: the nodes of these cells
  // after the cut.
  int *changed, *nodes;
} BatchSplit;

/// Two steps that build the lists again after a cut, for batches of at most BATCH_SPLIT_CORNERS corners (nodes of their
/// cells) on a GPU.
///
/// cell_batches_reserve enlarges the lists for the changed space. They keep their contents, even after a failure, but
/// may have other addresses. If the caller has arrays with one entry per slot (sum of a batch at a node), it then
/// enlarges them from room->slots_before to room->slots_after entries, and sets room->slots to slots_after.
///
/// cell_batches_split then builds all lists of CellBatches for the changed space. It is queued on the stream, except
/// that it waits once for the number of slots. It fails only if the device fails.
bool cell_batches_reserve(CellBatches *batches, BatchSplit *room, const Space *space, const SpaceSplit *split,
                          Error *error);
bool cell_batches_split(CellBatches *batches, BatchSplit *room, int cell_nodes, const SpaceSplit *split, Stream stream,
                        Error *error);
void batch_split_destroy(BatchSplit *room);

/// Returns an estimate of the bytes that the batches (groups of cells) of a body need on the device.
double cell_batches_bytes(double cells, double nodes, int cell_nodes);

/// Returns an estimate of the number of slots (different nodes of each batch of cells, summed over all batches) of a
/// body.
double cell_batches_slots(double cells, int cell_nodes);

#ifdef __cplusplus
}
#endif
