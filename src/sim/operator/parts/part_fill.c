// Builds the tiles of a matrix in parts (part_layout.h). The row of a node is cut into chunks of at most 8 blocks. A
// tile has 32 chunks, one per lane (thread) of a warp. In each step, a lane multiplies one block of its chunk. Steps
// are numbered through all tiles: if tile 0 has 7 steps, tile 1 begins with step 7.
#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "sim/operator/parts/part_making.h"
#include "sim/operator/parts/part_tile.h"

// Returns the local number of a node in part p: its index in the list of the part's nodes, which is followed by the
// nodes of the halo, their neighbours in other parts. The halo is sorted by PartMaking.number, so its nodes are found
// by bisection.
static int local_number(const PartMaking *m, int p, int node) {
  const PartLayout *h = &m->host;
  const int owned = h->owned_start[p + 1] - h->owned_start[p],
            *halo = h->node + h->owned_start[p + 1] + h->halo_start[p];
  if (m->part[node] == p) return m->number[node] - h->owned_start[p];
  int low = 0, high = h->halo_start[p + 1] - h->halo_start[p] - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (m->number[halo[middle]] < m->number[node])
      low = middle + 1;
    else
      high = middle;
  }
  return owned + low;
}

// Adds the row of node a in part p to `tile`, which is being filled. The row has `length` off-diagonal blocks in
// `chunks` chunks, one per lane (thread). For each block, stores its index in the neighbour lists of the graph, the
// local number of its column (a node) in the part, and the number of cells that have both nodes of the block.
static void add_row(const PartMaking *m, PartTile *tile, int p, int a, int length, int chunks) {
  const Adjacency *graph = m->graph;
  const int64_t begin = graph->start[a], diagonal = adjacency_find(graph, a, a);
  TileBlock *block = part_tile_row(tile, length, chunks), *next = block;
  for (int64_t pair = begin; pair < graph->start[a + 1]; pair++)
    if (pair != diagonal) *next++ = (TileBlock){ pair, local_number(m, p, graph->neighbour[pair]), 0 };
  for (int64_t s = m->cells.start[a]; s < m->cells.start[a + 1]; s++) {
    const int *corner = space_cell(m->space, m->cells.cell[s]);
    for (int k = 0; k < m->space->cell_nodes; k++) {
      const int64_t pair = adjacency_find(graph, a, corner[k]);
      if (pair < 0 || pair == diagonal) continue;
      int *cells = &block[pair - begin - (diagonal >= 0 && pair > diagonal)].cells;
      if (*cells < TILE_CELLS_MAX) ++*cells;
    }
  }
}

// Limit for the number of nodes of a part, including its halo (neighbours in other parts). Up to this limit, blocks are
// exchanged between steps, so that fewer threads wait for the same bank of shared memory. In larger parts this takes
// time and gains little, because products mostly wait for device memory.
enum { EXCHANGED_NODES = 512 };

// Assigns the blocks of a tile (rows for one warp) to its steps; in each step, a lane (thread) multiplies one block.
// `first` is the tile's first step, numbered through all tiles. Sets the columns of the blocks, and A->slots, the
// positions of the blocks in A->values.
static void fill_tile(const PartMaking *m, const Operator *A, PartTile *tile, int64_t first, int steps) {
  const PartLayout *h = &m->host;
  const int dof = A->space->node_dof, size = dof * dof, lanes = tile->lanes;
  part_tile_fill(tile, steps, h->local_max <= EXCHANGED_NODES);
  for (int k = 0; k < steps; k++)
    for (int lane = 0; lane < lanes; lane++) {
      if (tile->lane_count[lane] <= k) continue;
      const TileBlock *block = &tile->step[k].block[lane];
      const int64_t step = first + k, slot = step * PART_LANES + lane;
      h->column[slot] = m->graph->neighbour[block->pair];
      h->local_column[slot] = (uint16_t)block->local;
      A->slots[block->pair] = (BlockSlots){ (int)(step * size * PART_LANES + lane), dof * PART_LANES, PART_LANES };
    }
}

// Sets the data of the lanes (threads) that multiply the row of node a, which is cut into `chunks` chunks:
// PartLayout.lane, whose bits give the row and the chunk of each lane, and PartLayout.lane_node. `at` is the index of
// the first of these lanes, numbered through all tiles, and l the index of node a within the part. Also sets A->slots
// of the row's diagonal block, its position in A->values.
static void assign_row_slots(const PartMaking *m, const Operator *A, int l, int a, int64_t at, int chunks) {
  const PartLayout *h = &m->host;
  const int dof = A->space->node_dof;
  for (int k = 0; k < chunks; k++) {
    h->lane[at + k] = (unsigned)l | (unsigned)(chunks - 1 - k) << 16 | (unsigned)(k == 0) << 21 | 1u << 22;
    h->lane_node[at + k] = a;
  }
  const int64_t diagonal = adjacency_find(m->graph, a, a), steps = m->first_step[h->part_count];
  if (diagonal >= 0) A->slots[diagonal] = (BlockSlots){ (int)((steps * PART_LANES + a) * dof * dof), dof, 1 };
}

// Goes through the rows of part p, and divides them into tiles (rows for one warp). If `tile` is NULL, only counts;
// else fills each tile. Counting updates maximum[0], the largest number of steps of a tile, and maximum[1], the largest
// number of chunks that follow the first chunk of a row. On entry, *tiles and *steps are the numbers of tiles and steps
// of all earlier parts. On return they include part p.
static void walk_part(const PartMaking *m, const Operator *A, int p, PartTile *tile, int *tiles, int64_t *steps,
                      int maximum[2]) {
  const PartLayout *h = &m->host;
  const int first = h->owned_start[p] + h->halo_start[p], owned = h->owned_start[p + 1] - h->owned_start[p];

  // lane: number of lanes (threads) of the present tile that have a chunk of a row. longest: number of steps of the
  // tile.
  int lane = 0, longest = 0;
  for (int l = 0; l <= owned; l++) {
    const int a = l < owned ? h->node[first + l] : -1, length = a < 0 ? 0 : part_row_length(m->graph, a);
    const int chunks = part_row_chunks(length), chunk_max = part_chunk_length(length, chunks, 0);
    if (lane > 0 && (a < 0 || lane + chunks > PART_LANES)) {  // the row of node a does not fit into this tile
      if (tile) {
        fill_tile(m, A, tile, *steps, longest);
        h->step_start[*tiles] = (int)*steps;
      }
      if (!tile && longest > maximum[0]) maximum[0] = longest;
      *steps += longest;
      ++*tiles;
      lane = longest = 0;
    }
    if (a < 0) break;
    if (chunk_max > longest) longest = chunk_max;
    if (!tile && chunks - 1 > maximum[1]) maximum[1] = chunks - 1;
    if (tile) {
      add_row(m, tile, p, a, length, chunks);
      assign_row_slots(m, A, l, a, (int64_t)*tiles * PART_LANES + lane, chunks);
    }
    lane += chunks;
  }
}

// Counts the tiles (rows for one warp) and the steps of all parts. Sets tile_start and first_step, the first tile and
// the first step of each part.
static void count_tiles(PartMaking *m, const Operator *A) {
  PartLayout *h = &m->host;
  int tiles = 0, maximum[2] = { 0, 0 };
  int64_t steps = 0;
  for (int p = 0; p < h->part_count && !interrupt_requested(); p++) {
    walk_part(m, A, p, NULL, &tiles, &steps, maximum);
    h->tile_start[p + 1] = tiles;
    m->first_step[p + 1] = steps;
    if (tiles - h->tile_start[p] > h->tile_max) h->tile_max = tiles - h->tile_start[p];
  }
  h->tile_count = tiles;
  h->step_max = maximum[0];
  h->after_max = maximum[1];
}

// Arguments of a parallel loop over parts. The loop fills the tiles (rows for one warp) of each part. tile[k] is work
// memory for one tile, used by the parts k * grain to (k + 1) * grain - 1.
typedef struct FillTask {
  const PartMaking *m;
  const Operator *A;
  PartTile *tile;
  int grain;
} FillTask;

static void fill_parts(const void *task, int first, int last) {
  const FillTask *t = task;
  for (int p = first; p < last && !interrupt_requested(); p++) {
    int tiles = t->m->host.tile_start[p];
    int64_t steps = t->m->first_step[p];
    walk_part(t->m, t->A, p, &t->tile[first / t->grain], &tiles, &steps, NULL);
  }
}

static bool fill_tiles(PartMaking *m, Operator *A, Error *error) {
  enum { PIECES = 64 };
  const int parts = m->host.part_count, grain = (parts + PIECES - 1) / PIECES;
  PartTile tile[PIECES] = { 0 };
  bool ok = true;
  for (int k = 0; k * grain < parts && ok; k++) ok = part_tile_create(&tile[k], m->host.step_max, error);
  if (ok) parallel_for(parts, grain, fill_parts, &(FillTask){ m, A, tile, grain });
  for (int k = 0; k < PIECES; k++) part_tile_destroy(&tile[k]);
  return ok && interrupt_check(error);
}

// Sets the columns of padding, in lanes (threads) whose chunk has fewer blocks than the tile has steps. The values of
// padding are zero, but a product multiplies them by x too. As column, padding gets the column of another lane among
// the TILE_PHASE lanes that read together, because two lanes that read the same address cause no bank conflict.
static void pad_tiles(const void *layout, int first_tile, int last_tile) {
  const PartLayout *h = layout;
  for (int t = first_tile; t < last_tile; t++) {
    for (int lane = 0; lane < PART_LANES; lane++)
      if (!lane_used(h->lane[(int64_t)t * PART_LANES + lane])) h->lane_node[(int64_t)t * PART_LANES + lane] = -1;
    for (int64_t first = (int64_t)h->step_start[t] * PART_LANES; first < (int64_t)h->step_start[t + 1] * PART_LANES;
         first += TILE_PHASE) {
      int64_t from = -1;
      for (int64_t slot = first; slot < first + TILE_PHASE && from < 0; slot++)
        if (h->column[slot] >= 0) from = slot;
      for (int64_t slot = first; slot < first + TILE_PHASE; slot++) {
        if (h->column[slot] >= 0) continue;
        h->column[slot] = from < 0 ? h->lane_node[(int64_t)t * PART_LANES] : h->column[from];
        h->local_column[slot] = from < 0 ? (uint16_t)lane_row(h->lane[(int64_t)t * PART_LANES]) : h->local_column[from];
      }
    }
  }
}

bool part_make_tiles(PartMaking *m, Operator *A, Error *error) {
  enum { CHUNK = 1024 };
  PartLayout *h = &m->host;
  const int size = A->space->node_dof * A->space->node_dof;
  count_tiles(m, A);
  const int64_t steps = m->first_step[h->part_count];
  if (!interrupt_check(error) ||
      !operator_set_value_count(A, (steps * PART_LANES + m->graph->node_count) * size, error))
    return false;
  const int64_t lanes = (int64_t)h->tile_count * PART_LANES, slots = steps * PART_LANES;
  h->step_start = array_new((int64_t)h->tile_count + 1, sizeof *h->step_start, "matrix tiles", error);
  h->lane = array_new(lanes, sizeof *h->lane, "matrix tiles", error);
  h->lane_node = array_new(lanes, sizeof *h->lane_node, "matrix tiles", error);
  h->tile_node = array_new(h->tile_count, sizeof *h->tile_node, "matrix tiles", error);
  h->column = array_new(slots, sizeof *h->column, "matrix columns", error);
  h->local_column = array_new(slots, sizeof *h->local_column, "matrix columns", error);
  if (!h->step_start || !h->lane || !h->lane_node || !h->tile_node || !h->column || !h->local_column) return false;
  for (int64_t s = 0; s < slots; s++) h->column[s] = -1;
  h->step_start[h->tile_count] = (int)steps;
  for (int p = 0; p < h->part_count; p++)
    for (int t = h->tile_start[p]; t < h->tile_start[p + 1]; t++)
      h->tile_node[t] = h->owned_start[p] + h->halo_start[p];
  if (!fill_tiles(m, A, error)) return false;
  parallel_for(h->tile_count, CHUNK, pad_tiles, h);
  return true;
}
