// Builds the tables of the assembly "parts" (part_batches.h). The words in short:
//   batch   matrix rows that one thread block assembles, and all tets at the nodes of these rows
//   tile    a few rows of a batch; one step of a tile has 32 blocks, one for each thread (lane) of a warp
//   slot    index of a block of the matrix: 32 * step + lane
//   entry   16 bits: a tet of the batch and two of its corners, the row and the column of a block
//   unit    the work of a warp: 32 lists of entries, one for each lane
// First the matrix is cut into batches (batch_cut.h). Then two passes over all batches, in parallel, measure the lists
// and fill the arrays.
#include "sim/assembly/part_batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "sim/assembly/batch_cut.h"

enum {
  DOF = 3,
  // number of values of a step. A step is 32 blocks of 9 values; in products with the matrix, the threads of a warp
  // multiply these blocks at the same time
  STEP_VALUES = DOF * DOF * PART_LANES,
  // number of ordered pairs of different corners of a tet: 12
  PAIRS = BATCH_CORNERS * (BATCH_CORNERS - 1),
  // Shared memory has BANKS banks; each serves one access at a time. If the threads of a warp read vectors of 16 bytes,
  // PHASE threads read at the same time. If they read single numbers, all 32 threads do.
  PHASE = BATCH_PHASE,
  BANKS = 32,
  // number of pieces into which a parallel loop over batches is divided; each piece has its work memory
  PIECES = 64
};

// Data of the two passes over all batches. The first pass measures the lists of entries, the second writes them.
typedef struct Making {
  const BatchCell *cell;
  size_t real_size;  // bytes of a real number: 4 for float, 8 for double
  BatchCut cut;      // the first and the last tile of each batch, and tables of the matrix (batch_cut.h)
  int *number;       // [node_count], the index of each node's row in its batch
  // Two arrays [batch_count]: the first tile of each batch, and the tile after its last. A tile is a few rows.
  int *first_tile;
  int *last_tile;
  // the tables of all batches, in the host's memory; at the end they are copied to the device
  PartBatches host;
  // number of batches in a piece of a parallel loop; a batch is the matrix rows that one thread block assembles
  int grain;
  bool fill;  // true: the pass fills the arrays; false: it only measures the lists
  // Maxima over all batches. slots_max: number of off-diagonal blocks of a batch. rows_max: number of rows of a batch.
  // entries_max: number of entries in all lists of a batch's rows.
  int slots_max, rows_max, entries_max;
  // [batch_count + 1]: the lists of batch q begin at word list_words[q] of PartBatches.list [words][PART_LANES]. At
  // first, element q + 1 holds the number of words of batch q. Prefix sums then give the first word of each batch.
  int *list_words;
  // [PIECES][capacity_bytes], work memory of each piece of a parallel loop; it is divided into the arrays of Capacity
  char *rooms;
  size_t capacity_bytes;
} Making;

// ---- work memory for one batch

// Arrays for one batch, in the work memory of a piece of the parallel loop. The lengths in brackets are members of
// Making, maxima over all batches.
typedef struct Capacity {
  // [outside_max], those nodes of the batch's tets that have their matrix rows in other batches
  int *outside;
  int *tet;  // [BATCH_TETS_MAX], the cell number of each tet of the batch
  // [BATCH_TETS_MAX][PAIRS], for each tet and each pair (a, b) of its corners, in the order (0, 1), (0, 2), (0, 3), (1,
  // 0), ... (3, 2): the off-diagonal block of the batch to which the tet's block (a, b) is added. The value is the slot
  // of this block, 32 * step + lane, counted from the batch's first step; -1 if the row of corner a is not in the
  // batch.
  int *slot;
  // start [slots_max + 1]: off-diagonal block k of the batch has the list entry[start[k]] to entry[start[k + 1] - 1].
  // row_start [rows_max + 1]: row k of the batch has the list row_entry[row_start[k]] to row_entry[row_start[k + 1] -
  // 1].
  int *start;
  int *row_start;
  // entry [3 * entries_max]: the lists of all off-diagonal blocks. row_entry [entries_max]: the lists of all rows. An
  // entry is the code tet | a << 12 | b << 14 for two corners a, b of a tet; entries of rows have b = 0.
  uint16_t *entry;
  uint16_t *row_entry;
  // Sums of volume * stiffness factor * B_a . B_b over the tets with nodes a and b, with B_a the gradient of node a's
  // shape function. constant [slots_max]: sum for each off-diagonal block. diagonal [rows_max]: sum for each diagonal
  // block.
  double *constant, *diagonal;
  double *S;  // [BatchCell.reals], constants of one cell; in simulations in float, these are floats
} Capacity;

// Returns the address of an array of `more` bytes, which begins *bytes bytes after the start of work memory. Adds the
// array's length, rounded up to 8 bytes, to *bytes. If `memory` is NULL, it returns NULL but still adds the length.
static void *cut(char *memory, size_t *bytes, size_t more) {
  void *array = memory ? memory + *bytes : NULL;
  *bytes += (more + 7) / 8 * 8;
  return array;
}

// Divides work memory into the arrays of Capacity. Sets *bytes to their total length. If `memory` is NULL, it only
// computes this length.
static Capacity cut_capacity(const Making *m, char *memory, size_t *bytes) {
  Capacity capacity;
  *bytes = 0;
  capacity.outside = cut(memory, bytes, sizeof *capacity.outside * (size_t)m->cut.outside_max);
  capacity.tet = cut(memory, bytes, sizeof *capacity.tet * BATCH_TETS_MAX);
  capacity.slot = cut(memory, bytes, sizeof *capacity.slot * BATCH_TETS_MAX * PAIRS);
  capacity.start = cut(memory, bytes, sizeof *capacity.start * ((size_t)m->slots_max + 1));
  capacity.row_start = cut(memory, bytes, sizeof *capacity.row_start * ((size_t)m->rows_max + 1));
  capacity.entry = cut(memory, bytes, sizeof *capacity.entry * (size_t)m->entries_max * (BATCH_CORNERS - 1));
  capacity.row_entry = cut(memory, bytes, sizeof *capacity.row_entry * (size_t)m->entries_max);
  capacity.constant = cut(memory, bytes, sizeof *capacity.constant * (size_t)m->slots_max);
  capacity.diagonal = cut(memory, bytes, sizeof *capacity.diagonal * (size_t)m->rows_max);
  capacity.S = cut(memory, bytes, sizeof *capacity.S * (size_t)m->cell->reals);
  return capacity;
}

// Returns the work arrays of piece number `piece` of a parallel loop over batches.
static Capacity capacity_of(const Making *m, int piece) {
  size_t bytes;
  return cut_capacity(m, m->rooms + (size_t)piece * m->capacity_bytes, &bytes);
}

// Runs `body`, a parallel loop over `count` batches. The loop is divided into PIECES pieces, each with its own work
// memory (Capacity).
static bool run(Making *m, int count, LoopBody body, Error *error) {
  size_t bytes;
  cut_capacity(m, NULL, &bytes);
  m->capacity_bytes = bytes;
  m->grain = count / PIECES + 1;
  m->rooms = array_new(PIECES, bytes, "batches", error);
  if (m->rooms) parallel_for(count, m->grain, body, m);
  const bool ok = m->rooms && interrupt_check(error);
  free(m->rooms);
  m->rooms = NULL;
  return ok;
}

static int count_batches(const Making *m) {
  int count = 0;
  for (int tile = 0; tile < m->cut.A->parts->tile_count; tile = m->cut.end[tile]) count++;
  return count;
}

// ---- lists of the tets and entries of a batch

// Lists the tets of batch q, a group of matrix rows, in capacity->tet, in the order of these rows. Then sets
// capacity->slot: for each pair of corners of each tet, the matrix block to which the tet's block is added.
static void list_tets(const Making *m, int q, const Capacity *capacity) {
  const int first = m->first_tile[q], last = m->last_tile[q];
  const int64_t slots_before = (int64_t)m->cut.tiles.step_start[first] * PART_LANES;
  int count = 0;
  BatchRows rows = { &m->cut, first, last, 0 };
  for (int a; (a = batch_next_row(&rows)) >= 0;)
    for (int64_t s = m->cut.cells.start[a]; s < m->cut.cells.start[a + 1]; s++)
      if (batch_counts_here(&m->cut, m->cut.cells.cell[s], a, first, last))
        capacity->tet[count++] = m->cut.cells.cell[s];
  for (int x = 0; x < count; x++) {
    const int *corner = space_cell(m->cut.space, capacity->tet[x]);
    int *slot = capacity->slot + (int64_t)x * PAIRS;
    for (int a = 0; a < BATCH_CORNERS; a++)
      for (int b = 0; b < BATCH_CORNERS; b++) {
        if (b == a) continue;
        *slot = -1;
        if (batch_has(&m->cut, corner[a], first, last)) {
          const int at = m->cut.A->slots[adjacency_find(&m->cut.space->graph, corner[a], corner[b])].at;
          *slot = (int)((int64_t)(at / STEP_VALUES) * PART_LANES + at % STEP_VALUES - slots_before);
        }
        slot++;
      }
  }
}

// Sorts the entries of batch q, each a tet and two of its corners, into lists: one list for each off-diagonal block and
// one for each row of the batch. Within a list, tets are in the order of the batch. A first pass over the tets counts
// the entries of each list, and a second pass writes them.
static void list_entries(const Making *m, int q, const Capacity *capacity, int slots) {
  const Batch *batch = &m->host.batch[q];
  const int first = m->first_tile[q], last = m->last_tile[q];
  memset(capacity->start, 0, sizeof *capacity->start * ((size_t)slots + 1));
  memset(capacity->row_start, 0, sizeof *capacity->row_start * ((size_t)batch->row_count + 1));
  for (int turn = 0; turn < 2; turn++) {
    for (int x = 0; x < batch->tet_count; x++) {
      const int *corner = space_cell(m->cut.space, capacity->tet[x]), *slot = capacity->slot + (int64_t)x * PAIRS;
      for (int a = 0; a < BATCH_CORNERS; a++) {
        const bool mine = batch_has(&m->cut, corner[a], first, last);
        const int row = mine ? m->number[corner[a]] : 0;
        if (mine && turn == 0) capacity->row_start[row + 1]++;
        if (mine && turn == 1) capacity->row_entry[capacity->row_start[row]++] = (uint16_t)(x | a << 12);
        for (int b = 0; b < BATCH_CORNERS; b++) {
          if (b == a) continue;
          if (mine && turn == 0) capacity->start[*slot + 1]++;
          if (mine && turn == 1) capacity->entry[capacity->start[*slot]++] = (uint16_t)(x | a << 12 | b << 14);
          slot++;
        }
      }
    }

    // Prefix sums replace the counts by the indices at which lists begin. The second pass then advances start[k] with
    // each entry of list k. So at the end of this pass, start[k] is the start of list k + 1.
    for (int k = 0; turn == 0 && k < slots; k++) capacity->start[k + 1] += capacity->start[k];
    for (int k = 0; turn == 0 && k < batch->row_count; k++) capacity->row_start[k + 1] += capacity->row_start[k];
  }

  memmove(capacity->start + 1, capacity->start, sizeof *capacity->start * (size_t)slots);
  memmove(capacity->row_start + 1, capacity->row_start, sizeof *capacity->row_start * (size_t)batch->row_count);
  capacity->start[0] = capacity->row_start[0] = 0;
}

// The list of one lane (thread of a warp): its entries are item[0], item[stride], item[2 * stride], ... An entry is the
// code of a tet and two of its corners.
typedef struct LaneList {
  uint16_t *item;
  // count: number of entries that write_lists has not written yet; they are the first entries of the list. stride:
  // distance of consecutive entries in `item`.
  int count, stride;
} LaneList;

// Returns the depth of a unit (the work of a warp): the length of the longest list of its 32 lanes.
static int lists_depth(const LaneList list[PART_LANES]) {
  int depth = 0;
  for (int lane = 0; lane < PART_LANES; lane++)
    if (list[lane].count > depth) depth = list[lane].count;
  return depth;
}

// Sets the 32 lists of a unit that sums off-diagonal blocks, those of one step of a tile. Lane k gets the list of block
// k. step: number of the step within the batch.
static void step_lists(const Capacity *capacity, int step, LaneList list[PART_LANES]) {
  for (int lane = 0; lane < PART_LANES; lane++) {
    const int *start = capacity->start + (int64_t)step * PART_LANES + lane;
    list[lane] = (LaneList){ capacity->entry + start[0], start[1] - start[0], 1 };
  }
}

// Sets the 32 lists of a unit that sums diagonal blocks and forces. Lanes 0 to 3 divide the list of row `first`, lanes
// 4 to 7 the list of the next row, and so on. The first lane of a row has entries 0, 4, 8, ... of the row's list, the
// second lane 1, 5, 9, ...
static void row_lists(const Capacity *capacity, int first, int row_count, LaneList list[PART_LANES]) {
  for (int lane = 0; lane < PART_LANES; lane++) {
    const int row = first + lane / ROW_LANES, share = lane % ROW_LANES;
    const int begin = row < row_count ? capacity->row_start[row] : 0,
              end = row < row_count ? capacity->row_start[row + 1] : 0;
    const int count = end - begin > share ? (end - begin - share + ROW_LANES - 1) / ROW_LANES : 0;
    list[lane] = (LaneList){ capacity->row_entry + begin + share, count, ROW_LANES };
  }
}

// Counts of the reads from each bank of shared memory in one step of a warp. This step is not a step of a tile: in it,
// each of the 32 lanes reads the numbers of one entry. Lanes that read different addresses of one bank wait for each
// other. So the entry that a lane reads in a step is chosen by these counts.
//
// Each corner of a tet has a vector h (parts_cell.h), which a lane reads by one load of 16 bytes. PHASE = 8 lanes read
// at the same time. The banks then act as 8 groups; the vectors of tet t are in group t % 8. A row unit also reads
// forces as single numbers, by all 32 lanes together.
typedef struct Banks {
  // group[g]: number of 16-byte reads from group g of banks so far in this phase. bank[b]: number of reads of single
  // numbers from bank b so far in this step.
  int group[PHASE], bank[BANKS];
  int left[PHASE];  // left[g]: number of entries in group g of banks that the lanes of this phase have not read yet
  int stride;       // number of columns of a table in shared memory (batch_stride); column x belongs to tet x
  // true: the lists belong to a row unit, which sums diagonal blocks and forces and so also reads single numbers
  bool rows;
} Banks;

// Returns the memory bank of the single number that an entry reads: a component of the force on a corner of the entry's
// tet.
static int bank_of(const Banks *banks, unsigned entry) {
  return (entry_row(entry) * banks->stride + entry_tet(entry)) % BANKS;
}

// Returns how many earlier reads of this step conflict with this entry: they use the same group of banks or, for a
// force, the same bank. The lane waits for each of them.
static int waits(const Banks *banks, unsigned entry) {
  return banks->group[entry_tet(entry) % PHASE] + (banks->rows ? banks->bank[bank_of(banks, entry)] : 0);
}

// Adds the reads of one entry to the counts: a 16-byte vector from a group of banks, and a single number from a bank.
static void take(Banks *banks, unsigned entry) {
  banks->group[entry_tet(entry) % PHASE]++;
  banks->bank[bank_of(banks, entry)]++;
}

// Chooses the entry that a lane reads in the current step: one with the fewest bank conflicts. Among several entries
// with equally few conflicts, the function takes one whose group of banks has the most unread entries. Stores the entry
// in *entry and removes it from the list. If every entry conflicts with an earlier read and may_stay is true, the
// function returns false; the lane then reads padding (zeros) in this step.
static bool take_entry(Banks *banks, LaneList *l, bool may_stay, uint16_t *entry) {
  int best = 0, least = INT32_MAX, maximum = -1;
  for (int j = 0; j < l->count; j++) {
    const uint16_t item = l->item[j * l->stride];
    const int wait = waits(banks, item), left = banks->left[entry_tet(item) % PHASE];
    if (wait > least || (wait == least && left <= maximum)) continue;
    least = wait;
    maximum = left;
    best = j;
  }
  if (least > 0 && may_stay) return false;
  *entry = l->item[best * l->stride];
  l->item[best * l->stride] = l->item[--l->count * l->stride];
  take(banks, *entry);
  return true;
}

// Returns an entry for padding: one of the PHASE zero tets, columns of zeros after the batch's last tet. Chooses the
// zero tet whose group of banks has the fewest reads so far. Several lanes may read the same zero tet, because reads of
// one address do not conflict.
static uint16_t empty_entry(const Banks *banks, int tets) {
  int best = 0;
  for (int k = 1; k < PHASE; k++)
    if (banks->group[(tets + k) % PHASE] < banks->group[(tets + best) % PHASE]) best = k;
  return (uint16_t)(tets + best);
}

// Returns the number of 32-bit words for a list of `depth` entries; a word holds two entries of 16 bits.
static int list_words(int depth) {
  return (depth + 1) / 2;
}

// Writes the 32 lists of a unit to `to` [words][PART_LANES], one list for each lane of a warp, two entries in each
// word. In step s of the warp (Banks), every lane reads its entry s. Entries are ordered such that few lanes of a step
// read the same memory bank. In each step, the lanes with the fewest remaining entries choose first. A lane with fewer
// entries than `depth` may read padding (zeros) instead. tets: number of tets of the batch.
static void write_lists(LaneList list[PART_LANES], int depth, int tets, bool rows, uint32_t *to) {
  for (int step = 0; step < 2 * list_words(depth); step++) {
    Banks banks = { .stride = batch_stride(tets), .rows = rows };
    for (int phase = 0; phase < PART_LANES; phase += PHASE) {
      int turn[PHASE];
      bool passes[PHASE];
      memset(banks.group, 0, sizeof banks.group);
      memset(banks.left, 0, sizeof banks.left);
      for (int k = 0; k < PHASE; k++) {
        const LaneList *l = &list[phase + k];
        for (int j = 0; j < l->count; j++) banks.left[entry_tet(l->item[j * l->stride]) % PHASE]++;
        int at = k;
        for (; at > 0 && list[turn[at - 1]].count > l->count; at--) turn[at] = turn[at - 1];
        turn[at] = phase + k;
      }
      for (int passing = 0; passing < 2; passing++)
        for (int k = 0; k < PHASE; k++) {
          LaneList *l = &list[turn[k]];
          uint16_t entry = 0;
          if (!passing)
            passes[k] = l->count == 0 || !take_entry(&banks, l, l->count < depth - step, &entry);
          else
            entry = empty_entry(&banks, tets);
          if (passes[k] != passing) continue;
          uint32_t *word = to + (int64_t)(step / 2) * PART_LANES + turn[k];
          *word = step % 2 ? *word | (uint32_t)entry << 16 : entry;
        }
    }
  }
}

// Sorts units by decreasing depth, the length of their longest list, by insertion.
static void sort_units(BatchUnit *unit, int count) {
  for (int k = 1; k < count; k++) {
    const BatchUnit moved = unit[k];
    int at = k;
    for (; at > 0 && unit[at - 1].depth < moved.depth; at--) unit[at] = unit[at - 1];
    unit[at] = moved;
  }
}

// Computes B [corner][x, y, z], the gradients of the four shape functions of tet e, 1/m, in double. Let D be the matrix
// whose columns are the edges X_a - X_3. B_0, B_1 and B_2 are the rows of the inverse of D, and B_3 = -(B_0 + B_1 +
// B_2).
static void gradients(const Space *space, int e, double B[BATCH_CORNERS][3]) {
  const int *node = space_cell(space, e);
  double D[3][3];
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) D[i][a] = space->X[node[a]][i] - space->X[node[3]][i];
  const double det = 6 * space_cell_volume(space, e);
  for (int i = 0; i < 3; i++) {
    B[3][i] = 0;
    for (int a = 0; a < 3; a++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
      B[a][i] = (D[i1][a1] * D[i2][a2] - D[i1][a2] * D[i2][a1]) / det;
      B[3][i] -= B[a][i];
    }
  }
}

// Sets reals[at] = value, in an array of floats or of doubles (m->real_size).
static void store(const Making *m, void *reals, int64_t at, double value) {
  if (m->real_size == sizeof(float))
    ((float *)reals)[at] = (float)value;
  else
    ((double *)reals)[at] = value;
}

// Fills the arrays of the tets of batch q: the tets' corners and constants, and the sums slot_constant and
// diagonal_constant. Each tet adds volume * stiffness factor * B_a . B_b to the sum of block (a, b). B_a is the
// gradient of corner a's shape function.
static void fill_tets(const Making *m, int q, const Capacity *capacity, int slots) {
  const Batch *batch = &m->host.batch[q];
  const int first = m->first_tile[q], last = m->last_tile[q];
  char *supplemental = (char *)m->host.supplemental + (size_t)batch->tet * (size_t)m->cell->reals * m->real_size;
  memset(capacity->constant, 0, sizeof *capacity->constant * (size_t)slots);
  memset(capacity->diagonal, 0, sizeof *capacity->diagonal * (size_t)batch->row_count);
  for (int x = 0; x < batch->tet_count; x++) {
    const int e = capacity->tet[x], *corner = space_cell(m->cut.space, e), *slot = capacity->slot + (int64_t)x * PAIRS;
    const double volume = m->cell->fill(m->cut.space, e, capacity->S);
    for (int k = 0; k < m->cell->reals; k++)
      memcpy(supplemental + ((size_t)k * (size_t)batch->tet_count + (size_t)x) * m->real_size,
             (char *)capacity->S + (size_t)k * m->real_size, m->real_size);
    double B[BATCH_CORNERS][3];
    gradients(m->cut.space, e, B);
    for (int a = 0; a < BATCH_CORNERS; a++) {
      const int beside = batch->node_count - batch->row_count;
      if (batch_has(&m->cut, corner[a], first, last)) {
        const int row = m->number[corner[a]];
        m->host.tet[batch->tet + x][a] = (uint16_t)row;
        capacity->diagonal[row] += volume * (B[a][0] * B[a][0] + B[a][1] * B[a][1] + B[a][2] * B[a][2]);
      } else {
        const int at = batch_find_outside(capacity->outside, beside, corner[a]);
        m->host.tet[batch->tet + x][a] = (uint16_t)(batch->row_count + at);
      }
      for (int b = 0; b < BATCH_CORNERS; b++)
        if (b != a && *slot++ >= 0)
          capacity->constant[slot[-1]] += volume * (B[a][0] * B[b][0] + B[a][1] * B[b][1] + B[a][2] * B[b][2]);
    }
  }

  const int64_t before = (int64_t)m->cut.tiles.step_start[first] * PART_LANES;
  for (int k = 0; k < slots; k++) store(m, m->host.slot_constant, before + k, capacity->constant[k]);
  for (int row = 0; row < batch->row_count; row++)
    store(m, m->host.diagonal_constant, m->host.node[batch->node + row], capacity->diagonal[row]);
}

// Lists the nodes of batch q: first the nodes of its matrix rows, then the other nodes of its tets. Stores in
// m->number, for the node of each row, the row's index in the batch.
static void list_nodes(const Making *m, int q, const Capacity *capacity) {
  const Batch *batch = &m->host.batch[q];
  int count = 0, *node = m->host.node + batch->node;
  BatchRows rows = { &m->cut, m->first_tile[q], m->last_tile[q], 0 };
  for (int a; (a = batch_next_row(&rows)) >= 0;) {
    m->number[a] = count;
    node[count++] = a;
  }
  const int beside = batch_list_outside(&m->cut, m->first_tile[q], m->last_tile[q], capacity->outside);
  memcpy(node + count, capacity->outside, sizeof *node * (size_t)beside);
}

// Sets the units of batch q, each the work of a warp, and their depths: the number of entries of a unit's longest list.
// Row units (for diagonal blocks and forces) come first, then step units (for off-diagonal blocks). Within each kind,
// units are sorted by decreasing depth.
static void measure_units(const Making *m, int q, const Capacity *capacity) {
  const Batch *batch = &m->host.batch[q];
  const int steps = batch->unit_count - batch->row_units;
  BatchUnit *unit = m->host.unit + batch->unit;
  LaneList list[PART_LANES];
  for (int k = 0; k < batch->row_units; k++) {
    row_lists(capacity, k * ROWS_OF_UNIT, batch->row_count, list);
    unit[k] = (BatchUnit){ .depth = lists_depth(list), .at = k * ROWS_OF_UNIT };
  }
  for (int k = 0; k < steps; k++) {
    step_lists(capacity, k, list);
    unit[batch->row_units + k] =
        (BatchUnit){ .depth = lists_depth(list), .at = m->cut.tiles.step_start[m->first_tile[q]] + k };
  }
  sort_units(unit, batch->row_units);
  sort_units(unit + batch->row_units, steps);
  for (int k = 0; k < batch->unit_count; k++) m->list_words[q + 1] += list_words(unit[k].depth);
}

// Writes the lists of all units of batch q. A unit is 32 lists of entries, one for each lane of a warp.
static void write_units(const Making *m, int q, const Capacity *capacity) {
  const Batch *batch = &m->host.batch[q];
  BatchUnit *unit = m->host.unit + batch->unit;
  int at = m->list_words[q];
  for (int k = 0; k < batch->unit_count; k++) {
    LaneList list[PART_LANES];
    const bool rows = k < batch->row_units;
    if (rows)
      row_lists(capacity, unit[k].at, batch->row_count, list);
    else
      step_lists(capacity, unit[k].at - m->cut.tiles.step_start[m->first_tile[q]], list);
    unit[k].list = at;
    write_lists(list, unit[k].depth, batch->tet_count, rows, m->host.list + (int64_t)at * PART_LANES);
    at += list_words(unit[k].depth);
  }
}

// Builds the tables of the batches [first, last), groups of matrix rows. If m->fill is false, it only measures the
// lists of entries; an entry names a block of a tet's matrix. If m->fill is true, it also writes all arrays.
static void make_batches(const void *making, int first, int last) {
  const Making *m = making;
  const Capacity capacity = capacity_of(m, first / m->grain);
  for (int q = first; q < last && !interrupt_requested(); q++) {
    const int steps = m->cut.tiles.step_start[m->last_tile[q]] - m->cut.tiles.step_start[m->first_tile[q]];
    list_nodes(m, q, &capacity);
    list_tets(m, q, &capacity);
    list_entries(m, q, &capacity, steps * PART_LANES);
    if (m->fill) {
      fill_tets(m, q, &capacity, steps * PART_LANES);
      write_units(m, q, &capacity);
    } else {
      measure_units(m, q, &capacity);
    }
  }
}

// Sets for each batch the indices at which its tets, nodes and units begin in the arrays of PartBatches. Computes the
// maxima over all batches, and allocates the arrays.
static bool number_batches(Making *m, Error *error) {
  PartBatches *h = &m->host;
  h->batch_count = count_batches(m);
  h->bytes_max = m->cut.bytes_max;
  h->batch = array_new(h->batch_count, sizeof *h->batch, "batches", error);
  m->number = array_new(m->cut.space->node_count, sizeof *m->number, "batches", error);
  m->first_tile = array_new(h->batch_count, sizeof *m->first_tile, "batches", error);
  m->last_tile = array_new(h->batch_count, sizeof *m->last_tile, "batches", error);
  m->list_words = array_new((int64_t)h->batch_count + 1, sizeof *m->list_words, "batches", error);
  if (!h->batch || !m->number || !m->first_tile || !m->last_tile || !m->list_words) return false;
  int64_t units = 0;
  for (int q = 0, tile = 0; q < h->batch_count; tile = m->cut.end[tile], q++) {
    const int last = m->cut.end[tile], steps = m->cut.tiles.step_start[last] - m->cut.tiles.step_start[tile];
    int row_count = 0, entries = 0;
    BatchRows rows = { &m->cut, tile, last, 0 };
    for (int a; (a = batch_next_row(&rows)) >= 0; row_count++)
      entries += (int)(m->cut.cells.start[a + 1] - m->cut.cells.start[a]);
    const int row_units = (row_count + ROWS_OF_UNIT - 1) / ROWS_OF_UNIT;
    if (h->tets + m->cut.tets[tile] > INT32_MAX)
      return error_set(error, "the mesh is too large for assembly \"parts\"; choose another --assembly");
    m->first_tile[q] = tile;
    m->last_tile[q] = last;
    h->batch[q] = (Batch){ .tet = (int)h->tets,
                           .tet_count = m->cut.tets[tile],
                           .node_count = m->cut.nodes[tile],
                           .row_count = row_count,
                           .unit = (int)units,
                           .row_units = row_units,
                           .unit_count = row_units + steps };
    h->tets += m->cut.tets[tile];
    h->nodes += m->cut.nodes[tile];
    units += row_units + steps;
    if (m->cut.tets[tile] > h->tets_max) h->tets_max = m->cut.tets[tile];
    if (m->cut.nodes[tile] > h->nodes_max) h->nodes_max = m->cut.nodes[tile];
    if (steps * PART_LANES > m->slots_max) m->slots_max = steps * PART_LANES;
    if (row_count > m->rows_max) m->rows_max = row_count;
    if (entries > m->entries_max) m->entries_max = entries;
  }

  const int64_t slots = (int64_t)m->cut.tiles.step_start[m->cut.A->parts->tile_count] * PART_LANES;
  const int64_t node_slots = (int64_t)h->batch_count * h->nodes_max;
  if (node_slots > INT32_MAX)
    return error_set(error, "the mesh is too large for assembly \"parts\"; choose another --assembly");
  for (int q = 0; q < h->batch_count; q++) h->batch[q].node = q * h->nodes_max;
  h->node = array_new(node_slots, sizeof *h->node, "batches", error);
  h->tet = array_new(h->tets, sizeof *h->tet, "batches", error);
  h->supplemental = array_new(h->tets * m->cell->reals, m->real_size, "batches", error);
  h->unit = array_new(units, sizeof *h->unit, "batches", error);
  h->slot_constant = array_new(slots, m->real_size, "batches", error);
  h->diagonal_constant = array_new(m->cut.space->node_count, m->real_size, "batches", error);
  return h->node && h->tet && h->supplemental && h->unit && h->slot_constant && h->diagonal_constant;
}

// Runs two passes over all batches: the first measures their lists of entries, the second writes them.
static bool fill_batches(Making *m, Error *error) {
  PartBatches *h = &m->host;
  if (!run(m, h->batch_count, make_batches, error)) return false;
  for (int q = 0; q < h->batch_count; q++) m->list_words[q + 1] += m->list_words[q];
  h->list = array_new((int64_t)m->list_words[h->batch_count] * PART_LANES, sizeof *h->list, "batches", error);
  m->fill = true;
  return h->list && run(m, h->batch_count, make_batches, error);
}

// Copies all arrays of m->host to the memory of `device`, as *to. Each array is freed on the host before the next is
// allocated on the device. If the device is the CPU, this needs less memory than two copies of all arrays.
static bool copy(PartBatches *to, Making *m, Device device, Error *error) {
  PartBatches *h = &m->host;
  const size_t units = (size_t)h->batch[h->batch_count - 1].unit + (size_t)h->batch[h->batch_count - 1].unit_count;
  const size_t slots = (size_t)m->cut.tiles.step_start[m->cut.A->parts->tile_count] * PART_LANES;
  const struct {
    void **from, **to;
    size_t bytes;
  } arrays[] = {
    { (void **)&h->batch, (void **)&to->batch, sizeof *h->batch * (size_t)h->batch_count },
    { (void **)&h->node, (void **)&to->node, sizeof *h->node * (size_t)h->batch_count * (size_t)h->nodes_max },
    { (void **)&h->tet, (void **)&to->tet, sizeof *h->tet * (size_t)h->tets },
    { &h->supplemental, &to->supplemental, m->real_size * (size_t)(h->tets * m->cell->reals) },
    { (void **)&h->unit, (void **)&to->unit, sizeof *h->unit * units },
    { (void **)&h->list, (void **)&to->list, sizeof *h->list * (size_t)m->list_words[h->batch_count] * PART_LANES },
    { &h->slot_constant, &to->slot_constant, m->real_size * slots },
    { &h->diagonal_constant, &to->diagonal_constant, m->real_size * (size_t)m->cut.space->node_count },
  };
  *to = (PartBatches){ .batch_count = h->batch_count,
                       .tets_max = h->tets_max,
                       .nodes_max = h->nodes_max,
                       .bytes_max = h->bytes_max,
                       .tets = h->tets,
                       .nodes = h->nodes };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    if (!(*arrays[k].to = device_clone(device, *arrays[k].from, arrays[k].bytes, error))) return false;
    free(*arrays[k].from);
    *arrays[k].from = NULL;
  }
  return true;
}

static void release(Making *m) {
  PartBatches *h = &m->host;
  void *arrays[] = { m->number, m->first_tile,   m->last_tile, m->list_words, h->batch,         h->node,
                     h->tet,    h->supplemental, h->unit,      h->list,       h->slot_constant, h->diagonal_constant };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  batch_cut_destroy(&m->cut);
}

bool part_batches_create(PartBatches *batches, const Space *space, const Operator *A, const BatchCapacity *capacity,
                         const BatchCell *cell, Device device, Error *error) {
  Making m = { .cell = cell };
  m.real_size = precision_size(A->method->stage.precision);
  *batches = (PartBatches){ 0 };
  bool ok = batch_cut_create(&m.cut, space, A, capacity, error);
  ok = ok && number_batches(&m, error);
  ok = ok && fill_batches(&m, error);
  ok = ok && copy(batches, &m, device, error);
  release(&m);
  if (!ok) part_batches_destroy(batches, device);
  return ok;
}

void part_batches_destroy(PartBatches *batches, Device device) {
  void *arrays[] = { batches->batch, batches->node, batches->tet,           batches->supplemental,
                     batches->unit,  batches->list, batches->slot_constant, batches->diagonal_constant };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(device, arrays[k]);
  *batches = (PartBatches){ 0 };
}
