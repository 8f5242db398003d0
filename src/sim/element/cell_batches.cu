// Builds the lists of CellBatches on the GPU, for a new body and after each cut of the body. A batch is BATCH_CELLS
// cells, and a corner a node of one of its cells. A position is a node's index in the batch's ascending list of nodes.
// A slot is the index of the batch's sum at this node (cell_batches.h). The host assigns cells to batches once and
// uploads their nodes. After a cut, kernels read the nodes back from the previous lists and replace the changed ones.
//
// One thread block processes each batch. The thread block sorts the corners of its cells by node. The corners of one
// node are then adjacent, and form one position. Sorting the positions by decreasing number of corners gives the slots.
// Example: corners with the nodes 10, 30, 20, 20 give position 0 (node 10, one corner), position 1 (node 20, two
// corners) and position 2 (node 30, one corner); position 1 has slot 0.
//
// A prefix sum over the batches gives each batch's first slot. A stable sort of all positions by node gives the slots
// of each node of the body. The lists equal those that cell_batches.c builds on the host.
#include <stdint.h>

#include "base/parallel.h"
#include "device/cuda_try.h"
#include "device/device_sort.h"
#include "sim/element/cell_batches.h"

// BLOCK: threads per thread block. NOBODY: node number of a missing cell.
enum { BLOCK = 256, NOBODY = -1 };
typedef unsigned long long Key;  // (number to sort by, such as a node) * 2^16 + (index of the sorted item)
static const Key LAST = ~0ull;

// Reads the nodes of all cells from the lists of CellBatches, and writes them to `node`
// [batch_count][cell_nodes][BATCH_CELLS]. A thread block processes one batch (BATCH_CELLS cells). A missing cell gets
// NOBODY.
static __global__ void __launch_bounds__(BLOCK) read_nodes_kernel(CellBatches b, int cell_nodes, int *node) {
  const size_t corners = (size_t)cell_nodes * BATCH_CELLS, at = blockIdx.x * corners;
  const int first = b.slot_start[blockIdx.x];
  for (int k = threadIdx.x; k < (int)corners; k += BLOCK) {
    const int position = b.local[at + k];
    node[at + k] = position == BATCH_NO_CELL ? NOBODY : b.batch_node[first + position];
  }
}

// Gives new nodes to the cells that a cut has changed, in `node`, the array of the nodes of all cells. changed
// [corner_count / cell_nodes] has the numbers of these cells, and nodes [corner_count] their new nodes.
static __global__ void __launch_bounds__(BLOCK) change_nodes_kernel(CellBatches b, int cell_nodes, const int *changed,
                                                                    const int *nodes, int corner_count, int *node) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= corner_count) return;
  const int at = b.at[changed[k / cell_nodes]];
  node[((size_t)(at / BATCH_CELLS) * cell_nodes + k % cell_nodes) * BATCH_CELLS + at % BATCH_CELLS] = nodes[k];
}

// Removes the cells `removed` from their batches: writes NOBODY to `node`, the array of the nodes of all cells, and
// BATCH_NO_CELL to b.local. corner_count is the number of removed cells times cell_nodes.
static __global__ void __launch_bounds__(BLOCK)
    remove_cells_kernel(CellBatches b, int cell_nodes, const int *removed, int corner_count, int *node) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= corner_count) return;
  const int at = b.at[removed[k / cell_nodes]];
  const size_t corner = ((size_t)(at / BATCH_CELLS) * cell_nodes + k % cell_nodes) * BATCH_CELLS + at % BATCH_CELLS;
  node[corner] = NOBODY;
  b.local[corner] = BATCH_NO_CELL;
}

// Replaces each node number a in node [count] by renamed[a], after some nodes were removed.
static __global__ void __launch_bounds__(BLOCK) rename_nodes_kernel(const int *renamed, size_t count, int *node) {
  const size_t k = (size_t)blockIdx.x * BLOCK + threadIdx.x;
  if (k < count && node[k] != NOBODY) node[k] = renamed[node[k]];
}

// Sorts key [COUNT] in shared memory in ascending order (bitonic sort); COUNT must be a power of two. Every thread of
// the thread block must call this function, and may read the sorted keys afterwards.
template <int COUNT>
static __device__ void sort_keys(Key *key) {
  for (int size = 2; size <= COUNT; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (int k = threadIdx.x; k < COUNT / 2; k += BLOCK) {
        const int i = 2 * k - (k & (apart - 1)), j = i + apart;
        const Key low = key[i], high = key[j];
        if ((low > high) == ((i & size) == 0)) {
          key[i] = high;
          key[j] = low;
        }
      }
    }
  __syncthreads();
}

// Replaces value[k] in shared memory by the sum of value[0] to value[k], for each k < COUNT. Every thread of the thread
// block must call this function, and may read the sums afterwards.
template <int COUNT>
static __device__ void add_up(int *value) {
  for (int step = 1; step < COUNT; step *= 2) {
    int own[COUNT / BLOCK];
    __syncthreads();
    for (int q = 0; q < COUNT / BLOCK; q++) {
      const int k = q * BLOCK + threadIdx.x;
      own[q] = value[k] + (k >= step ? value[k - step] : 0);
    }
    __syncthreads();
    for (int q = 0; q < COUNT / BLOCK; q++) value[q * BLOCK + threadIdx.x] = own[q];
  }
  __syncthreads();
}

// Builds the lists of one batch (BATCH_CELLS cells) per thread block, from node [batch_count][cell_nodes][BATCH_CELLS].
// Without COUNTS the kernel writes the lists of CellBatches, and slot [slot_count]: the index of the batch's sum for
// each node of each batch. With COUNTS the kernel only writes the number of different nodes of the batch to
// counts[batch]. CORNERS is a power of two, at least cell_nodes * BATCH_CELLS.
template <int CORNERS, bool COUNTS>
static __global__ void __launch_bounds__(BLOCK)
    list_kernel(CellBatches b, int cell_nodes, const int *node, int *counts, int *slot) {
  __shared__ Key key[CORNERS];
  __shared__ int number[CORNERS], begin[CORNERS + 1];
  __shared__ uint16_t sorted[CORNERS];
  const size_t at = (size_t)blockIdx.x * cell_nodes * BATCH_CELLS;
  for (int k = threadIdx.x; k < CORNERS; k += BLOCK) {
    const int own = k < cell_nodes * BATCH_CELLS ? node[at + k] : NOBODY;
    key[k] = own == NOBODY ? LAST : (Key)own << 16 | (unsigned)k;
  }
  sort_keys<CORNERS>(key);

  // Corners (nodes of cells) with the same node are now adjacent. `number` is 1 at the first corner of each node, else
  // 0. The prefix sum of `number`, minus 1, is the position: the index of the node in the batch's ascending list.
  for (int k = threadIdx.x; k < CORNERS; k += BLOCK)
    number[k] = key[k] != LAST && (k == 0 || key[k] >> 16 != key[k - 1] >> 16);
  add_up<CORNERS>(number);
  const int count = number[CORNERS - 1];
  if (COUNTS) {
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
    return;
  }
  const int first = b.slot_start[blockIdx.x];
  for (int k = threadIdx.x; k < CORNERS; k += BLOCK) {
    if (key[k] == LAST) continue;
    const int position = number[k] - 1;
    if (k == 0 || number[k - 1] != number[k]) {
      begin[position] = k;
      b.batch_node[first + position] = (int)(key[k] >> 16);
    }
    if (k == CORNERS - 1 || key[k + 1] == LAST) begin[count] = k + 1;
    sorted[k] = (uint16_t)(key[k] & 0xffff);
    b.local[at + sorted[k]] = (uint16_t)position;
  }

  __syncthreads();

  // Sort the nodes of the batch by decreasing number of the batch's cells at each node. The index of a node in this
  // order is its slot, the index of the batch's sum at the node.
  for (int k = threadIdx.x; k < CORNERS; k += BLOCK)
    key[k] = k < count ? (Key)(BATCH_CELLS - (begin[k + 1] - begin[k])) << 16 | (unsigned)k : LAST;
  sort_keys<CORNERS>(key);
  for (int k = threadIdx.x; k < CORNERS; k += BLOCK) {
    const int position = (int)(key[k] & 0xffff);
    number[k] = k < count ? begin[position + 1] - begin[position] : 0;
  }
  add_up<CORNERS>(number);
  uint16_t *start = b.list_start + first + blockIdx.x;
  if (count == 0 && threadIdx.x == 0) start[0] = 0;
  for (int k = threadIdx.x; k < count; k += BLOCK) {
    const int position = (int)(key[k] & 0xffff), length = begin[position + 1] - begin[position],
              to = number[k] - length;
    slot[first + position] = first + k;
    start[k] = (uint16_t)to;
    if (k == count - 1) start[count] = (uint16_t)number[k];
    for (int j = 0; j < length; j++) b.corner[at + to + j] = sorted[begin[position] + j];
  }
}

// Sets node_start, each node's first index in node_slot. sorted [slot_count] are the nodes of all slots (sums of
// batches at nodes) in ascending order. Example: sorted = 0, 0, 2 gives node_start = 0, 2, 2, 3. Runs with slot_count +
// 1 threads.
static __global__ void __launch_bounds__(BLOCK) starts_kernel(CellBatches b, const int *sorted) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k > b.slot_count) return;
  const int last = k == 0 ? -1 : sorted[k - 1], own = k == b.slot_count ? b.node_count : sorted[k];
  for (int a = last + 1; a <= own; a++) b.node_start[a] = k;
}

// Copies the number of slots and the first slots of each node to CellBatches.node. A slot is the index of the sum of
// one batch (group of cells) at the node.
static __global__ void __launch_bounds__(BLOCK) slots_kernel(CellBatches b) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= b.node_count) return;
  const int first = b.node_start[a];
  NodeSlots own = { b.node_start[a + 1] - first, { 0, 0, 0 } };
  for (int k = 0; k < SLOTS_AT_HAND && k < own.count; k++) own.slot[k] = b.node_slot[first + k];
  b.node[a] = own;
}

static int blocks_for(int count) {
  return (count - 1) / BLOCK + 1;
}

// Allocates work memory for sorting `slots` items, and for prefix sums over the batches (groups of cells).
static bool make_scratch(const CellBatches *b, BatchSplit *room, int64_t slots, Error *error) {
  size_t sort = 0, sum = 0;
  if (!device_sort_bytes(false, (int)slots, &sort, error) || !device_add_up_bytes(b->batch_count + 1, &sum, error))
    return false;
  const size_t scratch = sort > sum ? sort : sum;
  if (!device_grow(DEVICE_CUDA, &room->scratch, 0, scratch, error)) return false;
  room->scratch_bytes = scratch;
  return true;
}

// Returns an upper bound of the number of slots after a cut. Each batch (group of cells) has one slot for each of its
// different nodes. If the cut gives a cell a new node in place of an old one, the cell's batch gets at most one slot
// more.
static int64_t slots_at_max(const CellBatches *b, const Space *space, const SpaceSplit *split) {
  const int nodes = space->cell_nodes;
  int64_t count = b->slot_count;
  for (int k = 0; k < split->changed_count; k++)
    for (int c = 0; c < nodes; c++)
      count += split->nodes[(int64_t)k * nodes + c] != space_cell(space, split->changed[k])[c];
  return count;
}

bool cell_batches_reserve(CellBatches *b, BatchSplit *room, const Space *space, const SpaceSplit *split, Error *error) {
  const Device device = DEVICE_CUDA;
  const int nodes = space->cell_nodes;
  const size_t batches = (size_t)b->batch_count, number = sizeof(int);
  const size_t before = (size_t)split->node_before, now = (size_t)split->node_capacity;
  const int64_t needed = slots_at_max(b, space, split);
  int64_t changed = split->changed_count;
  if (split->removed_count > changed) changed = split->removed_count;
  if (split->renamed && changed < split->node_count / nodes + 1) changed = split->node_count / nodes + 1;
  const int64_t maximum = needed <= room->slots ? room->slots : space_split_more(needed);
  if (maximum > INT32_MAX)
    return error_set(error,
                     "the mesh is too large after the cut: matrix \"partial\" needs %lld sums, too many for 32-bit "
                     "indices; choose another --matrix",
                     (long long)needed);
  room->slots_before = room->slots ? room->slots : b->slot_count;
  room->slots_after = maximum;
  const size_t slots_before = (size_t)room->slots_before, slots = (size_t)maximum;
  if (!room->node && !(room->node = (int *)device_alloc(device, number * (size_t)nodes * BATCH_CELLS * batches, error)))
    return false;
  if (maximum > room->slots) {
    // The old contents of room->slot and room->sorted are not copied (0 bytes), because every cut computes them anew.
    if (!device_grow(device, &room->slot, 0, number * slots, error) ||
        !device_grow(device, &room->sorted, 0, number * slots, error) || !make_scratch(b, room, maximum, error))
      return false;
    if (!device_grow(device, &b->batch_node, number * slots_before, number * slots, error) ||
        !device_grow(device, &b->node_slot, number * slots_before, number * slots, error) ||
        !device_grow(device, &b->list_start, sizeof(uint16_t) * (slots_before + batches),
                     sizeof(uint16_t) * (slots + batches), error))
      return false;
  }

  if (changed > room->changed_count) {
    if (!device_grow(device, &room->changed, 0, number * (size_t)changed, error) ||
        !device_grow(device, &room->nodes, 0, number * (size_t)(changed * nodes), error))
      return false;
    room->changed_count = (int)changed;
  }

  return device_grow(device, &b->node, sizeof *b->node * before, sizeof *b->node * now, error) &&
         device_grow(device, &b->node_start, number * (before + 1), number * (now + 1), error);
}

template <int CORNERS>
static void list(const CellBatches &b, const BatchSplit &room, int nodes, bool counts, cudaStream_t s) {
  if (counts)
    list_kernel<CORNERS, true><<<b.batch_count, BLOCK, 0, s>>>(b, nodes, room.node, b.slot_start, NULL);
  else
    list_kernel<CORNERS, false><<<b.batch_count, BLOCK, 0, s>>>(b, nodes, room.node, NULL, room.slot);
}

static bool make_lists(const CellBatches *b, const BatchSplit *room, int nodes, bool counts, Stream stream,
                       Error *error) {
  enum { FEW = 4 * BATCH_CELLS };
  (nodes * BATCH_CELLS <= FEW ? list<FEW> : list<BATCH_SPLIT_CORNERS>)(*b, *room, nodes, counts,
                                                                       (cudaStream_t)stream.handle);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Counts the different nodes of each batch (group of cells). Each of these nodes gets a slot, the index of the batch's
// sum at the node. Sets slot_start, the first slot of each batch, by a prefix sum. The host waits for slot_count, the
// number of all slots.
static bool count_slots(CellBatches *b, const BatchSplit *room, int cell_nodes, Stream stream, Error *error) {
  if (!make_lists(b, room, cell_nodes, true, stream, error)) return false;
  if (!device_add_up(room->scratch, room->scratch_bytes, true, b->slot_start, b->slot_start, b->batch_count + 1, stream,
                     error))
    return false;
  if (!device_download(stream, &b->slot_count, b->slot_start + b->batch_count, sizeof b->slot_count, error))
    return false;
  return stream_sync(stream, error);
}

// Fills the lists of each batch (group of cells), and then the list of each node's slots. A slot is the index of one
// batch's sum at the node.
static bool fill_lists(CellBatches *b, const BatchSplit *room, int cell_nodes, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  int bits = 1;
  while (bits < 32 && b->node_count >> bits) bits++;
  if (!make_lists(b, room, cell_nodes, false, stream, error) ||
      !device_sort(room->scratch, room->scratch_bytes, false, b->batch_node, room->sorted, room->slot, b->node_slot,
                   b->slot_count, bits, stream, error))
    return false;
  starts_kernel<<<blocks_for(b->slot_count + 1), BLOCK, 0, s>>>(*b, room->sorted);
  CUDA_TRY(cudaGetLastError());
  slots_kernel<<<blocks_for(b->node_count), BLOCK, 0, s>>>(*b);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Allocates the arrays with one element per slot (sum of a batch at a node) or per node, and the work memory for
// sorting the slots.
static bool reserve_capacity(CellBatches *b, BatchSplit *room, Error *error) {
  const Device device = DEVICE_CUDA;
  const size_t slots = (size_t)b->slot_count, nodes = (size_t)b->node_count;
  if (!(b->batch_node = (int *)device_alloc(device, sizeof(int) * slots, error))) return false;
  if (!(b->list_start = (uint16_t *)device_alloc(device, sizeof(uint16_t) * (slots + (size_t)b->batch_count), error)))
    return false;
  if (!(b->node_slot = (int *)device_alloc(device, sizeof(int) * slots, error))) return false;
  if (!(b->node = (NodeSlots *)device_alloc(device, sizeof *b->node * nodes, error))) return false;
  if (!(b->node_start = (int *)device_alloc(device, sizeof(int) * (nodes + 1), error))) return false;
  if (!(room->slot = (int *)device_alloc(device, sizeof(int) * slots, error))) return false;
  if (!(room->sorted = (int *)device_alloc(device, sizeof(int) * slots, error))) return false;
  return make_scratch(b, room, b->slot_count, error);
}

// Implements cell_batches_list on a stream: builds the lists of all batches (groups of cells) on the GPU.
static bool list_all(CellBatches *b, BatchSplit *room, int cell_nodes, const int *node, Stream stream, Error *error) {
  const Device device = DEVICE_CUDA;
  const size_t corners = (size_t)cell_nodes * BATCH_CELLS * (size_t)b->batch_count, absent = sizeof(uint16_t) * corners;
  b->slot_start = (int *)device_alloc(device, sizeof(int) * ((size_t)b->batch_count + 1), error);
  b->local = (uint16_t *)device_alloc(device, absent, error);
  b->corner = (uint16_t *)device_alloc(device, absent, error);
  room->node = (int *)device_clone(device, node, sizeof(int) * corners, error);
  if (!b->slot_start || !b->local || !b->corner || !room->node) return false;
  CUDA_TRY(cudaMemsetAsync(b->local, 0xff, absent, (cudaStream_t)stream.handle));
  if (!make_scratch(b, room, 1, error)) return false;
  if (!count_slots(b, room, cell_nodes, stream, error)) return false;
  if (!reserve_capacity(b, room, error)) return false;
  if (!fill_lists(b, room, cell_nodes, stream, error)) return false;
  return stream_sync(stream, error);
}

bool cell_batches_list(CellBatches *b, int cell_nodes, const int *node, Error *error) {
  Stream stream = {};
  BatchSplit room = {};
  const bool ok = stream_create(DEVICE_CUDA, &stream, error) && list_all(b, &room, cell_nodes, node, stream, error);
  batch_split_destroy(&room);
  stream_destroy(&stream);
  return ok;
}

// Fills room->node, the array of the nodes of all cells, with the nodes after a cut. If the cut removes nodes, the
// array still has the numbers from before the removal; the function `renumber` replaces them later.
static bool change_nodes(CellBatches *b, BatchSplit *room, int cell_nodes, const SpaceSplit *split, cudaStream_t s,
                         Stream stream, Error *error) {
  const int changed = split->changed_count * cell_nodes, removed = split->removed_count * cell_nodes;
  read_nodes_kernel<<<b->batch_count, BLOCK, 0, s>>>(*b, cell_nodes, room->node);
  CUDA_TRY(cudaGetLastError());
  if (removed > 0) {
    if (!device_upload(stream, room->changed, split->removed, sizeof(int) * (size_t)split->removed_count, error))
      return false;
    remove_cells_kernel<<<blocks_for(removed), BLOCK, 0, s>>>(*b, cell_nodes, room->changed, removed, room->node);
    CUDA_TRY(cudaGetLastError());
  }
  if (changed == 0) return true;
  if (!device_upload(stream, room->changed, split->changed, sizeof(int) * (size_t)split->changed_count, error) ||
      !device_upload(stream, room->nodes, split->nodes, sizeof(int) * (size_t)changed, error))
    return false;
  change_nodes_kernel<<<blocks_for(changed), BLOCK, 0, s>>>(*b, cell_nodes, room->changed, room->nodes, changed,
                                                            room->node);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Arguments of a parallel loop that renumbers the cells of all batches (groups of cells) after a cut has removed some
// cells. The loop also writes split->room [cells_left]: for each remaining cell its index in CellBatches.cell, which is
// batch * BATCH_CELLS + thread.
typedef struct Renumbering {
  int *cell;
  const SpaceSplit *split;
} Renumbering;

static void renumber_cells(const void *renumbering, int first, int last) {
  const Renumbering *r = (const Renumbering *)renumbering;
  for (int at = first; at < last; at++) {
    if (r->cell[at] < 0) continue;
    r->cell[at] = r->split->cell_now[r->cell[at]];
    if (r->cell[at] >= 0) r->split->room[r->cell[at]] = at;
  }
}

// Renumbers nodes and cells in the lists of CellBatches, after a cut has removed some of them.
static bool renumber(CellBatches *b, BatchSplit *room, int cell_nodes, const SpaceSplit *split, cudaStream_t s,
                     Stream stream, Error *error) {
  const size_t corners = (size_t)cell_nodes * BATCH_CELLS * (size_t)b->batch_count;
  if (split->removed_count == 0) return true;
  if (split->left_count < split->node_count) {
    if (!device_upload(stream, room->nodes, split->renamed, sizeof(int) * (size_t)split->node_count, error))
      return false;
    rename_nodes_kernel<<<(unsigned)((corners - 1) / BLOCK + 1), BLOCK, 0, s>>>(room->nodes, corners, room->node);
    CUDA_TRY(cudaGetLastError());
  }
  const Renumbering cells = { b->cell, split };
  parallel_for(b->batch_count * BATCH_CELLS, 1 << 14, renumber_cells, &cells);
  b->cell_count = split->cells_left;
  return device_upload(stream, b->at, split->room, sizeof(int) * (size_t)b->cell_count, error);
}

bool cell_batches_split(CellBatches *b, BatchSplit *room, int cell_nodes, const SpaceSplit *split, Stream stream,
                        Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  b->node_count = split->left_count;
  if (!change_nodes(b, room, cell_nodes, split, s, stream, error)) return false;
  if (!renumber(b, room, cell_nodes, split, s, stream, error)) return false;
  if (!count_slots(b, room, cell_nodes, stream, error)) return false;
  return fill_lists(b, room, cell_nodes, stream, error);
}

void batch_split_destroy(BatchSplit *room) {
  void *arrays[] = { room->node, room->slot, room->sorted, room->scratch, room->changed, room->nodes };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  *room = {};
}
