// Cells in batches, for GPU kernels in which a thread block processes a batch. Cells of a batch are close in space and
// have most of their nodes in common. A block reads each of its nodes once, its cells write their contributions to
// shared memory, and each node of the batch sums its contributions into a slot. Device memory then carries one value
// per slot (2.85 slots per cell of the hand of degree 2, instead of ten corners), and each node sums its slots. Both
// sums have a fixed order.
//
// A batch's nodes are numbered twice. Places are sorted by node, for coalesced loads. Slots are sorted by decreasing
// length of their lists, so that threads of a warp have about equal work.
#pragma once
#include "device/device.h"
#include "sim/element/space_split.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BATCH_CELLS = 64, BATCH_NO_CELL = UINT16_MAX, BATCH_SPLIT_CORNERS = 1024 };

// Slots of a node. Most nodes have few, so the first ones are stored here and need only one load.
enum { SLOTS_AT_HAND = 3 };
typedef struct NodeSlots {
  int count, slot[SLOTS_AT_HAND];
} NodeSlots;

// Arrays are on the device, except `cell`. Places and slots are numbered batch by batch.
typedef struct CellBatches {
  int cell_count, node_count, batch_count, slot_count;
  int *cell;             // [batch_count][BATCH_CELLS], host: cell of each thread, -1: none
  int *at;               // [cell_count], batch * BATCH_CELLS + thread of each cell
  int *slot_start;       // [batch_count + 1], first position of each batch, which is also its first slot
  int *batch_node;       // [slot_count], node of each position
  uint16_t *local;       // [batch_count][cell_nodes][BATCH_CELLS], position of a cell's node minus the batch's first;
                         // BATCH_NO_CELL if there is no cell
  uint16_t *list_start;  // [slot_count + batch_count], at slot + batch: begin of a slot's list in its batch's part of
                         // `corner`; the next entry is its end
  uint16_t *corner;      // [batch_count][cell_nodes * BATCH_CELLS], a BATCH_CELLS + thread: by slots, then ascending
  NodeSlots *node;       // [node_count]
  int *node_start;       // [node_count + 1], offsets into node_slot
  int *node_slot;        // [slot_count], ascending for each node
} CellBatches;

/// Divides the cells of a space into batches, with arrays on a device. *batches is empty after a failure: out of
/// memory, or interrupted. On a GPU lists are built there if a batch has at most BATCH_SPLIT_CORNERS corners, else on
/// the host, with equal results.
bool cell_batches_create(CellBatches *batches, const Space *space, Device device, Error *error);
void cell_batches_destroy(CellBatches *batches, Device device);

/// Builds, on the GPU, the lists of batches that have only counts, `cell` and `at`. `node`
/// [batch_count][cell_nodes][BATCH_CELLS] holds the nodes of their cells, -1: none. After a failure the caller must
/// still call cell_batches_destroy.
bool cell_batches_list(CellBatches *batches, int cell_nodes, const int *node, Error *error);

// Data for rebuilding lists on a GPU when a body is cut (space_split.h), all on the device. A zeroed BatchSplit is
// empty.
typedef struct BatchSplit {
  int64_t slots;                      // capacity of arrays by slot; 0: the present number of slots
  int64_t slots_before, slots_after;  // capacities at the last reserve
  int *node;                          // [batch_count][cell_nodes][BATCH_CELLS], the cells' nodes, -1: none
  int *slot, *sorted;                 // [slots]: slot of each position; nodes of all positions, ascending
  void *scratch;                      // work memory of sorts
  size_t scratch_bytes;
  int changed_count;
  int *changed, *nodes;  // [changed_count], [changed_count][cell_nodes]: uploaded from the split
} BatchSplit;

/// For batches on a GPU, of at most BATCH_SPLIT_CORNERS corners. cell_batches_reserve enlarges the lists for the
/// changed space. The lists keep their contents, perhaps at other addresses, also after a failure. A caller that has
/// arrays by slot enlarges them from slots_before to slots_after, and then sets `slots` to slots_after.
/// cell_batches_split then builds the lists as cell_batches_create does, queued on the stream except for one wait. It
/// fails only with the device.
bool cell_batches_reserve(CellBatches *batches, BatchSplit *room, const Space *space, const SpaceSplit *split,
                          Error *error);
bool cell_batches_split(CellBatches *batches, BatchSplit *room, int cell_nodes, const SpaceSplit *split, Stream stream,
                        Error *error);
void batch_split_destroy(BatchSplit *room);

/// Bytes that the batches need on the device.
double cell_batches_bytes(double cells, double nodes, int cell_nodes);

/// Average number of slots of so many cells.
double cell_batches_slots(double cells, int cell_nodes);

#ifdef __cplusplus
}
#endif
