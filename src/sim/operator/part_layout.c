// A matrix in parts: see part_layout.h.
#include "sim/operator/part_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "mesh/bisect.h"
#include "mesh/divide.h"
#include "mesh/order.h"
#include "sim/operator/part_balance.h"
#include "sim/operator/part_tile.h"

// A part of fewer nodes is not worth its share of the sums that parts exchange. On the CPU, where parts only stand in
// for multiprocessors, their number is the same on any machine.
enum { PART_NODES_LEAST = 32, PARTS_OF_CPU = 32, PART_NODES_MOST = PART_LOCAL_MOST / 4 };

int part_count_for(Device device, int node_count) {
  const int units = device == DEVICE_CUDA ? device_multiprocessors(device) : PARTS_OF_CPU;
  int count = units;
  while (node_count / count > PART_NODES_MOST) count += units;
  const int most = node_count / PART_NODES_LEAST;
  return count < most ? count : most > 0 ? most : 1;
}

// The arrays on the host while they are made, and what only their making needs.
typedef struct Making {
  PartLayout host;
  const Space *space;
  const Adjacency *graph;
  NodeCells cells;
  int *part;    // [node_count]
  int *number;  // [node_count], a node's position among all own nodes
  int *seen;    // [node_count], part + 1
  int64_t halo_room;
  int64_t *first_step;  // [part_count + 1]
} Making;

static void release(Making *m) {
  PartLayout *h = &m->host;
  void *arrays[] = { h->own_start, h->halo_start, h->node,         h->tile_start,        h->step_start, h->lane,
                     h->lane_node, h->column,     h->local_column, h->send_start,        h->send,       m->part,
                     m->number,    m->seen,       m->first_step,   h->halves.unit_start, h->halves.unit };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  node_cells_destroy(&m->cells);
}

// blocks of a node's row off the diagonal
static int row_length(const Adjacency *graph, int node) {
  const int length = (int)(graph->start[node + 1] - graph->start[node]);
  return length - (adjacency_find(graph, node, node) >= 0);
}

// how many chunks a row is cut into: at least one, at most a tile's lanes
static int row_chunks(int length) {
  const int chunks = (length + PART_CHUNK - 1) / PART_CHUNK;
  return chunks < 1 ? 1 : chunks < PART_LANES ? chunks : PART_LANES;
}

// Whether b is a's neighbour where a is b's. Neighbours ascend, so those of b name it in the order of its own list.
static bool symmetric(const Adjacency *graph, bool *answer, Error *error) {
  int64_t *next = array_new(graph->node_count, sizeof *next, "graph", error);
  if (!next) return false;
  memcpy(next, graph->start, sizeof *next * (size_t)graph->node_count);
  *answer = true;
  for (int a = 0; a < graph->node_count && *answer; a++)
    for (int64_t s = graph->start[a]; s < graph->start[a + 1] && *answer; s++) {
      const int b = graph->neighbour[s];
      *answer = next[b] < graph->start[b + 1] && graph->neighbour[next[b]++] == a;
    }
  free(next);
  return true;
}

// How many tets a block of threads has room for, at as many reals as assembly `parts` keeps of each with its share of
// the nodes; and by how much two halves of a piece together have more than the whole, since those at their border are
// in both.
enum { REALS_OF_TET = 30, PIECE_TETS_OF_CPU = 4095 };
static const double BORDER_TETS = 1.15;

static int piece_tets(const Stage *stage) {
  const size_t bytes = device_block_memory(stage->device), tet = REALS_OF_TET * precision_size(stage->precision);
  return bytes < tet ? PIECE_TETS_OF_CPU : (int)(bytes / tet);
}

// tets [part_count]: how many cells have a node in each part
static void count_cells(const Making *m, const Space *space, int *tets) {
  for (int e = 0; e < space->cell_count; e++) {
    const int *node = space_cell(space, e);
    for (int a = 0; a < space->cell_nodes; a++) {
      bool known = false;
      for (int b = 0; b < a && !known; b++) known = m->part[node[b]] == m->part[node[a]];
      tets[m->part[node[a]]] += !known;
    }
  }
}

// whether no part has more tets than a block of threads has room for; tets [part_count] are counted
static bool parts_are_small(const Making *m, const Operator *A, int *tets) {
  const int most = piece_tets(&A->method->stage);
  bool small = true;
  count_cells(m, A->space, tets);
  for (int p = 0; p < m->host.part_count; p++) small = small && tets[p] <= most;
  return small;
}

// Where multiprocessors assemble a part each, the last of them is waited for.
static bool balance(const Making *m, const Operator *A, const int *weight, Error *error) {
  const int nodes = m->graph->node_count;
  if (A->method->stage.device != DEVICE_CUDA) return true;
  int *tets = array_new(m->host.part_count, sizeof *tets, "parts", error);
  RowCost *row = array_new(nodes, sizeof *row, "parts", error);
  bool ok = tets && row;
  for (int a = 0; ok && a < nodes; a++) row[a] = (RowCost){ weight[a], row_chunks(weight[a] - 1) };
  if (ok && parts_are_small(m, A, tets))
    ok = part_balance(A->space, &m->cells, row, m->host.part_count, m->part, error);
  free(tets);
  free(row);
  return ok;
}

// Which part each node is in: as the space has it, if in as many. METIS, in one thread, takes seconds for a large body:
// it is cut in space. METIS does not survive a graph that is not symmetric; no mesh has one, but an operator takes it:
// then parts are runs of nodes.
static bool divide(Making *m, const Operator *A, const int *weight, Error *error) {
  const Space *space = A->space;
  const int nodes = m->graph->node_count, parts = m->host.part_count;
  bool mutual;
  if (space->part && space->part_count == parts) {
    memcpy(m->part, space->part, sizeof *m->part * (size_t)nodes);
    return true;
  }
  if (space->X && nodes > ORDER_METIS_NODES)
    return bisect_divide((const double(*)[3])space->X, nodes, parts, m->part, error);
  if (!symmetric(m->graph, &mutual, error)) return false;
  if (mutual) return adjacency_divide(m->graph, parts, weight, m->part, error) && balance(m, A, weight, error);
  for (int a = 0; a < nodes; a++) m->part[a] = (int)((int64_t)a * parts / nodes);
  return true;
}

typedef struct Row {
  int part, piece, length, cells, node;
} Row;

typedef struct PiecesTask {
  const Space *space;
  Row *row;  // by parts
  const int *own_start;
  const int *tets;  // [part_count], at the rows of each
  int tets_most;    // of a piece
  double (*X)[3];   // [node_count], by parts
  int *order;       // [node_count]
  Error *error;     // [part_count]
} PiecesTask;

// numbers the pieces of parts
static void find_pieces(const void *task, int first, int last) {
  const PiecesTask *t = task;
  for (int part = first; part < last; part++) {
    const int begin = t->own_start[part], count = t->own_start[part + 1] - begin;
    int levels = 0;
    for (double tets = t->tets[part]; tets > t->tets_most && count >> levels > 1; tets *= BORDER_TETS / 2) levels++;
    if (levels == 0) continue;
    for (int i = begin; i < begin + count; i++) memcpy(t->X[i], t->space->X[t->row[i].node], sizeof *t->X);
    if (!bisect_points((const double(*)[3])t->X + begin, count, levels, t->order + begin, &t->error[part])) continue;
    for (int piece = 0; piece < 1 << levels; piece++)
      for (int k = bisect_start(count, levels, piece); k < bisect_start(count, levels, piece + 1); k++)
        t->row[begin + t->order[begin + k]].piece = piece;
  }
}

// pieces of parts, whose rows lie together
static bool divide_parts(const Making *m, const Operator *A, Row *rows, Error *error) {
  const int nodes = m->graph->node_count, parts = m->host.part_count;
  int *tets = array_new(parts, sizeof *tets, "parts", error);
  if (!tets) return false;
  PiecesTask task = { .space = A->space,
                      .row = rows,
                      .own_start = m->host.own_start,
                      .tets = tets,
                      .tets_most = piece_tets(&A->method->stage) };
  bool ok = true;
  if (!parts_are_small(m, A, tets)) {
    task.X = array_new(nodes, sizeof *task.X, "parts", error);
    task.order = array_new(nodes, sizeof *task.order, "parts", error);
    task.error = array_new(parts, sizeof *task.error, "parts", error);
    ok = task.X && task.order && task.error;
    if (ok) parallel_for(parts, 1, find_pieces, &task);
    for (int p = 0; ok && p < parts; p++)
      ok = !task.error[p].message[0] || error_set(error, "%s", task.error[p].message);
    free(task.X);
    free(task.order);
    free(task.error);
  }
  free(tets);
  return ok && interrupt_check(error);
}

static int compare_rows(const void *a, const void *b) {
  const Row *x = a, *y = b;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  if (x->piece != y->piece) return x->piece < y->piece ? -1 : 1;
  if (x->length != y->length) return x->length > y->length ? -1 : 1;
  if (x->cells != y->cells) return x->cells > y->cells ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

// own nodes of all parts, by part, piece and falling length of their rows
static bool order_rows(Making *m, const Operator *A, Error *error) {
  const int nodes = m->graph->node_count;
  PartLayout *h = &m->host;
  Row *rows = array_new(nodes, sizeof *rows, "parts", error);
  int *weight = array_new(nodes, sizeof *weight, "parts", error);
  bool ok = rows && weight;
  for (int a = 0; ok && a < nodes; a++) weight[a] = row_length(m->graph, a) + 1;
  ok = ok && divide(m, A, weight, error);
  // by parts alone, so that these can be divided: own_start[p + 1] is where part p's next row goes, and in the end
  // where its rows end
  for (int a = 0; ok && a < nodes; a++)
    if (m->part[a] + 2 <= h->part_count) h->own_start[m->part[a] + 2]++;
  for (int p = 0; ok && p < h->part_count; p++) h->own_start[p + 1] += h->own_start[p];
  for (int a = 0; ok && a < nodes; a++)
    rows[h->own_start[m->part[a] + 1]++] =
        (Row){ m->part[a], 0, weight[a], (int)(m->cells.start[a + 1] - m->cells.start[a]), a };
  ok = ok && divide_parts(m, A, rows, error) && sort_items(rows, nodes, sizeof *rows, compare_rows, error);
  for (int i = 0; ok && i < nodes; i++) {
    m->number[rows[i].node] = i;
    h->node[i] = rows[i].node;  // among own nodes alone; halos move them up
  }
  free(rows);
  free(weight);
  return ok;
}

// the nodes next to each part, by their positions among all own nodes, and so by the parts that own them
static bool find_halos(Making *m, int **halo, Error *error) {
  PartLayout *h = &m->host;
  int64_t count = 0;
  for (int p = 0; p < h->part_count; p++) {
    for (int i = h->own_start[p]; i < h->own_start[p + 1]; i++) {
      const int a = h->node[i];
      for (int64_t s = m->graph->start[a]; s < m->graph->start[a + 1]; s++) {
        const int b = m->graph->neighbour[s];
        if (m->part[b] == p || m->seen[b] == p + 1) continue;
        m->seen[b] = p + 1;
        if (!array_reserve((void **)halo, &m->halo_room, count + 1, sizeof **halo, "halos", error)) return false;
        (*halo)[count++] = m->number[b];
      }
    }
    if (count > INT32_MAX - m->graph->node_count) return error_set(error, "its parts have too many nodes");
    if (count > h->halo_start[p])
      qsort(*halo + h->halo_start[p], (size_t)(count - h->halo_start[p]), sizeof **halo, compare_ints);
    h->halo_start[p + 1] = (int)count;
    if (!interrupt_check(error)) return false;
  }
  h->halo_count = (int)count;
  return true;
}

// own nodes and halo of each part, one behind the other
static bool list_nodes(Making *m, const int *halo, Error *error) {
  PartLayout *h = &m->host;
  const int nodes = m->graph->node_count;
  int *node = array_new((int64_t)nodes + h->halo_count, sizeof *node, "parts", error);
  if (!node) return false;
  for (int p = 0; p < h->part_count; p++) {
    const int own = h->own_start[p + 1] - h->own_start[p], beside = h->halo_start[p + 1] - h->halo_start[p];
    int *to = node + h->own_start[p] + h->halo_start[p];
    for (int i = 0; i < own; i++) to[i] = h->node[h->own_start[p] + i];
    for (int i = 0; i < beside; i++) to[own + i] = h->node[halo[h->halo_start[p] + i]];
    if (own > h->own_most) h->own_most = own;
    if (own + beside > h->local_most) h->local_most = own + beside;
  }
  free(h->node);
  h->node = node;
  return h->local_most <= PART_LOCAL_MOST ||
         error_set(error, "a part has %d nodes with its halo, at most %d fit", h->local_most, PART_LOCAL_MOST);
}

// what each part tells others, in the order of their halos
static bool list_sends(Making *m, Error *error) {
  PartLayout *h = &m->host;
  h->send = array_new(h->halo_count, sizeof *h->send, "halos", error);
  int *next = array_new(h->part_count, sizeof *next, "halos", error);
  const bool ok = h->send && next;
  const int *halo = h->node;
  for (int p = 0; ok && p < h->part_count; p++)
    for (int place = h->halo_start[p]; place < h->halo_start[p + 1]; place++)
      h->send_start[m->part[halo[h->own_start[p + 1] + place]] + 1]++;
  for (int p = 0; ok && p < h->part_count; p++) {
    if (h->send_start[p + 1] > h->send_most) h->send_most = h->send_start[p + 1];
    h->send_start[p + 1] += h->send_start[p];
    next[p] = h->send_start[p];
  }
  for (int p = 0; ok && p < h->part_count; p++)
    for (int place = h->halo_start[p]; place < h->halo_start[p + 1]; place++) {
      const int node = halo[h->own_start[p + 1] + place], owner = m->part[node];
      h->send[next[owner]++] = (PartSend){ m->number[node] - h->own_start[owner], place };
    }
  free(next);
  return ok;
}

// The local number of a node in part p: own nodes by their rows, then the halo, which ascends.
static int local_number(const Making *m, int p, int node) {
  const PartLayout *h = &m->host;
  const int own = h->own_start[p + 1] - h->own_start[p], *halo = h->node + h->own_start[p + 1] + h->halo_start[p];
  if (m->part[node] == p) return m->number[node] - h->own_start[p];
  int low = 0, high = h->halo_start[p + 1] - h->halo_start[p] - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (m->number[halo[middle]] < m->number[node])
      low = middle + 1;
    else
      high = middle;
  }
  return own + low;
}

// the blocks of row a of part p
static void add_row(const Making *m, PartTile *tile, int p, int a, int length, int chunks) {
  const Adjacency *graph = m->graph;
  const int64_t begin = graph->start[a], own = adjacency_find(graph, a, a);
  TileBlock *block = part_tile_row(tile, length, chunks), *next = block;
  for (int64_t pair = begin; pair < graph->start[a + 1]; pair++)
    if (pair != own) *next++ = (TileBlock){ pair, local_number(m, p, graph->neighbour[pair]), 0 };
  for (int64_t s = m->cells.start[a]; s < m->cells.start[a + 1]; s++) {
    const int *corner = space_cell(m->space, m->cells.cell[s]);
    for (int k = 0; k < m->space->cell_nodes; k++) {
      const int64_t pair = adjacency_find(graph, a, corner[k]);
      if (pair < 0 || pair == own) continue;
      int *cells = &block[pair - begin - (own >= 0 && pair > own)].cells;
      if (*cells < TILE_CELLS_MOST) ++*cells;
    }
  }
}

// Parts of more nodes are read in every product, and wait for memory, not for banks.
enum { EXCHANGED_NODES = 512 };

// the tile's blocks into its steps, which begin at `first`
static void fill_tile(const Making *m, const Operator *A, PartTile *tile, int64_t first, int steps) {
  const PartLayout *h = &m->host;
  const int dof = A->space->node_dof, size = dof * dof, lanes = tile->lanes;
  part_tile_fill(tile, steps, h->local_most <= EXCHANGED_NODES);
  for (int k = 0; k < steps; k++)
    for (int lane = 0; lane < lanes; lane++) {
      if (tile->lane_count[lane] <= k) continue;
      const TileBlock *block = &tile->step[k].block[lane];
      const int64_t step = first + k, slot = step * PART_LANES + lane;
      h->column[slot] = m->graph->neighbour[block->pair];
      h->local_column[slot] = (uint16_t)block->local;
      A->place[block->pair] = (BlockPlace){ (int)(step * size * PART_LANES + lane), dof * PART_LANES, PART_LANES };
    }
}

// the words of row l's lanes, of which `at` is the first; and where its own block stands
static void place_row(const Making *m, const Operator *A, int l, int a, int64_t at, int chunks) {
  const PartLayout *h = &m->host;
  const int dof = A->space->node_dof;
  for (int k = 0; k < chunks; k++) {
    h->lane[at + k] = (unsigned)l | (unsigned)(chunks - 1 - k) << 16 | (unsigned)(k == 0) << 21 | 1u << 22;
    h->lane_node[at + k] = a;
  }
  const int64_t own = adjacency_find(m->graph, a, a), steps = m->first_step[h->part_count];
  if (own >= 0) A->place[own] = (BlockPlace){ (int)((steps * PART_LANES + a) * dof * dof), dof, 1 };
}

// Counts, from the part's first, its tiles and their steps. With a tile it fills them, else `most` gets what the part
// has of the most: of steps, and of chunks behind a row's first.
static void walk_part(const Making *m, const Operator *A, int p, PartTile *tile, int *tiles, int64_t *steps,
                      int most[2]) {
  const PartLayout *h = &m->host;
  const int first = h->own_start[p] + h->halo_start[p], own = h->own_start[p + 1] - h->own_start[p];
  int lane = 0, longest = 0;  // of the tile in hand
  for (int l = 0; l <= own; l++) {
    const int a = l < own ? h->node[first + l] : -1, length = a < 0 ? 0 : row_length(m->graph, a);
    const int chunks = row_chunks(length), chunk_most = part_chunk_length(length, chunks, 0);
    if (lane > 0 && (a < 0 || lane + chunks > PART_LANES)) {  // the tile is full
      if (tile) fill_tile(m, A, tile, *steps, longest), h->step_start[*tiles] = (int)*steps;
      if (!tile && longest > most[0]) most[0] = longest;
      *steps += longest;
      ++*tiles;
      lane = longest = 0;
    }
    if (a < 0) break;
    if (chunk_most > longest) longest = chunk_most;
    if (!tile && chunks - 1 > most[1]) most[1] = chunks - 1;
    if (tile) {
      add_row(m, tile, p, a, length, chunks);
      place_row(m, A, l, a, (int64_t)*tiles * PART_LANES + lane, chunks);
    }
    lane += chunks;
  }
}

static void count_tiles(Making *m, const Operator *A) {
  PartLayout *h = &m->host;
  int tiles = 0, most[2] = { 0, 0 };
  int64_t steps = 0;
  for (int p = 0; p < h->part_count && !interrupt_signal(); p++) {
    walk_part(m, A, p, NULL, &tiles, &steps, most);
    h->tile_start[p + 1] = tiles;
    m->first_step[p + 1] = steps;
    if (tiles - h->tile_start[p] > h->tile_most) h->tile_most = tiles - h->tile_start[p];
  }
  h->tile_count = tiles;
  h->step_most = most[0], h->behind_most = most[1];
}

// A loop over parts, a piece of which has a tile of its own.
typedef struct FillTask {
  const Making *m;
  const Operator *A;
  PartTile *tile;
  int grain;
} FillTask;

static void fill_parts(const void *task, int first, int last) {
  const FillTask *t = task;
  for (int p = first; p < last && !interrupt_signal(); p++) {
    int tiles = t->m->host.tile_start[p];
    int64_t steps = t->m->first_step[p];
    walk_part(t->m, t->A, p, &t->tile[first / t->grain], &tiles, &steps, NULL);
  }
}

static bool fill_tiles(Making *m, Operator *A, Error *error) {
  enum { PIECES = 64 };
  const int parts = m->host.part_count, grain = (parts + PIECES - 1) / PIECES;
  PartTile tile[PIECES] = { 0 };
  bool ok = true;
  for (int k = 0; k * grain < parts && ok; k++) ok = part_tile_create(&tile[k], m->host.step_most, error);
  if (ok) parallel_for(parts, grain, fill_parts, &(FillTask){ m, A, tile, grain });
  for (int k = 0; k < PIECES; k++) part_tile_destroy(&tile[k]);
  return ok && interrupt_check(error);
}

// Padding, whose zeros are multiplied too: by what another lane of the phase reads, so that nobody waits for it.
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

static bool make_tiles(Making *m, Operator *A, Error *error) {
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
  h->column = array_new(slots, sizeof *h->column, "matrix columns", error);
  h->local_column = array_new(slots, sizeof *h->local_column, "matrix columns", error);
  if (!h->step_start || !h->lane || !h->lane_node || !h->column || !h->local_column) return false;
  for (int64_t s = 0; s < slots; s++) h->column[s] = -1;
  h->step_start[h->tile_count] = (int)steps;
  if (!fill_tiles(m, A, error)) return false;
  parallel_for(h->tile_count, CHUNK, pad_tiles, h);
  return true;
}

// room for the blocks rounded, with their columns
static bool make_halves(PartLayout *h, int size, Error *error) {
  PartHalves *halves = &h->halves;
  halves->unit_start = array_new((int64_t)h->tile_count + 1, sizeof *halves->unit_start, "matrix tiles", error);
  for (int t = 0; halves->unit_start && t < h->tile_count; t++) {
    const int steps = h->step_start[t + 1] - h->step_start[t], full = steps / PART_GROUP, rest = steps % PART_GROUP;
    halves->unit_start[t + 1] =
        halves->unit_start[t] + full * (1 + part_units(PART_GROUP * size)) + (rest ? 1 + part_units(rest * size) : 0);
  }
  const int64_t units = halves->unit_start ? halves->unit_start[h->tile_count] : 0;
  halves->unit = array_new(units * PART_LANES, sizeof *halves->unit, "matrix units", error);
  if (!halves->unit_start || !halves->unit) return false;
  for (int t = 0; t < h->tile_count; t++) {
    const int first = h->step_start[t], steps = h->step_start[t + 1] - first;
    for (int s = 0; s < steps; s++) {
      const int64_t unit = halves->unit_start[t] + (int64_t)(s / PART_GROUP) * (1 + part_units(PART_GROUP * size));
      for (int lane = 0; lane < PART_LANES; lane++)
        halves->unit[unit * PART_LANES + lane].word[s % PART_GROUP] =
            h->local_column[((int64_t)first + s) * PART_LANES + lane];
    }
  }
  return true;
}

static bool make(Making *m, Operator *A, bool with_halves, Error *error) {
  PartLayout *h = &m->host;
  const int64_t nodes = m->graph->node_count, ends = (int64_t)h->part_count + 1;
  m->part = array_new(nodes, sizeof *m->part, "parts", error);
  m->number = array_new(nodes, sizeof *m->number, "parts", error);
  m->first_step = array_new(ends, sizeof *m->first_step, "parts", error);
  m->seen = array_new(nodes, sizeof *m->seen, "parts", error);
  h->own_start = array_new(ends, sizeof *h->own_start, "parts", error);
  h->halo_start = array_new(ends, sizeof *h->halo_start, "parts", error);
  h->tile_start = array_new(ends, sizeof *h->tile_start, "parts", error);
  h->send_start = array_new(ends, sizeof *h->send_start, "parts", error);
  h->node = array_new(nodes, sizeof *h->node, "parts", error);
  if (!m->part || !m->number || !m->seen || !m->first_step || !h->own_start || !h->halo_start || !h->tile_start ||
      !h->send_start || !h->node)
    return false;
  int *halo = NULL;
  const bool listed = node_cells_create(&m->cells, m->space, error) && order_rows(m, A, error) &&
                      find_halos(m, &halo, error) && list_nodes(m, halo, error);
  free(halo);
  return listed && list_sends(m, error) && make_tiles(m, A, error) &&
         (!with_halves || make_halves(h, A->space->node_dof * A->space->node_dof, error));
}

static bool copy_halves(PartHalves *to, const PartHalves *from, Device device, int tile_count, Error *error) {
  const size_t lanes = (size_t)tile_count * PART_LANES;
  const size_t units = (size_t)from->unit_start[tile_count] * PART_LANES;
  to->unit_start = device_clone(device, from->unit_start, sizeof *to->unit_start * ((size_t)tile_count + 1), error);
  to->unit = device_clone(device, from->unit, sizeof *to->unit * units, error);
  to->exponent = device_alloc(device, sizeof *to->exponent * lanes, error);
  return to->unit_start && to->unit && to->exponent;
}

// the arrays on A's device
static bool copy(PartLayout *to, const PartLayout *h, Device device, int node_count, Error *error) {
  const size_t ends = (size_t)h->part_count + 1, lanes = (size_t)h->tile_count * PART_LANES;
  const size_t slots = (size_t)h->step_start[h->tile_count] * PART_LANES;
  *to = *h;
  // nothing of the host's is left in it, whatever fails
  to->own_start = device_clone(device, h->own_start, sizeof *h->own_start * ends, error);
  to->halo_start = device_clone(device, h->halo_start, sizeof *h->halo_start * ends, error);
  to->node = device_clone(device, h->node, sizeof *h->node * ((size_t)node_count + (size_t)h->halo_count), error);
  to->tile_start = device_clone(device, h->tile_start, sizeof *h->tile_start * ends, error);
  to->step_start = device_clone(device, h->step_start, sizeof *h->step_start * ((size_t)h->tile_count + 1), error);
  to->lane = device_clone(device, h->lane, sizeof *h->lane * lanes, error);
  to->lane_node = device_clone(device, h->lane_node, sizeof *h->lane_node * lanes, error);
  to->column = device_clone(device, h->column, sizeof *h->column * slots, error);
  to->local_column = device_clone(device, h->local_column, sizeof *h->local_column * slots, error);
  to->send_start = device_clone(device, h->send_start, sizeof *h->send_start * ends, error);
  to->send = device_clone(device, h->send, sizeof *h->send * (size_t)h->halo_count, error);
  to->halves = (PartHalves){ 0 };
  const bool halves = !h->halves.unit || copy_halves(&to->halves, &h->halves, device, h->tile_count, error);
  return halves && to->own_start && to->halo_start && to->node && to->tile_start && to->step_start && to->lane &&
         to->lane_node && to->column && to->local_column && to->send_start && to->send;
}

bool part_layout_create(Operator *A, int part_count, bool with_halves, Error *error) {
  Making m = { .space = A->space, .graph = &A->space->graph, .host.part_count = part_count };
  PartLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  const bool ok = layout && make(&m, A, with_halves, error) &&
                  copy(layout, &m.host, A->method->stage.device, A->space->node_count, error);
  release(&m);
  if (ok) A->parts = layout, A->own_last = true;
  return ok;
}

void part_layout_destroy(Operator *A) {
  const PartLayout *l = A->layout;
  void *arrays[] = { l->own_start, l->halo_start,        l->node,        l->tile_start,     l->step_start,
                     l->lane,      l->lane_node,         l->column,      l->local_column,   l->send_start,
                     l->send,      l->halves.unit_start, l->halves.unit, l->halves.exponent };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(A->method->stage.device, arrays[k]);
  free(A->layout);
}

bool part_nodes_read(const Operator *A, int *part, Error *error) {
  const PartLayout *l = A->parts;
  const Device device = A->method->stage.device;
  const int nodes = A->space->node_count;
  const int64_t ends = (int64_t)l->part_count + 1, all = (int64_t)nodes + l->halo_count;
  Stream stream = { 0 };
  int *own_start = array_new(ends, sizeof *own_start, "parts", error);
  int *halo_start = array_new(ends, sizeof *halo_start, "parts", error);
  int *node = array_new(all, sizeof *node, "parts", error);
  const bool ok = own_start && halo_start && node && stream_create(device, &stream, error) &&
                  device_download(stream, own_start, l->own_start, sizeof *own_start * (size_t)ends, error) &&
                  device_download(stream, halo_start, l->halo_start, sizeof *halo_start * (size_t)ends, error) &&
                  device_download(stream, node, l->node, sizeof *node * (size_t)all, error) &&
                  stream_sync(stream, error);
  for (int p = 0; ok && p < l->part_count; p++)
    for (int k = own_start[p]; k < own_start[p + 1]; k++) part[node[k + halo_start[p]]] = p;
  stream_destroy(&stream);
  free(own_start), free(halo_start), free(node);
  return ok;
}

bool part_tiles_read(PartTiles *tiles, const Operator *A, Error *error) {
  const PartLayout *l = A->parts;
  const Device device = A->method->stage.device;
  const size_t ends = (size_t)l->part_count + 1, steps = (size_t)l->tile_count + 1;
  const size_t lanes = (size_t)l->tile_count * PART_LANES;
  Stream stream = { 0 };
  *tiles = (PartTiles){ 0 };
  tiles->tile_start = array_new((int64_t)ends, sizeof *tiles->tile_start, "matrix tiles", error);
  tiles->step_start = array_new((int64_t)steps, sizeof *tiles->step_start, "matrix tiles", error);
  tiles->lane_node = array_new((int64_t)lanes, sizeof *tiles->lane_node, "matrix tiles", error);
  const bool ok = tiles->tile_start && tiles->step_start && tiles->lane_node && stream_create(device, &stream, error) &&
                  device_download(stream, tiles->tile_start, l->tile_start, sizeof *l->tile_start * ends, error) &&
                  device_download(stream, tiles->step_start, l->step_start, sizeof *l->step_start * steps, error) &&
                  device_download(stream, tiles->lane_node, l->lane_node, sizeof *l->lane_node * lanes, error) &&
                  stream_sync(stream, error);
  stream_destroy(&stream);
  if (!ok) part_tiles_destroy(tiles);
  return ok;
}

void part_tiles_destroy(PartTiles *tiles) {
  free(tiles->tile_start);
  free(tiles->step_start);
  free(tiles->lane_node);
  *tiles = (PartTiles){ 0 };
}
