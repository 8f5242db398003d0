// Balances the work of parts, groups of nodes with their rows of the matrix (part_balance.h), by moving nodes from
// large parts to smaller ones. The size of a part is measured by two numbers: its number of cells, and the time of its
// assembly, which is estimated from its numbers of cells and of matrix blocks. Both are divided by their means over all
// parts. The cost of a division is the sum of high powers of these quotients over all parts, so the largest parts
// dominate it. Each pass visits all nodes, and moves a node to the neighbouring part for which the cost decreases most.
#include "sim/operator/parts/part_balance.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/operator/parts/part_layout.h"

// In an assembly of linear tets, the time for one matrix block, divided by the time for one tet.
static const double BLOCK_TIME = 1.5;
// PASSES_MAX: max number of passes over all nodes. NEAR_MAX: max number of neighbouring parts to which a node may move.
enum { PASSES_MAX = 16, NEAR_MAX = 64 };

// Load of one part (group of nodes): its numbers of cells, of matrix blocks, and of lanes. A lane is a thread that
// multiplies some blocks of one row.
typedef struct Load {
  int64_t cells, blocks, lanes;
} Load;

typedef struct Balance {
  const Space *space;
  const NodeCells *cells;
  const RowCost *row;
  int part_count;
  int *part;
  Load *load;    // [part_count], present load of each part (group of nodes)
  int *seen;     // [node_count], work memory of locals_max: 1 + the last part that has counted the node; 0: none
  Load maximum;  // largest number of matrix blocks of a part before any move; the other members are 0
  // Means over all parts. cells_mean: number of cells. time_mean: estimated time of the assembly, in units of the time
  // per cell.
  double cells_mean, time_mean;
} Balance;

static double power16(double x) {
  const double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return x8 * x8;
}

// Returns the cost of a part with these numbers of cells and matrix blocks: (cells / cells_mean)^16 + (time /
// time_mean)^32. `time` is the estimated time of the part's assembly: cells + BLOCK_TIME * blocks.
static double cost(const Balance *b, int64_t cells, int64_t blocks) {
  const double time = power16(((double)cells + BLOCK_TIME * (double)blocks) / b->time_mean);
  return power16((double)cells / b->cells_mean) + time * time;
}

// Returns true if at least one node of cell e other than the node `but` is in the part.
static bool touches(const Balance *b, int e, int part, int but) {
  const int *node = space_cell(b->space, e);
  for (int k = 0; k < b->space->cell_nodes; k++)
    if (node[k] != but && b->part[node[k]] == part) return true;
  return false;
}

// Returns the number of cells at node a that have no other node in the part. The part gains these cells if node a joins
// it, and loses them if node a leaves it.
static int cells_alone(const Balance *b, int a, int part) {
  int count = 0;
  for (int64_t s = b->cells->start[a]; s < b->cells->start[a + 1]; s++)
    count += !touches(b, b->cells->cell[s], part, a);
  return count;
}

// Writes to `near` the parts to which neighbours of node a belong, except the part of a itself, and returns their
// number, at most NEAR_MAX.
static int parts_near(const Balance *b, int a, int near[NEAR_MAX]) {
  const Adjacency *graph = &b->space->graph;
  int count = 0;
  for (int64_t s = graph->start[a]; s < graph->start[a + 1]; s++) {
    const int part = b->part[graph->neighbour[s]];
    bool known = part == b->part[a];
    for (int k = 0; k < count && !known; k++) known = near[k] == part;
    if (!known && count < NEAR_MAX) near[count++] = part;
  }
  return count;
}

// Returns true if the row can be added to the part without an increase of the largest number of blocks of a part.
static bool has_capacity(const Balance *b, int part, const RowCost *row) {
  return b->load[part].blocks + row->blocks <= b->maximum.blocks;
}

static void add_row(Load *load, int sign, int cells, const RowCost *row) {
  load->cells += sign * cells;
  load->blocks += sign * row->blocks;
  load->lanes += sign * row->lanes;
}

// Moves node a to the neighbouring part for which the total cost decreases most, if it decreases at all, and then
// returns true. The total cost is the sum of the results of the function `cost` for all parts.
static bool move(Balance *b, int a) {
  int near[NEAR_MAX];
  const RowCost *row = &b->row[a];
  const int count = parts_near(b, a, near), from = b->part[a];
  const Load *left = &b->load[from];
  if (count == 0 || left->lanes == row->lanes) return false;  // no neighbour in another part, or only node of its part
  const int less = cells_alone(b, a, from);
  const double gone = cost(b, left->cells - less, left->blocks - row->blocks) - cost(b, left->cells, left->blocks);
  int best = -1, best_more = 0;
  double least = -1e-9;
  for (int k = 0; k < count; k++) {
    if (!has_capacity(b, near[k], row)) continue;
    const Load *to = &b->load[near[k]];
    const int more = cells_alone(b, a, near[k]);
    const double change = gone + cost(b, to->cells + more, to->blocks + row->blocks) - cost(b, to->cells, to->blocks);
    if (change < least) {
      least = change;
      best = near[k];
      best_more = more;
    }
  }

  if (best < 0) return false;
  add_row(&b->load[from], -1, less, row);
  add_row(&b->load[best], 1, best_more, row);
  b->part[a] = best;
  return true;
}

static void count_cells(const Balance *b) {
  for (int e = 0; e < b->space->cell_count; e++) {
    const int *node = space_cell(b->space, e);
    for (int k = 0; k < b->space->cell_nodes; k++) {
      bool known = false;
      for (int j = 0; j < k && !known; j++) known = b->part[node[j]] == b->part[node[k]];
      b->load[b->part[node[k]]].cells += !known;
    }
  }
}

static void count_all(Balance *b) {
  double cells = 0, blocks = 0;
  for (int a = 0; a < b->space->node_count; a++) add_row(&b->load[b->part[a]], 1, 0, &b->row[a]);
  count_cells(b);
  for (int p = 0; p < b->part_count; p++) {
    const Load *load = &b->load[p];
    if (load->blocks > b->maximum.blocks) b->maximum.blocks = load->blocks;
    cells += (double)load->cells;
    blocks += (double)load->blocks;
  }
  b->cells_mean = cells / b->part_count;
  b->time_mean = (cells + BLOCK_TIME * blocks) / b->part_count;
}

// Returns the largest number of nodes of a part, where its halo, the neighbours of its nodes in other parts, is counted
// too. `rows` and `start` are work memory: rows [node_count] gets the nodes sorted by part, and start [part_count + 2]
// the index in `rows` of the first node of each part.
static int locals_max(const Balance *b, int *rows, int *start) {
  const Adjacency *graph = &b->space->graph;
  const int nodes = b->space->node_count;
  int maximum = 0;
  memset(start, 0, sizeof *start * ((size_t)b->part_count + 2));
  memset(b->seen, 0, sizeof *b->seen * (size_t)nodes);
  for (int a = 0; a < nodes; a++) start[b->part[a] + 2]++;
  for (int p = 0; p < b->part_count; p++) start[p + 2] += start[p + 1];
  for (int a = 0; a < nodes; a++) rows[start[b->part[a] + 1]++] = a;
  for (int p = 0; p < b->part_count; p++) {
    int count = start[p + 1] - start[p];
    for (int i = start[p]; i < start[p + 1]; i++)
      for (int64_t s = graph->start[rows[i]]; s < graph->start[rows[i] + 1]; s++) {
        const int other = graph->neighbour[s];
        if (b->part[other] == p || b->seen[other] == p + 1) continue;
        b->seen[other] = p + 1;
        count++;
      }
    if (count > maximum) maximum = count;
  }
  return maximum;
}

// Returns the largest number of tiles of a part. A lane is a thread that multiplies some blocks of a row. A tile is
// PART_LANES lanes, one warp.
static int64_t tiles_max(const Balance *b) {
  int64_t maximum = 0;
  for (int p = 0; p < b->part_count; p++)
    if (b->load[p].lanes > maximum) maximum = b->load[p].lanes;
  return (maximum + PART_LANES - 1) / PART_LANES;
}

bool part_balance(const Space *space, const NodeCells *cells, const RowCost *row, int part_count, int *part,
                  Error *error) {
  const size_t nodes = (size_t)space->node_count;
  Balance b = { .space = space, .cells = cells, .row = row, .part_count = part_count, .part = part };
  int *before = array_new(space->node_count, sizeof *before, "parts", error), *rows = NULL, *start = NULL;
  bool ok = before;
  ok = ok && (rows = array_new(space->node_count, sizeof *rows, "parts", error));
  ok = ok && (start = array_new((int64_t)part_count + 2, sizeof *start, "parts", error));
  ok = ok && (b.load = array_new(part_count, sizeof *b.load, "parts", error));
  ok = ok && (b.seen = array_new(space->node_count, sizeof *b.seen, "parts", error));
  if (ok) {
    memcpy(before, part, sizeof *part * nodes);
    count_all(&b);
    const int locals = locals_max(&b, rows, start);
    const int64_t tiles = tiles_max(&b);
    bool moves = b.cells_mean > 0;
    for (int pass = 0; pass < PASSES_MAX && moves && !interrupt_requested(); pass++) {
      moves = false;
      for (int a = 0; a < space->node_count; a++) moves = move(&b, a) || moves;
    }
    if (locals_max(&b, rows, start) > locals || tiles_max(&b) > tiles) memcpy(part, before, sizeof *part * nodes);
    ok = interrupt_check(error);
  }

  void *arrays[] = { before, rows, start, b.load, b.seen };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  return ok;
}
