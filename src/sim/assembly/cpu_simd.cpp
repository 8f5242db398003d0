// Assembly "cpu_simd": the direct stiffness method on all cores, with several cells at once in SIMD registers. A
// register holds LANES numbers, 8 floats or 4 doubles; each of its lanes belongs to one cell (lanes.h). The nodes are
// divided into parts, ranges of consecutive nodes. A thread that processes a part adds only to the matrix rows of the
// part's nodes. A cell with nodes of several parts is evaluated once for each of them.
//
// The cells of a part form groups of LANES cells, which are evaluated together. S(e), the constants of cell e, are
// stored cell by cell and transposed when a group reads them. The results are transposed back into one record for each
// cell. Records are added in the order of the cells. So the result has the same bits for any number of threads or
// lanes, and equals that of the assembly "cpu_opt".
//
// A record has PITCH numbers: the forces on the cell's nodes, then the blocks (a, b) of all pairs of nodes; the values
// of each block are stored column by column. Some matrices store all their diagonal entries before their other values.
// In the records for such a matrix, the 3 diagonal entries of a block (a, a) follow its 6 other entries.
//
// The index of a block in the matrix is stored as its distance from the first block of its row. So the stored index
// stays valid when a cut of the body makes other rows longer (space_split.h). Only cells near the cut get new nodes and
// indices. The copies of nodes that the cut makes form new parts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/wide.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/lanes.h"
#include "sim/element/space.h"
// The element headers below are included with the class Lanes in place of `real`. The unnamed namespace keeps their
// types apart from the types of equal names in other source files. Headers that need the true `real` are included
// before.
#include "base/error.h"
#include "device/host_device.h"
#include "sim/element/material/parameters.h"
#define real Lanes
namespace {
#include "sim/element/element.h"
}
#undef real

enum {
  PART_NODES_MAX = 512,  // maximum number of nodes of a part, so that its matrix rows fit into the cache of a core
  DOF = ELEMENT_NODE_DOF,
  BLOCK = DOF * DOF,
  PAIRS = ELEMENT_NODES * ELEMENT_NODES,
  // One transposition processes LANES numbers of each of LANES cells. VECTOR_GROUPS: number of transpositions for the
  // vectors of LANES cells. GROUPS: number of transpositions for their vectors and matrices. PITCH: length of a cell's
  // record.
  VECTOR_GROUPS = (ELEMENT_DOF + LANES - 1) / LANES,
  GROUPS = (ELEMENT_DOF + PAIRS * BLOCK + LANES - 1) / LANES,
  PITCH = GROUPS * LANES,
  // Largest number of neighbours of a node. The index of a block, counted from the first block of its row, then fits
  // into 16 bits.
  NEIGHBOURS_MAX = UINT16_MAX / BLOCK
};

// A group: indices of LANES cells that are evaluated together, one in each lane of the SIMD registers. The indices
// ascend. The last group of a part may have fewer cells; its last cell is then repeated.
typedef int Group[LANES];

// Indices of matrix blocks for a group of LANES cells. Entry [l][a * ELEMENT_NODES + b] belongs to block (a, b) of cell
// l. It is the index of this block in the matrix's values, minus the index of the first block in node a's row. If the
// matrix does not store blocks contiguously, the entry is instead the index of node b among the neighbours of node a.
typedef uint16_t GroupSlots[LANES][PAIRS];

// A cut adds parts, ranges of the nodes that it makes. New part k has the cells cell[start[k]] to cell[start[k + 1] -
// 1].
typedef struct NewCells {
  int *cell;
  int64_t *start;  // [new parts + 1], index in `cell` of each new part's first cell
} NewCells;

typedef struct Data {
  // A part is a range of consecutive nodes. part_count: number of parts. part_nodes: number of nodes of a part.
  int part_count, part_nodes;
  int *part_first;       // [part_count + 1], the first node of each part; a part is a range of nodes
  int64_t *group_start;  // [part_count + 1], the first group of each part; a group is LANES cells
  Group *group;          // the cells of each group; they ascend within a part
  GroupSlots *slots;     // [groups], for each cell of a group: the indices of its blocks in the matrix's values
  real *supplemental;    // [cells][ELEMENT_SUPPLEMENTAL], S(e), the constants of each cell
  // The order in which a cell's results are stored in its record. The results are numbered: first the entries of the
  // vector F_e, then the entries of the matrix A_e. Element k of the record is result number order[k]. So the record
  // has the blocks in the order in which the matrix stores them.
  int order[PITCH];
  bool contiguous;         // true if the matrix stores each block contiguously, column by column
  int64_t group_capacity;  // allocated length of `group` and `slots`
  NewCells new_cells;      // cells of the parts that a cut adds; set by the function `reserve`, used by `split_parts`
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  free(d->part_first);
  free(d->group_start);
  free(d->group);
  free(d->slots);
  free(d->supplemental);
  free(d->new_cells.cell);
  free(d->new_cells.start);
  free(d);
}

// Returns the part of a node. Parts are ranges of consecutive nodes. The original parts have part_nodes nodes each;
// parts that a cut has added may be smaller. So the part is number node / part_nodes or a later one; the function
// searches from there.
static int part_of(const Data *d, int node) {
  int part = node / d->part_nodes;
  while (d->part_first[part + 1] <= node) part++;
  return part;
}

// Finds the parts to which a cell's nodes belong; a part is a range of nodes. Writes the numbers of these parts to
// `part`, each once, and returns their count.
static int parts_of_cell(const Data *d, const int *cell, int part[ELEMENT_NODES]) {
  int count = 0;
  for (int a = 0; a < ELEMENT_NODES; a++) {
    int known = 0;
    while (known < count && part[known] != part_of(d, cell[a])) known++;
    if (known == count) part[count++] = part_of(d, cell[a]);
  }
  return count;
}

// The results of the element are the cell's vector, followed by its matrix. Sets order [PITCH]: for each number of a
// cell's record, the index of this number among the results. diagonal_first: true if the matrix stores all diagonal
// entries before its other values.
static void make_order(Data *d, bool diagonal_first) {
  int *next = d->order;
  for (int i = 0; i < ELEMENT_DOF; i++) *next++ = i;
  for (int a = 0; a < ELEMENT_NODES; a++)
    for (int b = 0; b < ELEMENT_NODES; b++) {
      const bool apart = diagonal_first && a == b;
      for (int k = 0; k < DOF - apart; k++)
        for (int i = 0; i < DOF; i++)
          *next++ = ELEMENT_DOF + symmetric_index(ELEMENT_DOF, DOF * a + i, DOF * b + k + (apart && k >= i));
      for (int i = 0; apart && i < DOF; i++)
        *next++ = ELEMENT_DOF + symmetric_index(ELEMENT_DOF, DOF * a + i, DOF * a + i);
    }
  while (next < d->order + PITCH) *next++ = 0;
}

// Returns the number of different cells in a group; the lanes after them repeat the last cell.
static inline int lanes_used(const Group group) {
  int count = LANES;
  while (count > 1 && group[count - 1] == group[count - 2]) count--;
  return count;
}

// Sets slots[b] for one node a and all nodes b of a cell: the index of block (a, b) in the matrix, counted from the
// first block of its row (GroupSlots). node: index of node a in the mesh. offset[b]: index of node b among the
// neighbours of node a.
static void put_row(const Data *d, const Operator *layout, int node, const uint16_t *offset, uint16_t *slots) {
  const BlockSlots *row = d->contiguous ? layout->slots + layout->space->graph.start[node] : NULL;
  for (int b = 0; b < ELEMENT_NODES; b++) slots[b] = row ? (uint16_t)(row[offset[b]].at - row[0].at) : offset[b];
}

// Stores cell e as cell number k of a part: in group k / LANES of the part, lane k % LANES. The later lanes of the
// group get the same cell, until later calls replace it, so that no lane is empty. Also stores where put_row adds the
// cell's blocks to the matrix. offset [a][b]: index of the cell's node b among the neighbours of its node a.
static void assign_cell(const Data *d, const Operator *layout, const uint16_t *offset, int e, int part, int64_t k) {
  const Space *space = layout->space;
  const int64_t g = d->group_start[part] + k / LANES;
  const int lane = (int)(k % LANES);
  for (int l = lane; l < LANES; l++) d->group[g][l] = e;
  for (int a = 0; a < ELEMENT_NODES; a++)
    put_row(d, layout, space_cell(space, e)[a], offset + a * ELEMENT_NODES, d->slots[g][lane] + a * ELEMENT_NODES);
}

// Enlarges the arrays `group` and `slots` if they have fewer than `needed` groups. The new length exceeds `needed`, so
// that the next cuts of the body find free memory.
static bool reserve_groups(Data *d, int64_t needed, Error *error) {
  const int64_t before = d->group_capacity, count = needed <= before ? before : space_split_more(needed);
  if (!array_grow(&d->group, before, count, sizeof *d->group, "cells", error) ||
      !array_grow(&d->slots, before, count, sizeof *d->slots, "cells", error))
    return false;
  d->group_capacity = count;
  return true;
}

// Arguments of fill_supplementals, a parallel loop over cells. It computes S(e), the constants of each cell.
typedef struct SupplementalTask {
  const Space *space;
  real *S;
} SupplementalTask;

static void fill_supplementals(const void *task, int first, int last) {
  const SupplementalTask *t = (const SupplementalTask *)task;
  for (int e = first; e < last; e++) {
    Lanes S[ELEMENT_SUPPLEMENTAL_CAPACITY];
    element_supplemental(t->space, e, S);
    for (int s = 0; s < ELEMENT_SUPPLEMENTAL; s++) t->S[(size_t)e * ELEMENT_SUPPLEMENTAL + s] = S[s].v[0];
  }
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  enum { CHUNK = 2048 };
  Data *d = (Data *)(assembly->data = array_new(1, sizeof *d, "assembly data", error));
  if (!d) return false;
  const int cells = space->cell_count;
  const int share = assembly_part_nodes(space->node_count);
  const Operator *layout = assembly->layout;
  d->part_nodes = share < PART_NODES_MAX ? share : PART_NODES_MAX;
  d->part_count = (space->node_count - 1) / d->part_nodes + 1;
  d->contiguous = layout->slots;
  for (int a = 0; d->contiguous && a < space->node_count; a++)
    d->contiguous = space->graph.start[a + 1] - space->graph.start[a] <= NEIGHBOURS_MAX / 2;
  for (int64_t pair = 0; d->contiguous && pair < space_pairs(space); pair++)
    d->contiguous = layout->slots[pair].row_step == 1 && layout->slots[pair].column_step == DOF;
  make_order(d, d->contiguous && layout->method->diagonal_first);
  assembly->min_J_count = d->part_count;
  assembly->min_J = device_alloc(DEVICE_CPU, sizeof(real) * (size_t)d->part_count, error);
  d->part_first = (int *)array_new(d->part_count + 1, sizeof *d->part_first, "parts", error);
  d->group_start = (int64_t *)array_new(d->part_count + 1, sizeof *d->group_start, "parts", error);
  int64_t *fill = (int64_t *)array_new(d->part_count, sizeof *fill, "parts", error);
  uint16_t *offset = assembly_offsets(space, error);
  bool ok = assembly->min_J && d->part_first && d->group_start && fill && offset;
  for (int p = 0; ok && p < d->part_count; p++) d->part_first[p] = p * d->part_nodes;
  if (ok) d->part_first[d->part_count] = space->node_count;

  // First count the cells of each part, to find where the part's list begins. Then list the cells.
  int part[ELEMENT_NODES];
  for (int e = 0; ok && e < cells && !interrupt_requested(); e++)
    for (int k = parts_of_cell(d, space_cell(space, e), part) - 1; k >= 0; k--) fill[part[k]]++;
  for (int p = 0; ok && p < d->part_count; p++) {
    d->group_start[p + 1] = d->group_start[p] + (fill[p] + LANES - 1) / LANES;
    fill[p] = 0;
  }
  if (ok) {
    const int64_t groups = d->group_start[d->part_count];
    d->group = (Group *)array_new(groups, sizeof *d->group, "cells", error);
    d->slots = (GroupSlots *)array_new(groups, sizeof *d->slots, "cells", error);
    ok = d->group && d->slots;
    d->group_capacity = groups;
  }

  for (int e = 0; ok && e < cells && !interrupt_requested(); e++)
    for (int k = parts_of_cell(d, space_cell(space, e), part) - 1; k >= 0; k--)
      assign_cell(d, layout, offset + (int64_t)e * PAIRS, e, part[k], fill[part[k]]++);
  free(fill);
  free(offset);
  if (!ok || !interrupt_check(error)) return false;
  d->supplemental = (real *)array_new(cells, sizeof *d->supplemental * ELEMENT_SUPPLEMENTAL_CAPACITY, "cells", error);
  const SupplementalTask task = { space, d->supplemental };
  if (d->supplemental) parallel_for(cells, CHUNK, fill_supplementals, &task);
  assembly->supplemental = d->supplemental;
  return d->supplemental && interrupt_check(error);
}

// ---- functions that update the assembly after the user cuts the body

// Returns the number of parts that a cut adds. They are ranges of the new nodes, with d->part_nodes nodes each.
static int new_parts(const Data *d, const SpaceSplit *split) {
  return (split->node_count - split->old_count + d->part_nodes - 1) / d->part_nodes;
}

// Finds the new parts to which nodes of a cell belong. A part is a range of nodes; new parts contain only nodes that
// the cut has made. node: the nodes of the cell. Writes the numbers of these parts to `part`, each once; the first new
// part has the number 0. Returns their count.
static int new_parts_of(const Data *d, const SpaceSplit *split, const int *node, int part[ELEMENT_NODES]) {
  int count = 0;
  for (int a = 0; a < ELEMENT_NODES; a++) {
    const int its = node[a] < split->old_count ? -1 : (node[a] - split->old_count) / d->part_nodes;
    int known = 0;
    while (known < count && part[known] != its) known++;
    if (its >= 0 && known == count) part[count++] = its;
  }
  return count;
}

// A cut adds parts, ranges of the nodes that it has made. For each new part, lists in ascending order the cells near
// the cut that have one of the part's nodes. Stores the lists in *made.
static bool find_new_cells(const Data *d, const SpaceSplit *split, NewCells *made, Error *error) {
  const int parts = new_parts(d, split);
  int part[ELEMENT_NODES];
  made->start = (int64_t *)array_new(parts + 1, sizeof *made->start, "parts", error);
  int64_t *fill = (int64_t *)array_new(parts + 1, sizeof *fill, "parts", error);
  bool ok = made->start && fill;
  for (int pass = 0; ok && pass < 2; pass++) {
    for (int k = 0; k < split->near_count; k++)
      for (int p = new_parts_of(d, split, split->cell_node + (int64_t)k * ELEMENT_NODES, part) - 1; p >= 0; p--)
        if (pass == 0)
          made->start[part[p] + 1]++;
        else
          made->cell[fill[part[p]]++] = split->cell[k];
    if (pass == 1) break;
    for (int p = 0; p < parts; p++) made->start[p + 1] += made->start[p];
    memcpy(fill, made->start, sizeof *fill * (size_t)(parts + 1));
    made->cell = (int *)array_new(made->start[parts], sizeof *made->cell, "cells", error);
    ok = made->cell;
  }
  free(fill);
  return ok;
}

// Implements AssemblyMethod.reserve: allocates memory for the new parts, ranges of the nodes that a cut makes. Stores
// in d->new_cells the cells of each new part.
static bool reserve(Assembly *assembly, const Space *space, const SpaceSplit *split, Error *error) {
  (void)space;
  Data *d = (Data *)assembly->data;
  for (int r = 0; d->contiguous && r < split->row_count; r++)
    if (split->start[r + 1] - split->start[r] > NEIGHBOURS_MAX)
      return error_set(
          error,
          "after the cut a node has %lld neighbours, but assembly \"cpu_simd\" supports at most %d; choose another "
          "--assembly",
          (long long)(split->start[r + 1] - split->start[r]), NEIGHBOURS_MAX);
  const int parts = d->part_count + new_parts(d, split);
  int64_t groups = d->group_start[d->part_count];
  NewCells made = {};
  free(d->new_cells.cell);
  free(d->new_cells.start);
  d->new_cells = made;
  bool ok = find_new_cells(d, split, &made, error);
  for (int p = d->part_count; ok && p < parts; p++)
    groups += (made.start[p - d->part_count + 1] - made.start[p - d->part_count] + LANES - 1) / LANES;
  ok = ok && reserve_groups(d, groups, error);
  ok = ok && array_grow(&d->part_first, d->part_count + 1, parts + 1, sizeof *d->part_first, "parts", error);
  ok = ok && array_grow(&d->group_start, d->part_count + 1, parts + 1, sizeof *d->group_start, "parts", error);
  ok = ok && device_grow(DEVICE_CPU, &assembly->min_J, sizeof(real) * (size_t)d->part_count,
                         sizeof(real) * (size_t)parts, error);
  for (int p = d->part_count; ok && p < parts; p++) {
    const int64_t cells = made.start[p - d->part_count + 1] - made.start[p - d->part_count];
    d->part_first[p + 1] = split->old_count + (p + 1 - d->part_count) * d->part_nodes;
    if (d->part_first[p + 1] > split->node_count) d->part_first[p + 1] = split->node_count;
    d->group_start[p + 1] = d->group_start[p] + (cells + LANES - 1) / LANES;
  }

  if (ok)
    d->new_cells = made;
  else {
    free(made.cell);
    free(made.start);
  }
  return ok;
}

// Arguments of two parallel loops after a cut: renew_groups over the existing groups of cells, fill_parts over the new
// parts.
typedef struct SplitTask {
  const Data *d;
  const Operator *layout;
  const Space *space;
  const SpaceSplit *split;
} SplitTask;

// Sets offset[b], for each node b of cell e, to the index of b among the sorted neighbours of the cell's node a. This
// index is the number of neighbours with smaller numbers than b. One loop counts them for all nodes b.
static void find_neighbours(const SplitTask *t, int e, int a, uint16_t offset[ELEMENT_NODES]) {
  const Adjacency *graph = &t->space->graph;
  const int *node = space_cell(t->space, e);
  int less[ELEMENT_NODES] = {};
  for (int64_t k = graph->start[node[a]]; k < graph->start[node[a] + 1]; k++)
    for (int b = 0; b < ELEMENT_NODES; b++) less[b] += graph->neighbour[k] < node[b];
  for (int b = 0; b < ELEMENT_NODES; b++) offset[b] = (uint16_t)less[b];
}

// Updates the indices of matrix blocks in the groups [first, last), for nodes whose matrix rows the cut has changed. A
// group is LANES cells that are evaluated together.
static void renew_groups(const void *task, int first, int last) {
  const SplitTask *t = (const SplitTask *)task;
  for (int g = first; g < last; g++) {
    const int *group = t->d->group[g];
    const int count = lanes_used(group);
    for (int l = 0; l < count; l++) {
      const int e = group[l];
      if (!t->split->near[e]) continue;
      const int *node = space_cell(t->space, e);
      for (int a = 0; a < ELEMENT_NODES; a++) {
        uint16_t offset[ELEMENT_NODES];
        if (!t->split->is_row[node[a]]) continue;
        find_neighbours(t, e, a, offset);
        put_row(t->d, t->layout, node[a], offset, t->d->slots[g][l] + a * ELEMENT_NODES);
      }
    }
  }
}

// Stores the cells of the new parts [first, last), in groups of LANES cells, with the indices of their matrix blocks.
static void fill_parts(const void *task, int first, int last) {
  const SplitTask *t = (const SplitTask *)task;
  const NewCells *cells = &t->d->new_cells;
  for (int p = first; p < last; p++)
    for (int64_t k = cells->start[p]; k < cells->start[p + 1]; k++) {
      uint16_t offset[PAIRS];
      for (int a = 0; a < ELEMENT_NODES; a++) find_neighbours(t, cells->cell[k], a, offset + a * ELEMENT_NODES);
      assign_cell(t->d, t->layout, offset, cells->cell[k], t->d->part_count + p, k - cells->start[p]);
    }
}

// Implements AssemblyMethod.split. Updates the indices of matrix blocks near the cut. The nodes that the cut has made
// form new parts, ranges of consecutive nodes. The function also stores the cells of these parts.
static void split_parts(Assembly *assembly, const Space *space, const SpaceSplit *split) {
  enum { CHUNK = 1024 };
  Data *d = (Data *)assembly->data;
  const SplitTask task = { d, assembly->layout, space, split };
  const int parts = new_parts(d, split);
  parallel_for((int)d->group_start[d->part_count], CHUNK, renew_groups, &task);
  parallel_for(parts, 1, fill_parts, &task);
  d->part_count += parts;
  assembly->min_J_count = d->part_count;
  free(d->new_cells.cell);
  free(d->new_cells.start);
  d->new_cells = {};
}

// Arguments of assemble_parts, the parallel loop over parts. nodal: input, for example the displacement of each node.
// F: output, the force vector. values: output, the values of the matrix; NULL: not computed.
typedef struct Task {
  const Assembly *assembly;
  ElementParameters parameters;
  const real *nodal;
  real *F, *values;
  // Becomes true when the user interrupts the run. The parts that have not begun are then skipped.
  std::atomic<bool> *left;
} Task;

// Returns true if the user has interrupted the run.
static bool leave(const Task *t) {
  if (!t->left->load(std::memory_order_relaxed) && interrupt_requested())
    t->left->store(true, std::memory_order_relaxed);
  return t->left->load(std::memory_order_relaxed);
}

// Sets F and the matrix values to 0 in the rows of the nodes `first` to `last` - 1.
static inline void clear_rows(const Data *d, const Operator *layout, int first, int last, real *F, real *values) {
  const Adjacency *graph = &layout->space->graph;
  for (int row = DOF * first; row < DOF * last; row++) F[row] = 0;
  for (int a = first; values && a < last; a++)
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
      if (d->contiguous && graph->neighbour[pair] != a)
        memset(values + layout->slots[pair].at, 0, BLOCK * sizeof(real));
      else if (!operator_mirrors(layout, pair))
        for (int i = 0; i < DOF; i++)
          for (int k = 0; k < DOF; k++) values[operator_slot(layout, a, pair, i, k)] = 0;
}

// Adds `from` [count] to `to` [count], with SIMD vectors of LANES or 4 numbers, and one by one for the remaining
// numbers.
template <int count>
static inline void add(real *to, const real *from) {
  if constexpr (count >= LANES || count >= 4) {
    constexpr int width = count >= LANES ? (int)LANES : 4;
    typedef real Vector __attribute__((vector_size(width * sizeof(real))));
    Vector sum, more;
    memcpy(&sum, to, sizeof sum);
    memcpy(&more, from, sizeof more);
    sum += more;
    memcpy(to, &sum, sizeof sum);
    add<count - width>(to + width, from + width);
  } else {
    for (int k = 0; k < count; k++) to[k] += from[k];
  }
}

// Adds the blocks (a, 0), (a, 1), ... of one cell to the matrix row of its node a. node: index of this node in the
// mesh. blocks [ELEMENT_NODES][BLOCK]: the blocks (a, b) in the cell's record. slots[b]: index of block (a, b) in the
// matrix, counted from the first block of the row (GroupSlots).
template <bool contiguous, bool diagonal_first>
static inline void add_row(const Operator *layout, const uint16_t *slots, int a, int node, const real *blocks,
                           real *values) {
  const int64_t row = layout->space->graph.start[node];
  const int first = contiguous ? layout->slots[row].at : 0;
  for (int b = 0; b < ELEMENT_NODES; b++, blocks += BLOCK) {
    const int64_t pair = row + slots[b];
    if (!contiguous) {
      if (operator_mirrors(layout, pair)) continue;
      for (int k = 0; k < DOF; k++)
        for (int i = 0; i < DOF; i++) values[operator_slot(layout, node, pair, i, k)] += blocks[k * DOF + i];
    } else if (diagonal_first && a == b) {
      add<BLOCK - DOF>(values + first + slots[b], blocks);
      add<DOF>(values + DOF * node, blocks + BLOCK - DOF);
    } else {
      add<BLOCK>(values + first + slots[b], blocks);
    }
  }
}

// Loads the constants of the LANES cells of a group: lane l of `to`[s] gets constant s of cell l. S is
// [cells][ELEMENT_SUPPLEMENTAL].
static inline void gather_supplementals(const real *S, const Group group, Lanes *to) {
  enum { WHOLE = ELEMENT_SUPPLEMENTAL / LANES * LANES };
  for (int first = 0; first < WHOLE; first += LANES) {
    LaneVector rows[LANES];
#pragma GCC unroll 8
    for (int l = 0; l < LANES; l++)
      memcpy(&rows[l], S + (size_t)group[l] * ELEMENT_SUPPLEMENTAL + first, sizeof rows[l]);
    transpose(rows);
#pragma GCC unroll 8
    for (int s = 0; s < LANES; s++) to[first + s].v = rows[s];
  }
  for (int s = WHOLE; s < ELEMENT_SUPPLEMENTAL; s++) {
    real numbers[LANES];
    for (int l = 0; l < LANES; l++) numbers[l] = S[(size_t)group[l] * ELEMENT_SUPPLEMENTAL + s];
    memcpy(&to[s].v, numbers, sizeof to[s].v);
  }
}

// Transposes the computed values (vector and matrix) of a group of LANES cells. Before: lane l of result[k] is value k
// of cell l. After: record[l][j] is value d->order[j] of cell l. The first `groups` * LANES elements of each record are
// written.
static inline void turn_over(const Data *d, const Lanes *result, int groups, real record[LANES][PITCH]) {
  for (int k = 0; k < groups; k++) {
    LaneVector rows[LANES];
#pragma GCC unroll 8
    for (int l = 0; l < LANES; l++) rows[l] = result[d->order[LANES * k + l]].v;
    transpose(rows);
#pragma GCC unroll 8
    for (int l = 0; l < LANES; l++) memcpy(record[l] + LANES * k, &rows[l], sizeof rows[l]);
  }
}

// Adds the records of a group of `count` cells to the vector F and the matrix, in the rows of the nodes [first, last).
// A record has the forces and blocks of one cell. nodes[l]: the nodes of cell l.
template <bool contiguous, bool diagonal_first>
static inline void add_records(const Task *t, int first, int last, int count, const int nodes[LANES][ELEMENT_NODES],
                               const GroupSlots slots, const real record[LANES][PITCH]) {
  for (int l = 0; l < count; l++)
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int node = nodes[l][a];
      if (node < first || node >= last) continue;
      add<DOF>(t->F + DOF * node, record[l] + DOF * a);
      if (t->values)
        add_row<contiguous, diagonal_first>(t->assembly->layout, slots[l] + a * ELEMENT_NODES, a, node,
                                            record[l] + ELEMENT_DOF + a * ELEMENT_NODES * BLOCK, t->values);
    }
}

// Computes the rows of the force vector F and of the matrix that belong to a part, a range of nodes. Returns the
// smallest J = det F of the part's cells, with F the deformation gradient, or -inf if J of a cell is NaN.
WIDE static real assemble_part(const Task *t, int part) {
  const Data *d = (const Data *)t->assembly->data;
  const Operator *layout = t->assembly->layout;
  const int first = d->part_first[part], last = d->part_first[part + 1];
  const int *cells = layout->space->cell;
  real min_J = INFINITY;
  clear_rows(d, layout, first, last, t->F, t->values);
  for (int64_t g = d->group_start[part]; g < d->group_start[part + 1]; g++) {
    const int *group = d->group[g], count = lanes_used(group);
    int node[LANES][ELEMENT_NODES];
    real data[ELEMENT_NODES * ELEMENT_NODE_DATA][LANES];
    Lanes nodal[ELEMENT_NODES * ELEMENT_NODE_DATA], S[ELEMENT_SUPPLEMENTAL_CAPACITY],
        result[ELEMENT_DOF + ELEMENT_MATRIX];
    alignas(32) real record[LANES][PITCH];
    for (int l = 0; l < LANES; l++) memcpy(node[l], cells + (size_t)group[l] * ELEMENT_NODES, sizeof node[l]);
    for (int a = 0; a < ELEMENT_NODES; a++)
      for (int l = 0; l < LANES; l++)
        for (int i = 0; i < ELEMENT_NODE_DATA; i++)
          data[ELEMENT_NODE_DATA * a + i][l] = t->nodal[ELEMENT_NODE_DATA * node[l][a] + i];
    for (int k = 0; k < ELEMENT_NODES * ELEMENT_NODE_DATA; k++) memcpy(&nodal[k].v, data[k], sizeof nodal[k].v);
    gather_supplementals(d->supplemental, group, S);
    const Lanes J = element_evaluate(nodal, S, &t->parameters, result, t->values ? result + ELEMENT_DOF : NULL);
    for (int l = 0; l < LANES; l++)
      if (!(J.v[l] >= min_J)) min_J = J.v[l] == J.v[l] ? J.v[l] : -(real)INFINITY;
    turn_over(d, result, t->values ? GROUPS : VECTOR_GROUPS, record);
    if (!d->contiguous)
      add_records<false, false>(t, first, last, count, node, d->slots[g], record);
    else if (layout->method->diagonal_first)
      add_records<true, true>(t, first, last, count, node, d->slots[g], record);
    else
      add_records<true, false>(t, first, last, count, node, d->slots[g], record);
  }
  return min_J;
}

static void assemble_parts(const void *task, int first, int last) {
  const Task *t = (const Task *)task;
  real *min_J = (real *)t->assembly->min_J;
  for (int part = first; part < last && !leave(t); part++) min_J[part] = assemble_part(t, part);
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)stream;
  std::atomic<bool> left(false);
  const Data *d = (const Data *)assembly->data;
  const Task task = { assembly,
                      element_parameters(p->material, p->vector_scale, p->matrix_scale),
                      (const real *)nodal,
                      (real *)F,
                      (real *)values,
                      &left };
  parallel_for(d->part_count, 1, assemble_parts, &task);
  return !left || interrupt_check(error);
}

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes. A cell is evaluated 1.3 times on average, because a cell with nodes in several parts is
// evaluated for each of them. The array of the cells' constants is not counted here, because it is shared with other
// stages, whose estimates count it.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double cells = 1.3 * size->cells, slot_bytes = cells * sizeof(GroupSlots) / LANES;
  const double group = cells * (double)sizeof(Group) / LANES;
  StageBytes bytes = stage_takes(stage, group + slot_bytes);
  const double F = size->nodes * DOF * sizeof(real), A = stage_entries(size) * sizeof(real);
  const double once = size->cells * (size->supplemental * sizeof(real) + 4.0 * ELEMENT_NODES);
  const double read = group + once + size->nodes * ELEMENT_NODE_DATA * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read + F, F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read + slot_bytes + F + A, F + A);
  return bytes;
}

extern "C" const AssemblyMethod ELEMENT_ROW(cpu_simd);
const AssemblyMethod ELEMENT_ROW(cpu_simd) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "cpu_simd",
             .summary = "computes parts of the mesh in parallel, and several tets in each vector instruction",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .preferred = true,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
  .reserve = reserve,
  .split = split_parts,
};
