// Builds the lists along which single entries of the matrix and the vector are summed (entry_lists.h). The lists of
// node_pairs.h already name the cells of each block, the submatrix of two nodes. The list of a block becomes one list
// for each entry of the block.
#include "sim/assembly/entry_lists.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "sim/assembly/node_pairs.h"
#include "sim/element/symmetric.h"

enum { NODE_CHUNK = 256 };

// Arguments of the parallel loops of this file. If lists->source is NULL, the loops count the sources of each target;
// otherwise they write the sources. stride: distance between the matrices of two cells.
typedef struct Task {
  const Space *space;
  const Operator *layout;
  const NodePairs *pairs;
  const NodeCells *cells;
  EntryLists *lists;
  int stride;
} Task;

// Counts or writes the sources of entry (i, k) of a block. slot: index of this entry in the array of matrix values.
// `block` [count] are the sources of the block: numbers of node_source if the block is `diagonal`, else of pair_source.
static void visit_entry(const Task *t, int slot, const int *block, int64_t count, bool diagonal, int i, int k) {
  const int nodes = t->space->cell_nodes, dof = t->space->node_dof;
  if (!t->lists->source) {
    t->lists->start[slot + 1] = count;
    return;
  }
  int *source = t->lists->source + t->lists->start[slot];
  for (int64_t s = 0; s < count; s++) {
    const int b = block[s] % nodes, a = diagonal ? b : block[s] / nodes % nodes;
    const int cell = block[s] / nodes / (diagonal ? 1 : nodes);
    source[s] = cell * t->stride + symmetric_index(nodes * dof, dof * a + i, dof * b + k);
  }
}

// Visits the entries of the diagonal blocks of the nodes [first, last), and of the blocks of their pairs with nodes of
// higher numbers. The two blocks of a pair, (low, high) and (high, low), have the same sources, because element
// matrices are symmetric.
static void visit_blocks(const void *task, int first, int last) {
  const Task *t = task;
  const NodePairs *p = t->pairs;
  const int dof = t->space->node_dof;
  const bool diagonal_first = t->layout->method->diagonal_first;
  for (int a = first; a < last && !interrupt_requested(); a++) {
    const int64_t start = p->node_start[a], count = p->node_start[a + 1] - start;
    for (int v = 0; v < dof * dof; v++)
      visit_entry(t, diagonal_block_slot(p->diagonal_slots[a], diagonal_first, dof, a, v / dof, v % dof),
                  p->node_source + start, count, true, v / dof, v % dof);
    for (int pair = p->start[a]; pair < p->start[a + 1]; pair++) {
      const int64_t from = p->tet_start[pair], terms = p->tet_start[pair + 1] - from;
      const BlockSlots direct = p->slots[pair][0], transposed = p->slots[pair][1];
      for (int v = 0; v < dof * dof; v++) {
        const int i = v / dof, k = v % dof;
        if (direct.at >= 0) visit_entry(t, block_slot(direct, i, k), p->source + from, terms, false, i, k);
        if (transposed.at >= 0) visit_entry(t, block_slot(transposed, k, i), p->source + from, terms, false, i, k);
      }
    }
  }
}

// Arguments of mirror_blocks. mirror [value_count]: for each entry (i, k) of the matrix, the slot of entry (k, i).
typedef struct Mirroring {
  const Task *task;
  int *mirror;
} Mirroring;

// Sets the mirrors of the entries of the diagonal blocks of the nodes [first, last), and of the blocks of their pairs
// with nodes of higher numbers.
static void mirror_blocks(const void *mirroring, int first, int last) {
  const Mirroring *m = mirroring;
  const NodePairs *p = m->task->pairs;
  const int dof = m->task->space->node_dof;
  const bool diagonal_first = m->task->layout->method->diagonal_first;
  for (int a = first; a < last; a++) {
    for (int v = 0; v < dof * dof; v++)
      m->mirror[diagonal_block_slot(p->diagonal_slots[a], diagonal_first, dof, a, v / dof, v % dof)] =
          diagonal_block_slot(p->diagonal_slots[a], diagonal_first, dof, a, v % dof, v / dof);
    for (int pair = p->start[a]; pair < p->start[a + 1]; pair++) {
      const BlockSlots direct = p->slots[pair][0], transposed = p->slots[pair][1];
      if (direct.at < 0 || transposed.at < 0) continue;  // the operator stores only one of both blocks
      for (int v = 0; v < dof * dof; v++) {
        const int slot = block_slot(direct, v / dof, v % dof), other = block_slot(transposed, v % dof, v / dof);
        m->mirror[slot] = other;
        m->mirror[other] = slot;
      }
    }
  }
}

// Keeps only the lists of slots that are not larger than their mirrors, and sets `slots` to both slots of each.
static void keep_smaller(EntryLists *lists, const int *mirror, int (*slots)[2]) {
  int kept = 0;
  int64_t used = 0;
  for (int slot = 0; slot < lists->count; slot++) {
    const int64_t first = lists->start[slot], end = lists->start[slot + 1];
    if (first == end || mirror[slot] < slot) continue;
    slots[kept][0] = slot;
    slots[kept][1] = mirror[slot];
    for (int64_t s = first; s < end; s++) lists->source[used++] = lists->source[s];
    // This overwrites a number that was read, or the next number with an equal one.
    lists->start[++kept] = used;
  }
  lists->count = kept;
}

// Counts or writes the sources of the entries of the vector at the nodes [first, last).
static void visit_nodes(const void *task, int first, int last) {
  const Task *t = task;
  const int nodes = t->space->cell_nodes, dof = t->space->node_dof;
  for (int a = first; a < last && !interrupt_requested(); a++) {
    const int64_t start = t->cells->start[a], count = t->cells->start[a + 1] - start;
    for (int i = 0; i < dof; i++) {
      if (!t->lists->source) {
        t->lists->start[dof * a + i + 1] = count;
        continue;
      }
      int *source = t->lists->source + t->lists->start[dof * a + i];
      for (int64_t s = 0; s < count; s++) {
        const int cell = t->cells->cell[start + s];
        int local = 0;
        while (space_cell(t->space, cell)[local] != a) local++;
        source[s] = node_source(nodes, cell, local) * dof + i;
      }
    }
  }
}

// Fills the lists of `count` targets: runs the parallel loop over nodes once to count the sources, and once to write
// them.
static bool fill(Task *task, int count, void (*visit)(const void *task, int first, int last), Error *error) {
  EntryLists *lists = task->lists;
  lists->count = count;
  lists->start = array_new((int64_t)count + 1, sizeof *lists->start, "matrix entries", error);
  if (!lists->start) return false;
  parallel_for(task->space->node_count, NODE_CHUNK, visit, task);
  if (!interrupt_check(error)) return false;
  for (int t = 0; t < count; t++) lists->start[t + 1] += lists->start[t];
  lists->source = array_capacity(lists->start[count], sizeof *lists->source, "matrix entries", error);
  if (!lists->source) return false;
  parallel_for(task->space->node_count, NODE_CHUNK, visit, task);
  return interrupt_check(error);
}

// Checks that indices of `stride` numbers for each cell fit in 32 bits.
static bool check_size(const Space *space, int stride, Error *error) {
  if (space->cell_count <= INT32_MAX / stride) return true;
  return error_set(error,
                   "the mesh is too large for this assembly method: it has %d cells, the limit is %d; choose another "
                   "method (--assembly)",
                   space->cell_count, INT32_MAX / stride);
}

bool matrix_entry_lists_create(EntryLists *lists, const Space *space, const Operator *layout, int stride,
                               Error *error) {
  NodePairs pairs = { 0 };
  *lists = (EntryLists){ 0 };
  Task task = { .space = space, .layout = layout, .pairs = &pairs, .lists = lists, .stride = stride };
  if (!check_size(space, stride, error) || !node_pairs_create(&pairs, space, layout, error)) return false;
  const bool ok = fill(&task, (int)layout->value_count, visit_blocks, error);
  node_pairs_destroy(&pairs);
  if (!ok) entry_lists_destroy(lists);
  return ok;
}

bool symmetric_entry_lists_create(EntryLists *lists, int (**slots)[2], const Space *space, const Operator *layout,
                                  int stride, Error *error) {
  NodePairs pairs = { 0 };
  *lists = (EntryLists){ 0 };
  *slots = NULL;
  const int64_t count = layout->value_count;
  Task task = { .space = space, .layout = layout, .pairs = &pairs, .lists = lists, .stride = stride };
  if (!check_size(space, stride, error) || !node_pairs_create(&pairs, space, layout, error)) return false;
  int *mirror = array_new(count, sizeof *mirror, "matrix entries", error);
  *slots = array_new(count, sizeof **slots, "matrix entries", error);
  const bool ok = mirror && *slots && fill(&task, (int)count, visit_blocks, error);
  for (int64_t s = 0; ok && s < count; s++) mirror[s] = (int)s;
  if (ok) parallel_for(space->node_count, NODE_CHUNK, mirror_blocks, &(Mirroring){ &task, mirror });
  if (ok) keep_smaller(lists, mirror, *slots);
  node_pairs_destroy(&pairs);
  free(mirror);
  if (ok) return true;
  free(*slots);
  *slots = NULL;
  entry_lists_destroy(lists);
  return false;
}

bool vector_entry_lists_create(EntryLists *lists, const Space *space, Error *error) {
  NodeCells cells = { 0 };
  *lists = (EntryLists){ 0 };
  Task task = { .space = space, .cells = &cells, .lists = lists };
  if (!check_size(space, space->cell_nodes * space->node_dof, error) || !node_cells_create(&cells, space, error))
    return false;
  const bool ok = fill(&task, space->node_count * space->node_dof, visit_nodes, error);
  node_cells_destroy(&cells);
  if (!ok) entry_lists_destroy(lists);
  return ok;
}

void entry_lists_destroy(EntryLists *lists) {
  free(lists->start);
  free(lists->source);
  *lists = (EntryLists){ 0 };
}
