// Assigns the blocks of a tile, the rows for one warp, to steps. A lane (thread) has a chunk, some blocks of one row,
// and multiplies one of them in each step (part_tile.h).
#include "sim/operator/parts/part_tile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// In step k of a matrix-vector product, each lane multiplies one block, the k-th of its chunk. A block belongs to two
// nodes, its row and its column. Blocks are assigned to steps with two aims:
// - Few waits for shared memory. In each step, TILE_PHASE lanes at once read x at the columns of their blocks. Two
//   nodes with equal local numbers modulo TILE_PHASE, such as 3 and 11, are in one memory bank, so one read waits for
//   the other.
// - Equal work in an assembly. The blocks of a step are summed in parallel, each over the cells that have both nodes of
//   the block. So these blocks should have about equal numbers of cells.
//
// CELLS_APART: lanes take the blocks of a row with the most cells first. To avoid a wait, a lane may take a later
// block, if that has at most CELLS_APART cells fewer.
// PASSES: max passes over the tile in which blocks are exchanged between steps and lanes to reduce the cost of steps.
// The cost of a step is CELL_COST times the largest number of cells of a block. Each group of TILE_PHASE lanes adds
// WAIT_COST times the largest number of its reads in one memory bank, and a small term (phase_cost).
enum { CELLS_APART = 1, PASSES = 2, CELL_COST = 128, WAIT_COST = 64 };

bool part_tile_create(PartTile *tile, int step_max, Error *error) {
  *tile = (PartTile){ 0 };
  tile->block = array_new((int64_t)PART_LANES * step_max, sizeof *tile->block, "matrix tiles", error);
  tile->step = array_new(step_max, sizeof *tile->step, "matrix tiles", error);
  return tile->block && tile->step;
}

void part_tile_destroy(PartTile *tile) {
  free(tile->block);
  free(tile->step);
  *tile = (PartTile){ 0 };
}

int part_chunk_length(int length, int chunks, int k) {
  return length / chunks + (k < length % chunks);
}

TileBlock *part_tile_row(PartTile *tile, int length, int chunks) {
  const int row = tile->rows++;
  tile->left[row] = length;
  tile->start[row + 1] = tile->start[row] + length;
  for (int k = 0; k < chunks; k++, tile->lanes++) {
    tile->lane_row[tile->lanes] = row;
    tile->lane_count[tile->lanes] = part_chunk_length(length, chunks, k);
  }
  return tile->block + tile->start[row];
}

// Sorts the blocks of a row by decreasing number of cells that have both nodes of the block. Blocks with equal numbers
// keep their order.
static void sort_blocks(TileBlock *block, int count) {
  for (int k = 1; k < count; k++) {
    const TileBlock moved = block[k];
    int at = k;
    for (; at > 0 && block[at - 1].cells < moved.cells; at--) block[at] = block[at - 1];
    block[at] = moved;
  }
}

// Returns the number of reads for which a lane that reads the node `local` must wait, because they use the same memory
// bank. The other lanes of its phase (TILE_PHASE threads) read the nodes taken [count]. Nodes are given by their index
// within the part.
static int waits(const int *taken, int count, int local) {
  int sum = 0;
  for (int k = 0; k < count; k++) sum += taken[k] != local && taken[k] % TILE_PHASE == local % TILE_PHASE;
  return sum;
}

// Chooses a block of a row for one lane (thread) in the current step, and returns its index in the row. TileBlock.cells
// is the number of cells that have both nodes of a block. Candidates are the `lanes` blocks with the most cells, and
// blocks with at most CELLS_APART cells fewer than the last of these. The function chooses the candidate with the
// fewest waits for a memory bank. `lanes`: number of lanes that still need a block of this row in this step. taken
// [taken_count]: nodes that other lanes read at the same time.
static int choose_block(const PartTile *tile, int row, int lanes, const int *taken, int taken_count) {
  const TileBlock *block = tile->block + tile->start[row];
  const int left = tile->left[row], least_cells = block[(lanes < left ? lanes : left) - 1].cells - CELLS_APART;
  int best = 0, least = TILE_PHASE + 1;
  for (int j = 0; j < left && least > 0 && block[j].cells >= least_cells; j++) {
    const int wait = waits(taken, taken_count, block[j].local);
    if (wait < least) {
      least = wait;
      best = j;
    }
  }
  return best;
}

// Returns the largest number of cells that a block of this step has. The cells of a block are those that have both its
// nodes.
static int max_cells(const TileStep *step) {
  int maximum = TILE_CELLS_MAX;
  while (maximum > 0 && step->sums[maximum] == 0) maximum--;
  return maximum;
}

// Returns the cost of the reads of a phase, TILE_PHASE threads that read shared memory together. used[g] is the number
// of these reads in memory bank g. The cost is WAIT_COST times the largest element of `used`, plus the sum of their
// squares. This sum prefers reads that are distributed evenly over the banks, so that later exchanges of blocks succeed
// more often.
static int phase_cost(const int used[TILE_PHASE]) {
  int maximum = 0, squares = 0;
  for (int g = 0; g < TILE_PHASE; g++) {
    maximum = used[g] > maximum ? used[g] : maximum;
    squares += used[g] * used[g];
  }
  return WAIT_COST * maximum + squares;
}

// Exchanges two blocks of one row between steps of the tile if that lowers the cost of the steps: the block of thread
// `lane` in step s, and the block of thread lane2 in step s2. Returns true if they were exchanged.
static bool exchange(TileStep *s, int lane, TileStep *s2, int lane2) {
  const TileBlock a = s->block[lane], b = s2->block[lane2];
  int *used = s->used[lane / TILE_PHASE], *used2 = s2->used[lane2 / TILE_PHASE];
  const int g = a.local % TILE_PHASE, g2 = b.local % TILE_PHASE;
  const bool waits = g != g2 && used != used2, cells = s != s2 && a.cells != b.cells;
  if (!waits && !cells) return false;
  int gain = 0;
  if (cells) {
    const int before = max_cells(s) + max_cells(s2);
    s->sums[a.cells]--;
    s->sums[b.cells]++;
    s2->sums[b.cells]--;
    s2->sums[a.cells]++;
    gain = CELL_COST * (before - max_cells(s) - max_cells(s2));
  }

  if (waits) {
    gain += phase_cost(used) + phase_cost(used2);
    used[g]--;
    used[g2]++;
    used2[g2]--;
    used2[g]++;
    gain -= phase_cost(used) + phase_cost(used2);
  }

  if (gain > 0) {
    s->block[lane] = b;
    s2->block[lane2] = a;
    return true;
  }

  if (waits) {
    used[g]++;
    used[g2]--;
    used2[g2]++;
    used2[g]--;
  }

  if (cells) {
    s->sums[a.cells]++;
    s->sums[b.cells]--;
    s2->sums[b.cells]++;
    s2->sums[a.cells]--;
  }
  return false;
}

static void exchange_blocks(const PartTile *tile) {
  bool better = true;
  for (int pass = 0; better && pass < PASSES; pass++) {
    better = false;
    for (int lane = 0; lane < tile->lanes; lane++)
      for (int k = 0; k < tile->lane_count[lane]; k++)
        for (int lane2 = lane; lane2 < tile->lanes && tile->lane_row[lane2] == tile->lane_row[lane]; lane2++)
          for (int k2 = lane2 == lane ? k + 1 : 0; k2 < tile->lane_count[lane2]; k2++)
            better |= exchange(&tile->step[k], lane, &tile->step[k2], lane2);
  }
}

// Fills step k of the tile: chooses for each lane (thread) one of the blocks of its row that have no step yet.
static void fill_step(PartTile *tile, int k) {
  TileStep *step = &tile->step[k];
  int wanted[PART_LANES] = { 0 };  // wanted[row]: number of lanes of this row that still need a block in step k
  memset(step, 0, sizeof *step);
  for (int lane = 0; lane < tile->lanes; lane++) wanted[tile->lane_row[lane]] += tile->lane_count[lane] > k;
  for (int phase = 0; phase < PART_LANES; phase += TILE_PHASE) {
    int taken[TILE_PHASE], taken_count = 0;
    for (int lane = phase; lane < phase + TILE_PHASE && lane < tile->lanes; lane++) {
      if (tile->lane_count[lane] <= k) continue;
      const int row = tile->lane_row[lane], j = choose_block(tile, row, wanted[row]--, taken, taken_count);
      TileBlock *blocks = tile->block + tile->start[row];
      const TileBlock block = step->block[lane] = blocks[j];
      memmove(blocks + j, blocks + j + 1, sizeof *blocks * (size_t)(--tile->left[row] - j));
      taken[taken_count++] = block.local;
      step->used[lane / TILE_PHASE][block.local % TILE_PHASE]++;
      step->sums[block.cells]++;
    }
  }
}

void part_tile_fill(PartTile *tile, int steps, bool exchanged) {
  for (int row = 0; row < tile->rows; row++) sort_blocks(tile->block + tile->start[row], tile->left[row]);
  for (int k = 0; k < steps; k++) fill_step(tile, k);
  if (exchanged) exchange_blocks(tile);
  tile->rows = tile->lanes = 0;
}
