// Divides the cells of a body into batches of BATCH_CELLS cells, and builds their lists on the host (cell_batches.h). A
// thread block of the GPU processes one batch, and computes one sum for each node of the batch: the sum of the
// contributions of the batch's cells. A slot is the index of this sum in the array of all sums. A position is a node's
// index in the ascending list of the batch's nodes. A corner is one node of one cell.
#include "sim/element/cell_batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "mesh/bisect.h"

// The lists of CellBatches on the host, during creation. A position is the index of a node in its batch's ascending
// list of nodes, and a slot the index of the batch's sum at this node.
typedef struct Lists {
  // These arrays become members of CellBatches. slot_start: first position, and first slot, of each batch. batch_node:
  // node at each position. node_start: index in node_slot of the first slot of each node of the body. node_slot: slots
  // of each node.
  int *slot_start, *batch_node, *node_start, *node_slot;
  // [slot_count], the slot of each position. A position and its slot stand for one node of a batch, numbered in two
  // orders.
  int *slot;
  // These arrays become members of CellBatches. at: index of each cell in CellBatches.cell. node: for each node of the
  // body, the number of its slots and the first three slots.
  int *at;
  NodeSlots *node;
  // These arrays become members of CellBatches. local: position of each node of a cell, counted from the batch's first
  // position. corner: for each slot, the corners (nodes of cells) whose contributions are summed. list_start: index in
  // `corner` of the first corner of each slot.
  uint16_t *local, *list_start, *corner;
} Lists;

typedef struct Centring {
  const Space *space;
  double (*centre)[3];
} Centring;

static void find_centres(const void *centring, int first, int last) {
  enum { CORNERS = 4 };
  const Space *space = ((const Centring *)centring)->space;
  for (int e = first; e < last; e++)
    for (int c = 0; c < CORNERS; c++)
      for (int i = 0; i < 3; i++)
        ((const Centring *)centring)->centre[e][i] += space->X[space_cell(space, e)[c]][i] / CORNERS;
}

// Sets b->cell, the cells of each batch (group of BATCH_CELLS cells), if the space prescribes the batches: then
// Space.batch [cell_count] has the number batch * BATCH_CELLS + thread for each cell.
static bool take_batches(CellBatches *b, const Space *space, Error *error) {
  int last = 0;
  for (int e = 0; e < space->cell_count; e++) last = space->batch[e] > last ? space->batch[e] : last;
  b->batch_count = last / BATCH_CELLS + 1;
  if (!(b->cell = array_new((int64_t)b->batch_count * BATCH_CELLS, sizeof *b->cell, "cells", error))) return false;
  memset(b->cell, -1, sizeof *b->cell * (size_t)b->batch_count * BATCH_CELLS);
  for (int e = 0; e < space->cell_count; e++) b->cell[space->batch[e]] = e;
  return true;
}

// Sets b->cell, the cells of each batch, if the space prescribes no batches. Recursive bisection in space divides the
// body into batches of at most BATCH_CELLS neighbouring cells.
static bool divide(CellBatches *b, const Space *space, Error *error) {
  const int count = space->cell_count;
  double(*centre)[3] = array_new(count, sizeof *centre, "cells", error);
  int *part = array_new(count, sizeof *part, "cells", error), *filled = NULL;
  b->batch_count = (count + BATCH_CELLS - 1) / BATCH_CELLS;
  b->cell = array_new((int64_t)b->batch_count * BATCH_CELLS, sizeof *b->cell, "cells", error);
  bool ok = centre && part && b->cell && (filled = array_new(b->batch_count, sizeof *filled, "cells", error));
  if (ok) parallel_for(count, 1 << 12, find_centres, &(Centring){ space, centre });
  ok = ok && bisect_divide((const double(*)[3])centre, count, b->batch_count, part, error);
  if (ok) {
    memset(b->cell, -1, sizeof *b->cell * (size_t)b->batch_count * BATCH_CELLS);
    for (int e = 0; e < count; e++) b->cell[part[e] * BATCH_CELLS + filled[part[e]]++] = e;
  }
  free(centre);
  free(part);
  free(filled);
  return ok;
}

static int ascending(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// Lists the different nodes of one batch (group of BATCH_CELLS cells) in ascending order, and returns their number.
static int find_nodes(const CellBatches *b, const Space *space, int batch, int nodes[CELL_NODES_MAX * BATCH_CELLS]) {
  int all = 0, count = 0;
  for (int t = 0; t < BATCH_CELLS; t++) {
    const int e = b->cell[batch * BATCH_CELLS + t];
    for (int a = 0; e >= 0 && a < space->cell_nodes; a++) nodes[all++] = space_cell(space, e)[a];
  }
  qsort(nodes, (size_t)all, sizeof *nodes, ascending);
  for (int k = 0; k < all; k++)
    if (k == 0 || nodes[k] != nodes[k - 1]) nodes[count++] = nodes[k];
  return count;
}

// Fills the lists of one batch: the position of each node of its cells, the slot of each position, and the corners
// (nodes of cells) that each slot sums. The position of a node is its index in the batch's ascending list of nodes. The
// slot of a node is its index in the order of decreasing number of corners.
static void list_corners(const CellBatches *b, const Space *space, Lists *l, int batch) {
  const int nodes = space->cell_nodes, first = l->slot_start[batch], count = l->slot_start[batch + 1] - first;
  const int *node = l->batch_node + first;
  const size_t at = (size_t)batch * (size_t)nodes * BATCH_CELLS;
  uint16_t *start = l->list_start + first + batch, *corner = l->corner + at, *local = l->local + at;
  int length[CELL_NODES_MAX * BATCH_CELLS] = { 0 }, filled[CELL_NODES_MAX * BATCH_CELLS], next = 0;
  memset(local, 0xff, sizeof *local * (size_t)nodes * BATCH_CELLS);
  for (int t = 0; t < BATCH_CELLS; t++) {
    const int e = b->cell[batch * BATCH_CELLS + t];
    for (int a = 0; e >= 0 && a < nodes; a++) {
      const int *found = bsearch(space_cell(space, e) + a, node, (size_t)count, sizeof *node, ascending);
      local[a * BATCH_CELLS + t] = (uint16_t)(found - node);
      length[found - node]++;
    }
  }

  int slot = 0;
  for (int wanted = BATCH_CELLS; wanted > 0; wanted--)
    for (int position = 0; position < count; position++) {
      if (length[position] != wanted) continue;
      l->slot[first + position] = first + slot;
      start[slot++] = (uint16_t)next;
      filled[position] = next;
      next += wanted;
    }
  start[count] = (uint16_t)next;
  for (int a = 0; a < nodes; a++)
    for (int t = 0; t < BATCH_CELLS; t++)
      if (b->cell[batch * BATCH_CELLS + t] >= 0)
        corner[filled[local[a * BATCH_CELLS + t]]++] = (uint16_t)(a * BATCH_CELLS + t);
}

static bool make_slots(CellBatches *b, const Space *space, Lists *l, Error *error) {
  int nodes[CELL_NODES_MAX * BATCH_CELLS];
  l->slot_start = array_new(b->batch_count + 1, sizeof *l->slot_start, "cells", error);
  if (!l->slot_start) return false;
  for (int batch = 0; batch < b->batch_count; batch++)
    l->slot_start[batch + 1] = l->slot_start[batch] + find_nodes(b, space, batch, nodes);
  b->slot_count = l->slot_start[b->batch_count];
  l->batch_node = array_new(b->slot_count, sizeof *l->batch_node, "cells", error);
  for (int batch = 0; l->batch_node && batch < b->batch_count && !interrupt_requested(); batch++) {
    const int count = find_nodes(b, space, batch, nodes);
    memcpy(l->batch_node + l->slot_start[batch], nodes, sizeof *nodes * (size_t)count);
  }
  return l->batch_node;
}

static bool make_lists(const CellBatches *b, const Space *space, Lists *l, Error *error) {
  const int64_t corners = (int64_t)b->batch_count * space->cell_nodes * BATCH_CELLS;
  l->local = array_new(corners, sizeof *l->local, "cells", error);
  l->corner = array_new(corners, sizeof *l->corner, "cells", error);
  l->list_start = array_new((int64_t)b->slot_count + b->batch_count, sizeof *l->list_start, "cells", error);

  // node_start has one element more than CellBatches.node_start. The loops below first count the slots of node a in
  // node_start[a + 2], and then shift: at the end, node_start[a] is the first slot of node a.
  l->node_start = array_new(b->node_count + 2, sizeof *l->node_start, "nodes", error);
  l->slot = array_new(b->slot_count, sizeof *l->slot, "cells", error);
  l->node_slot = array_new(b->slot_count, sizeof *l->node_slot, "nodes", error);
  l->node = array_new(b->node_count, sizeof *l->node, "nodes", error);
  l->at = array_new(b->cell_count, sizeof *l->at, "cells", error);
  if (!l->at || !l->node || !l->local || !l->slot || !l->corner || !l->list_start || !l->node_start || !l->node_slot)
    return false;
  for (int batch = 0; batch < b->batch_count && !interrupt_requested(); batch++) list_corners(b, space, l, batch);
  for (int at = 0; at < b->batch_count * BATCH_CELLS; at++)
    if (b->cell[at] >= 0) l->at[b->cell[at]] = at;
  int *next = l->node_start + 1;
  for (int position = 0; position < b->slot_count; position++) next[l->batch_node[position] + 1]++;
  for (int a = 0; a < b->node_count; a++) next[a + 1] += next[a];
  for (int position = 0; position < b->slot_count; position++)
    l->node_slot[next[l->batch_node[position]]++] = l->slot[position];
  for (int a = 0; a < b->node_count; a++) {
    l->node[a].count = l->node_start[a + 1] - l->node_start[a];
    for (int k = 0; k < l->node[a].count && k < SLOTS_AT_HAND; k++)
      l->node[a].slot[k] = l->node_slot[l->node_start[a] + k];
  }
  return true;
}

// Builds the lists of CellBatches, such as the nodes of each batch of cells, on the host, and copies them to the
// device.
static bool list_on_host(CellBatches *b, const Space *space, Device device, Error *error) {
  Lists l = { 0 };
  bool ok = make_slots(b, space, &l, error) && make_lists(b, space, &l, error) && interrupt_check(error);
  if (ok) {
    const size_t corners = (size_t)b->batch_count * (size_t)space->cell_nodes * BATCH_CELLS;
    const size_t batches = (size_t)b->batch_count, slots = (size_t)b->slot_count, nodes = (size_t)b->node_count;
    b->at = device_clone(device, l.at, sizeof *b->at * (size_t)b->cell_count, error);
    b->slot_start = device_clone(device, l.slot_start, sizeof *b->slot_start * (batches + 1), error);
    b->batch_node = device_clone(device, l.batch_node, sizeof *b->batch_node * slots, error);
    b->local = device_clone(device, l.local, sizeof *b->local * corners, error);
    b->list_start = device_clone(device, l.list_start, sizeof *b->list_start * (slots + batches), error);
    b->corner = device_clone(device, l.corner, sizeof *b->corner * corners, error);
    b->node = device_clone(device, l.node, sizeof *b->node * nodes, error);
    b->node_start = device_clone(device, l.node_start, sizeof *b->node_start * (nodes + 1), error);
    b->node_slot = device_clone(device, l.node_slot, sizeof *b->node_slot * slots, error);
    ok = b->at && b->slot_start && b->batch_node && b->local && b->list_start && b->corner && b->node &&
         b->node_start && b->node_slot;
  }
  void *lists[] = { l.at,         l.slot_start, l.batch_node, l.slot,       l.local,
                    l.list_start, l.corner,     l.node,       l.node_start, l.node_slot };
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
  return ok;
}

#ifdef PLIANT_CUDA
// Arguments of a parallel loop over batches (groups of cells). The loop copies the nodes of each batch's cells to
// `node`.
typedef struct Gathering {
  const CellBatches *batches;
  const Space *space;
  // [batch_count][cell_nodes][BATCH_CELLS], output: nodes of the cells of each batch (group of cells); -1: no cell
  int *node;
} Gathering;

static void gather_nodes(const void *gathering, int first, int last) {
  const Gathering *g = gathering;
  const int nodes = g->space->cell_nodes;
  for (int at = first * BATCH_CELLS; at < last * BATCH_CELLS; at++) {
    const int e = g->batches->cell[at];
    int *node = g->node + (int64_t)(at / BATCH_CELLS) * nodes * BATCH_CELLS + at % BATCH_CELLS;
    for (int a = 0; a < nodes; a++) node[a * BATCH_CELLS] = e < 0 ? -1 : space_cell(g->space, e)[a];
  }
}

static bool list_on_gpu(CellBatches *b, const Space *space, Error *error) {
  const int64_t corners = (int64_t)b->batch_count * space->cell_nodes * BATCH_CELLS;
  int *node = array_new(corners, sizeof *node, "cells", error),
      *at = array_new(b->cell_count, sizeof *at, "cells", error);
  bool ok = node && at;
  if (ok) parallel_for(b->batch_count, 64, gather_nodes, &(Gathering){ b, space, node });
  for (int position = 0; ok && position < b->batch_count * BATCH_CELLS; position++)
    if (b->cell[position] >= 0) at[b->cell[position]] = position;
  ok = ok && (b->at = device_clone(DEVICE_CUDA, at, sizeof *at * (size_t)b->cell_count, error)) &&
       cell_batches_list(b, space->cell_nodes, node, error) && interrupt_check(error);
  free(node);
  free(at);
  return ok;
}
#endif

bool cell_batches_create(CellBatches *b, const Space *space, Device device, Error *error) {
  *b = (CellBatches){ .cell_count = space->cell_count, .node_count = space->node_count };
  bool ok = (space->batch ? take_batches : divide)(b, space, error);
  const int64_t maximum = (int64_t)b->batch_count * space->cell_nodes * BATCH_CELLS;
  if (ok && maximum > INT32_MAX)
    ok = error_set(error,
                   "the mesh is too large: it has %d cells of %d nodes each, and the product of these two numbers may "
                   "be at most %d; use a coarser mesh",
                   space->cell_count, space->cell_nodes, INT32_MAX);
#ifdef PLIANT_CUDA
  const bool there = device == DEVICE_CUDA && space->cell_nodes * BATCH_CELLS <= BATCH_SPLIT_CORNERS;
  ok = ok && (!there || list_on_gpu(b, space, error));
#else
  const bool there = false;
#endif
  ok = ok && (there || list_on_host(b, space, device, error));
  if (!ok) cell_batches_destroy(b, device);
  return ok;
}

void cell_batches_destroy(CellBatches *b, Device device) {
  void *arrays[] = { b->at,     b->slot_start, b->batch_node, b->local,    b->list_start,
                     b->corner, b->node,       b->node_start, b->node_slot };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(device, arrays[k]);
  free(b->cell);
  *b = (CellBatches){ 0 };
}

double cell_batches_slots(double cells, int cell_nodes) {
  return cells * (cell_nodes == 4 ? 0.63 : cell_nodes == 8 ? 2.3 : cell_nodes == 10 ? 2.85 : 7.9);
}

double cell_batches_bytes(double cells, double nodes, int cell_nodes) {
  return cells * (4 + 4 * cell_nodes + 4.0 / BATCH_CELLS) + 10 * cell_batches_slots(cells, cell_nodes) + 20 * nodes;
}
