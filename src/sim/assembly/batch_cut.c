// Cuts the parts of a matrix into batches (batch_cut.h). A batch is a range of tiles that one thread block assembles; a
// tile is a few matrix rows. At first, all tiles of a part are one range. A range is halved again and again until the
// tets and nodes of each piece fit into shared memory. Parts are cut in parallel.
#include "sim/assembly/batch_cut.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { PIECES = 64, CHUNK = 1024 };

int batch_next_row(BatchRows *r) {
  const int *lane_node = r->cut->tiles.lane_node;
  for (; r->tile < r->last; r->tile++, r->lane = 0)
    while (r->lane < PART_LANES) {
      const int64_t at = (int64_t)r->tile * PART_LANES + r->lane++;
      if (lane_node[at] >= 0 && (r->lane == 1 || lane_node[at] != lane_node[at - 1])) return lane_node[at];
    }
  return -1;
}

bool batch_counts_here(const BatchCut *cut, int e, int node, int first, int last) {
  const int *corner = space_cell(cut->space, e);
  for (int a = 0; a < BATCH_CORNERS; a++)
    if (batch_has(cut, corner[a], first, last)) return corner[a] == node;
  return false;
}

// Returns the number of tets with at least one node whose row is in the tiles `first` to `last` - 1. A tile is a few
// rows.
static int count_tets(const BatchCut *cut, int first, int last) {
  int tets = 0;
  BatchRows rows = { cut, first, last, 0 };
  for (int a; (a = batch_next_row(&rows)) >= 0;)
    for (int64_t s = cut->cells.start[a]; s < cut->cells.start[a + 1]; s++)
      tets += batch_counts_here(cut, cut->cells.cell[s], a, first, last);
  return tets;
}

int batch_list_outside(const BatchCut *cut, int first, int last, int *outside) {
  int count = 0, kept = 0;
  BatchRows rows = { cut, first, last, 0 };
  for (int a; (a = batch_next_row(&rows)) >= 0;)
    for (int64_t s = cut->space->graph.start[a]; s < cut->space->graph.start[a + 1]; s++)
      if (!batch_has(cut, cut->space->graph.neighbour[s], first, last))
        outside[count++] = cut->space->graph.neighbour[s];
  if (count > 1) qsort(outside, (size_t)count, sizeof *outside, compare_ints);
  for (int k = 0; k < count; k++)
    if (k == 0 || outside[k] != outside[k - 1]) outside[kept++] = outside[k];
  return kept;
}

int batch_find_outside(const int *outside, int count, int node) {
  const int *found = bsearch(&node, outside, (size_t)count, sizeof *outside, compare_ints);
  return (int)(found - outside);
}

// Returns the number of bytes of shared memory that a batch of `tets` tets and `nodes` nodes needs.
static size_t bytes_of(const BatchCut *cut, int tets, int nodes) {
  return cut->capacity->tet_bytes * (size_t)batch_stride(tets) + cut->capacity->node_bytes * (size_t)nodes;
}

// Makes the tiles [first, last), each a few matrix rows, one batch if their tets and nodes fit into shared memory.
// Otherwise halves the range of tiles and calls itself for each half. `outside` is work memory for a list of nodes.
static void cut_run(const BatchCut *cut, int *outside, int first, int last) {
  const int tets = count_tets(cut, first, last);
  const bool few = tets <= BATCH_TETS_MAX && bytes_of(cut, tets, 0) <= cut->capacity->bytes, one = last - first == 1;
  int rows = 0;
  BatchRows all = { cut, first, last, 0 };
  while (batch_next_row(&all) >= 0) rows++;
  const int nodes = few || one ? rows + batch_list_outside(cut, first, last, outside) : 0;
  if (one || (few && bytes_of(cut, tets, nodes) <= cut->capacity->bytes)) {
    cut->end[first] = last;
    cut->tets[first] = tets;
    cut->nodes[first] = nodes;
    return;
  }

  // Cut the range at the tile that contains the middle row of the range. Rows can be sorted such that the nodes of the
  // two halves are then in separate regions of the body (part_layout.h).
  int middle = first + 1, behind = 0;
  BatchRows some = { cut, first, last, 0 };
  while (batch_next_row(&some) >= 0 && 2 * ++behind < rows) continue;
  if (some.tile > first) middle = some.tile;
  cut_run(cut, outside, first, middle);
  cut_run(cut, outside, middle, last);
}

// Arguments of cut_parts, a parallel loop over the parts of the matrix. The loop has at most PIECES pieces of `grain`
// parts each, which run in parallel.
typedef struct Cutting {
  const BatchCut *cut;
  // [PIECES][outside_max], work memory of each piece: the list of nodes that batch_list_outside writes
  int *outside;
  int grain;
} Cutting;

static void cut_parts(const void *cutting, int first, int last) {
  const Cutting *c = cutting;
  const BatchCut *cut = c->cut;
  int *outside = c->outside + (size_t)(first / c->grain) * (size_t)cut->outside_max;
  for (int part = first; part < last && !interrupt_requested(); part++)
    if (cut->tiles.tile_start[part] < cut->tiles.tile_start[part + 1])
      cut_run(cut, outside, cut->tiles.tile_start[part], cut->tiles.tile_start[part + 1]);
}

static bool cut_all(const BatchCut *cut, Error *error) {
  const int parts = cut->A->parts->part_count;
  Cutting c = { .cut = cut, .grain = parts / PIECES + 1 };
  c.outside = array_new((int64_t)PIECES * cut->outside_max, sizeof *c.outside, "batches", error);
  if (c.outside) parallel_for(parts, c.grain, cut_parts, &c);
  const bool ok = c.outside && interrupt_check(error);
  free(c.outside);
  return ok;
}

// Sets tile_of for each node that has its matrix row in the tiles `first` to `last` - 1. A tile is a few rows.
static void find_tiles(const void *batch_cut, int first, int last) {
  const BatchCut *cut = batch_cut;
  for (int tile = first; tile < last; tile++) {
    BatchRows rows = { cut, tile, tile + 1, 0 };
    for (int a; (a = batch_next_row(&rows)) >= 0;) cut->tile_of[a] = tile;
  }
}

// Sets bytes_max, the largest number of bytes of shared memory that a batch needs. Fails if a batch of a single tile (a
// few matrix rows), which cannot be cut further, exceeds the limits of BatchCapacity.
static bool check_capacity(BatchCut *cut, Error *error) {
  for (int tile = 0; tile < cut->A->parts->tile_count; tile = cut->end[tile]) {
    const size_t bytes = bytes_of(cut, cut->tets[tile], cut->nodes[tile]);
    if (bytes > cut->bytes_max) cut->bytes_max = bytes;
    if (cut->tets[tile] > BATCH_TETS_MAX || bytes > cut->capacity->bytes)
      return error_set(error,
                       "the %d tets at node %lld and the nodes near it need %zu bytes of shared memory, but a thread "
                       "block of the GPU has only %zu; choose another --assembly",
                       cut->tets[tile],
                       (long long)cut->space->node_tag[cut->tiles.lane_node[(int64_t)tile * PART_LANES]], bytes,
                       cut->capacity->bytes);
  }
  return true;
}

bool batch_cut_create(BatchCut *cut, const Space *space, const Operator *A, const BatchCapacity *capacity,
                      Error *error) {
  const PartLayout *l = A->parts;
  const int nodes = space->node_count;
  *cut = (BatchCut){ .space = space, .A = A, .capacity = capacity };
  if (!part_tiles_read(&cut->tiles, A, error) || !node_cells_create(&cut->cells, space, error)) return false;
  cut->tile_of = array_new(nodes, sizeof *cut->tile_of, "batches", error);
  cut->end = array_new(l->tile_count, sizeof *cut->end, "batches", error);
  cut->tets = array_new(l->tile_count, sizeof *cut->tets, "batches", error);
  cut->nodes = array_new(l->tile_count, sizeof *cut->nodes, "batches", error);
  if (!cut->tile_of || !cut->end || !cut->tets || !cut->nodes) return false;
  parallel_for(l->tile_count, CHUNK, find_tiles, cut);
  for (int part = 0; part < l->part_count; part++) {
    int64_t beside = 0;
    BatchRows rows = { cut, cut->tiles.tile_start[part], cut->tiles.tile_start[part + 1], 0 };
    for (int a; (a = batch_next_row(&rows)) >= 0;) beside += space->graph.start[a + 1] - space->graph.start[a];
    if (beside > cut->outside_max) cut->outside_max = (int)beside;
  }
  return cut_all(cut, error) && check_capacity(cut, error);
}

void batch_cut_destroy(BatchCut *cut) {
  free(cut->tile_of);
  free(cut->end);
  free(cut->tets);
  free(cut->nodes);
  part_tiles_destroy(&cut->tiles);
  node_cells_destroy(&cut->cells);
  *cut = (BatchCut){ 0 };
}
