// Batches of cells for GPU kernels. A batch is a group of at most BATCH_CELLS cells that are close in space and share
// most of their nodes. One thread block processes one batch, and reads each node of the batch once.
//
// Results at nodes, for example y of y = A x, are sums of contributions of cells. They are summed in two steps, each in
// a fixed order. First, a thread block sums the contributions of its batch to each node of the batch in shared memory.
// The thread block writes each sum to an array in device memory; a slot is one element of this array. Then another
// kernel sums the slots of each node of the body. Example: a node that has cells in batches 2 and 5 has two slots.
// Quadratic tets have about 3 slots per cell, so about 3 sums per cell are written, not one for each of its 10 nodes.
//
// A batch lists its nodes in two orders. Positions are the indices in the order of node numbers, so that loads are
// coalesced. Slots are in the order of decreasing numbers of contributions, so that the threads of a warp have about
// equal work. Example: a batch has the nodes 10, 20 and 30, with 1, 6 and 2 cells. Their positions are 0, 1 and 2. Node
// 20 has the batch's first slot, 30 the second and 10 the third. A corner is a node of a cell: a cell of ten nodes has
// ten corners.
#pragma once
#include "device/device.h"
#include "sim/element/space_split.h"

#ifdef __cplusplus
extern "C" {
#endif

// BATCH_CELLS: cells per batch, the group of cells of one thread block. BATCH_NO_CELL: value in CellBatches.local for a
// missing cell. BATCH_SPLIT_CORNERS: max number of corners (nodes of cells) of a batch whose lists are built on the
// GPU.
enum { BATCH_CELLS = 64, BATCH_NO_CELL = UINT16_MAX, BATCH_SPLIT_CORNERS = 1024 };

// The slots of one node of the body. A slot is the index of the sum of one batch's contributions to this node, so a
// node has one slot for each batch with a cell at the node. The first SLOTS_AT_HAND slots are stored here with `count`,
// the number of the node's slots, so that one load reads them. CellBatches.node_slot lists all slots.
enum { SLOTS_AT_HAND = 3 };
typedef struct NodeSlots {
  int count, slot[SLOTS_AT_HAND];
} NodeSlots;

// Lists of the batches (groups of BATCH_CELLS cells) of a body, on the device except `cell`. A batch has one position
// and one slot for each of its nodes. A position is the node's index in the ascending list of the batch's nodes, a slot
// the index of the batch's sum at the node. Positions and slots are numbered through all batches: if batch 0 has 90
// nodes, batch 1 begins with position 90 and slot 90.
typedef struct CellBatches {
  // batch_count: number of batches, groups of cells. slot_count: number of nodes of each batch, summed over all
  // batches.
  int cell_count, node_count, batch_count, slot_count;
  int *cell;  // [batch_count][BATCH_CELLS], on the host: cell of each thread of each batch (group of cells); -1: none
  int *at;    // [cell_count], index of each cell in `cell`: batch * BATCH_CELLS + thread
  // [batch_count + 1], first position and first slot of each batch (group of cells). Example: batches with 90, 80 and
  // 85 nodes give 0, 90, 170, 255.
  int *slot_start;
  int *batch_node;  // [slot_count], the nodes of each batch (group of cells) in ascending order, batch after batch
  // [batch_count][cell_nodes][BATCH_CELLS], for each node of a cell its index among the nodes of the batch in ascending
  // order; BATCH_NO_CELL: the thread has no cell.
  uint16_t *local;
  // [slot_count + batch_count], index in `corner` of the first corner (node of a cell) of each slot. Slot s of batch b
  // sums the corners list_start[s + b] to list_start[s + b + 1] - 1 of the batch's row of `corner`. The index is s + b,
  // since the list of each batch has one element more than the batch has slots: the end of the last slot's corners.
  uint16_t *list_start;
  // [batch_count][cell_nodes * BATCH_CELLS], for each slot (sum of a batch at a node) the corners whose contributions
  // are summed. A corner, node a of the cell of thread t, is coded as a * BATCH_CELLS + t. The corners of a slot
  // ascend.
  uint16_t *corner;
  // [node_count], for each node its number of slots (sums of batches at the node) and its first three slots
  NodeSlots *node;
  int *node_start;  // [node_count + 1], index in node_slot of the first slot of each node of the body
  int *node_slot;   // [slot_count], all slots of each node (sums of batches at the node), node after node, ascending
} CellBatches;

/// Divides the cells of a space into batches of BATCH_CELLS cells, and builds the lists of CellBatches on `device`. On
/// a GPU, kernels build the lists if a batch has at most BATCH_SPLIT_CORNERS corners (nodes of its cells). Otherwise
/// the host builds equal lists. Fails if memory runs out or the user interrupts; *batches is then empty.
bool cell_batches_create(CellBatches *batches, const Space *space, Device device, Error *error);
void cell_batches_destroy(CellBatches *batches, Device device);

/// Builds the lists of `batches` on the GPU. The caller must have set cell_count, node_count, batch_count, `cell` and
/// `at`. node [batch_count][cell_nodes][BATCH_CELLS] holds the nodes of each batch's cells; -1: no cell. After a
/// failure the caller must call cell_batches_destroy.
bool cell_batches_list(CellBatches *batches, int cell_nodes, const int *node, Error *error);

// Work memory on the GPU for building the lists of CellBatches again when the user cuts the body (space_split.h). A
// slot is the index of the sum of one batch (group of cells) at one node. A zeroed BatchSplit is empty.
typedef struct BatchSplit {
  // Number of slots for which the arrays with one element per slot (sum of a batch at a node) have memory. 0: the
  // arrays were never enlarged, so their length is CellBatches.slot_count.
  int64_t slots;
  // Lengths of the arrays with one element per slot: slots_before is the length before the last call of
  // cell_batches_reserve, and slots_after the length after it.
  int64_t slots_before, slots_after;
  int *node;  // [batch_count][cell_nodes][BATCH_CELLS], nodes of the cells of each batch (group of cells); -1: no cell
  // slot [slots]: slot (index of a batch's sum at a node) of each element of CellBatches.batch_node, the nodes of all
  // batches. sorted [slots]: the elements of batch_node in ascending order; a node occurs once for each of its batches.
  int *slot, *sorted;
  void *scratch;         // work memory for sorts, scratch_bytes bytes
  size_t scratch_bytes;  // bytes of `scratch`
  // number of cells for which `changed` and `nodes` have memory
  int changed_count;
  // changed [changed_count]: the cells that get new nodes by the cut. nodes [changed_count][cell_nodes]: their nodes
  // after the cut. The arrays have a second use: `changed` for the removed cells, and `nodes` for the new numbers of
  // all nodes.
  int *changed, *nodes;
} BatchSplit;

/// These two functions update the lists of `batches` on a GPU when the user cuts the body. A batch must have at most
/// BATCH_SPLIT_CORNERS corners, the nodes of its cells.
///
/// cell_batches_reserve enlarges the lists before the cut. The lists keep their contents, even after a failure, but
/// their addresses may change. A slot is the index of the sum of one batch at one node. The caller enlarges its arrays
/// of one element per slot, from room->slots_before to room->slots_after elements. The caller then sets room->slots to
/// slots_after.
///
/// cell_batches_split builds all lists for the changed space. Its work is queued on the stream, but the host waits once
/// for the number of slots. cell_batches_split fails only if the device fails.
bool cell_batches_reserve(CellBatches *batches, BatchSplit *room, const Space *space, const SpaceSplit *split,
                          Error *error);
bool cell_batches_split(CellBatches *batches, BatchSplit *room, int cell_nodes, const SpaceSplit *split, Stream stream,
                        Error *error);
void batch_split_destroy(BatchSplit *room);

/// Returns an estimate of the bytes on the device that CellBatches needs for a body with these numbers of cells and
/// nodes.
double cell_batches_bytes(double cells, double nodes, int cell_nodes);

/// Returns an estimate of the number of slots of a body: the number of nodes of each batch of cells, summed over all
/// batches.
double cell_batches_slots(double cells, int cell_nodes);

#ifdef __cplusplus
}
#endif
