// Cells in batches, for kernels on a GPU in which a block of threads takes a batch, a thread a cell. Cells of a batch
// are near each other in space, so that they share most of their nodes: a block reads each of its nodes once, its cells
// leave what they have for their nodes in shared memory, and each node of the batch adds that up, a slot. What then
// crosses memory is a value for each slot (2.85 a cell of the hand of degree 2, in place of ten corners), and each node
// adds up its slots. Both in a fixed order.
//
// A batch's nodes are numbered twice: places are ascending, for loads that lie side by side; slots come by the lengths
// of their lists, the longest first, so that threads of a warp have as much to add up as each other.
#pragma once
#include "device/device.h"
#include "sim/element/space_split.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BATCH_CELLS = 64, BATCH_NO_CELL = UINT16_MAX, BATCH_SPLIT_CORNERS = 1024 };

// The slots of a node, of which most have few: the first ones stand here, so that they are known after one load.
enum { SLOTS_AT_HAND = 3 };
typedef struct NodeSlots {
  int count, slot[SLOTS_AT_HAND];
} NodeSlots;

// Arrays on the device but for `cell`. Places and slots are numbered batch by batch.
typedef struct CellBatches {
  int cell_count, node_count, batch_count, slot_count;
  int *cell;             // [batch_count][BATCH_CELLS], host: which cell a thread takes, -1: none
  int *at;               // [cell_count], batch * BATCH_CELLS + thread of each cell
  int *slot_start;       // [batch_count + 1], of places and slots alike
  int *place_node;       // [slot_count], the place's node
  uint16_t *local;       // [batch_count][cell_nodes][BATCH_CELLS], the place of a cell's node less the batch's first;
                         // BATCH_NO_CELL where there is no cell
  uint16_t *list_start;  // [slot_count + batch_count], at slot + batch: where a slot's list begins in its batch's part
                         // of corner, and behind it the next one
  uint16_t *corner;      // [batch_count][cell_nodes * BATCH_CELLS], a BATCH_CELLS + thread: by slots, then ascending
  NodeSlots *node;       // [node_count]
  int *node_start;       // [node_count + 1], into node_slot
  int *node_slot;        // [slot_count], ascending for each node
} CellBatches;

/// Of a space, on a device. Empty on failure: for lack of memory, or interrupted. On a GPU lists are made there where a
/// batch has at most BATCH_SPLIT_CORNERS corners, else on the host: the same ones.
bool cell_batches_create(CellBatches *batches, const Space *space, Device device, Error *error);
void cell_batches_destroy(CellBatches *batches, Device device);

/// On a GPU the lists of batches that have nothing but counts, `cell` and `at`, from the nodes of their cells, `node`
/// [batch_count][cell_nodes][BATCH_CELLS], -1: none. What there is on failure is for cell_batches_destroy.
bool cell_batches_list(CellBatches *batches, int cell_nodes, const int *node, Error *error);

// What it takes to make lists again on a GPU where a body is taken apart (space_split.h), all on the device. A zeroed
// one is empty.
typedef struct BatchSplit {
  int64_t slots;                      // for how many slots arrays have room; 0: for those that there are
  int64_t slots_before, slots_after;  // of the last reserve
  int *node;                          // [batch_count][cell_nodes][BATCH_CELLS], the cells' nodes, -1: none
  int *slot, *sorted;                 // [slots]: which one each place is; the nodes of all places, ascending
  void *scratch;                      // of sorts
  size_t scratch_bytes;
  int changed_count;
  int *changed, *nodes;  // [changed_count], [changed_count][cell_nodes]: the split's
} BatchSplit;

/// Of batches on a GPU: room for lists of the space when it has changed, after which they are as before, perhaps
/// elsewhere, also where that fails; then the lists as cell_batches_create makes them of it, queued on the stream but
/// for one wait, which fails only with the device. Whoever has arrays by slots lets them grow from slots_before to
/// slots_after, and then sets `slots` to that. Batches of at most BATCH_SPLIT_CORNERS corners.
bool cell_batches_reserve(CellBatches *batches, BatchSplit *room, const Space *space, const SpaceSplit *split,
                          Error *error);
bool cell_batches_split(CellBatches *batches, BatchSplit *room, int cell_nodes, const SpaceSplit *split, Stream stream,
                        Error *error);
void batch_split_destroy(BatchSplit *room);

/// bytes that they take, on the device
double cell_batches_bytes(double cells, double nodes, int cell_nodes);

/// Slots of so many cells, on average.
double cell_batches_slots(double cells, int cell_nodes);

#ifdef __cplusplus
}
#endif
