// Cells in batches of BATCH_CELLS, for GPU kernels in which a thread block processes one batch. The cells of a batch
// are close in space and share most of their nodes, and the block reads each node of its batch once. Contributions of
// cells to nodes are summed in two steps. First the block sums, in shared memory, the contributions of its cells to
// each node, and writes the sum to device memory. The place of this sum is called a slot: there is one for each node of
// each batch. Then a second kernel adds the slots of each node of the body, one from every batch that has the node.
// Both sums have a fixed order. Device memory carries one value per slot, instead of one per corner of a cell. For
// quadratic tets these are about 3 slots instead of 10 corners per cell.
//
// The nodes of a batch have two numberings. Positions are sorted by node number, so that loads are coalesced. Slots are
// sorted by decreasing number of contributions, so that the threads of a warp have about equal work. Here a corner
// means any node of a cell.
#pragma once
#include "device/device.h"
#include "sim/element/space_split.h"

#ifdef __cplusplus
extern "C" {
#endif

// BATCH_CELLS: cells per batch. BATCH_NO_CELL: value of `local` for a missing cell. BATCH_SPLIT_CORNERS: maximum number
// of corners of a batch whose lists are built on the GPU.
enum { BATCH_CELLS = 64, BATCH_NO_CELL = UINT16_MAX, BATCH_SPLIT_CORNERS = 1024 };

// The slots of a node of the body, one for each batch that has the node. The first SLOTS_AT_HAND are stored here, so
// that one load reads them. Few nodes have more.
enum { SLOTS_AT_HAND = 3 };
typedef struct NodeSlots {
  int count, slot[SLOTS_AT_HAND];
} NodeSlots;

// All arrays are on the device, except `cell`. Positions and slots are counted through all batches: first those of the
// first batch, then those of the second.
typedef struct CellBatches {
  int cell_count, node_count, batch_count, slot_count;
  int *cell;  // [batch_count][BATCH_CELLS], on the host: cell of each thread, -1: none
  int *at;    // [cell_count], for each cell: batch * BATCH_CELLS + thread
  // [batch_count + 1], first position of each batch. It is also the first slot, since a batch has as many slots as
  // positions.
  int *slot_start;
  int *batch_node;  // [slot_count], node at each position
  // [batch_count][cell_nodes][BATCH_CELLS], position of each node of a cell, counted from the first position of its
  // batch; BATCH_NO_CELL if the thread has no cell
  uint16_t *local;
  // [slot_count + batch_count]. Each slot has a list of the corners whose contributions it sums, in its batch's part of
  // `corner`. For slot s of batch b, the list is from list_start[s + b] to list_start[s + b + 1] - 1. Adding b leaves
  // place for the end of the last list of each batch.
  uint16_t *list_start;
  // [batch_count][cell_nodes * BATCH_CELLS], the lists. Node a of the cell of thread t is coded as a * BATCH_CELLS + t.
  // Each list ascends.
  uint16_t *corner;
  NodeSlots *node;  // [node_count], the first slots of each node
  int *node_start;  // [node_count + 1], offsets into node_slot
  int *node_slot;   // [slot_count], all slots of each node, ascending
} CellBatches;

/// Divides the cells of a space into batches, with arrays on `device`. On a GPU the lists are built there if a batch
/// has at most BATCH_SPLIT_CORNERS corners; else the host builds them, with equal results. Fails if memory runs out or
/// the user interrupts; *batches is then empty.
bool cell_batches_create(CellBatches *batches, const Space *space, Device device, Error *error);
void cell_batches_destroy(CellBatches *batches, Device device);

/// Builds the lists on the GPU for batches whose counts, `cell` and `at` are set. node
/// [batch_count][cell_nodes][BATCH_CELLS] holds the nodes of their cells, -1: no cell. After a failure the caller must
/// still call cell_batches_destroy.
bool cell_batches_list(CellBatches *batches, int cell_nodes, const int *node, Error *error);

// Work memory on the device for building the lists again when the user cuts the body (space_split.h). A zeroed
// BatchSplit is empty.
typedef struct BatchSplit {
  int64_t slots;  // capacity of arrays by slot; 0: the present number of slots
  // capacity of arrays with one entry per slot, before and after the last call of cell_batches_reserve
  int64_t slots_before, slots_after;
  int *node;  // [batch_count][cell_nodes][BATCH_CELLS], the cells' nodes, -1: none
  // slot [slots]: the slot of each position. sorted [slots]: the nodes of all positions, sorted.
  int *slot, *sorted;
  void *scratch;  // work memory for sorts
  size_t scratch_bytes;
  int changed_count;
  // changed [changed_count]: the cells that get new nodes. nodes [changed_count][cell_nodes]: the nodes of these cells
  // after the cut.
  int *changed, *nodes;
} BatchSplit;

/// Two steps that build the lists again after a cut, for batches of at most BATCH_SPLIT_CORNERS corners on a GPU.
///
/// cell_batches_reserve enlarges the lists for the changed space. They keep their contents, even after a failure, but
/// may have other addresses. If the caller has arrays by slot, it then enlarges them from room->slots_before to
/// room->slots_after, and sets room->slots to slots_after.
///
/// cell_batches_split then builds the lists as cell_batches_create does. It is queued on the stream, except that it
/// waits once for the number of slots. It fails only if the device fails.
bool cell_batches_reserve(CellBatches *batches, BatchSplit *room, const Space *space, const SpaceSplit *split,
                          Error *error);
bool cell_batches_split(CellBatches *batches, BatchSplit *room, int cell_nodes, const SpaceSplit *split, Stream stream,
                        Error *error);
void batch_split_destroy(BatchSplit *room);

/// Returns an estimate of the bytes that the batches of a body need on the device.
double cell_batches_bytes(double cells, double nodes, int cell_nodes);

/// Returns an estimate of the number of slots (different nodes of each batch, summed over all batches) of a body.
double cell_batches_slots(double cells, int cell_nodes);

#ifdef __cplusplus
}
#endif
