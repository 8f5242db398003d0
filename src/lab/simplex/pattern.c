// Builds the pattern of a matrix over a tet mesh, the list of columns of each row, on the CPU: see pattern.h. This file
// also defines the public functions of pattern.h, which call the functions for the CPU or those for the GPU.
#include "lab/simplex/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "lab/simplex/simplex_row.h"

enum { BIN = 32, ROOM = 512, CHUNK = 256 };

const char *const simplex_formats[] = { "binbcsr", "binbcsr_sorted", "bcsr", NULL };

// Arguments of a parallel loop over rows of blocks. m: the pattern; t: edges and faces of the mesh. `map` and `fills`
// are used only to list the sources of each block. A source of a block is a block of an element matrix that is added to
// it. `fills` is false while sources are counted, and true while they are stored.
typedef struct RowsTask {
  SimplexPattern *m;
  const SimplexTopology *t;
  EntryMap *map;
  bool fills;
} RowsTask;

static void count_rows(const void *task, int first, int last) {
  const RowsTask *k = task;
  for (int a = first; a < last; a++) k->m->layout.length[a] = simplex_row_length(k->t->degree, k->t, a);
}

static bool count_on_cpu(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  (void)error;
  parallel_for(m->rows, CHUNK, count_rows, &(RowsTask){ m, t, NULL, false });
  return true;
}

static bool offsets_on_cpu(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  (void)t;
  const int bins = (m->rows + m->bin - 1) / m->bin;
  m->layout.start = array_new((int64_t)bins + 1, sizeof *m->layout.start, "matrix rows", error);
  if (m->sorted) m->layout.node = array_new((int64_t)bins * BIN, sizeof *m->layout.node, "matrix rows", error);
  if (!m->layout.start || (m->sorted && !m->layout.node)) return false;
  if (m->sorted && !block_layout_order(m->layout.length, m->rows, bins * BIN, m->layout.node, error)) return false;
  // The number of groups fits an int: a group contains a block of the longest row of its bin, so there are at most as
  // many groups as blocks, and simplex_pattern_offsets has tested the number of blocks.
  m->group_count =
      (int)block_layout_bins(m->layout.length, m->layout.node, m->rows, m->bin, m->diagonal_apart, m->layout.start);
  return true;
}

// Lists the columns of the rows `first` to `last` - 1 in k->m->layout.column. Callers pass the degree as a constant, so
// that the compiler makes a faster loop for each degree.
static inline void find_row_columns(const RowsTask *k, int degree, int first, int last) {
  int near[ROOM];
  for (int r = first; r < last && !interrupt_requested(); r++)
    row_columns(degree, k->t, NULL, node_of_row(k->m, r), !k->m->diagonal_apart, near, 1, ROOM,
                k->m->layout.column + row_first_slot(k->m, r), k->m->bin);
}

static void find_columns(const void *task, int first, int last) {
  const RowsTask *k = task;
  k->t->degree == 1   ? find_row_columns(k, 1, first, last)
  : k->t->degree == 2 ? find_row_columns(k, 2, first, last)
                      : find_row_columns(k, 3, first, last);
}

static bool columns_on_cpu(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  memset(m->layout.column, 0, sizeof(int) * (size_t)simplex_slots(m));
  parallel_for(m->rows, CHUNK, find_columns, &(RowsTask){ m, t, NULL, false });
  return interrupt_check(error);
}

static inline void map_rows_of(const RowsTask *k, int degree, int first, int last) {
  for (int r = first; r < last && !interrupt_requested(); r++) {
    const int64_t slot = row_first_slot(k->m, r);
    row_sources(degree, k->t, k->m, node_of_row(k->m, r), k->m->layout.column + slot, k->m->bin, slot, k->map->end,
                k->fills ? k->map->source : NULL);
  }
}

static void map_rows(const void *task, int first, int last) {
  const RowsTask *k = task;
  k->t->degree == 1   ? map_rows_of(k, 1, first, last)
  : k->t->degree == 2 ? map_rows_of(k, 2, first, last)
                      : map_rows_of(k, 3, first, last);
}

static bool map_on_cpu(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error) {
  const int64_t slots = simplex_slots(m);
  RowsTask task = { (SimplexPattern *)m, t, map, false };
  memset(map->end, 0, sizeof *map->end * (size_t)slots);
  parallel_for(m->rows, CHUNK, map_rows, &task);
  int sum = 0;
  for (int64_t s = 0; s < slots; s++) {
    const int count = map->end[s];
    map->end[s] = sum;
    sum += count;
  }
  task.fills = true;
  parallel_for(m->rows, CHUNK, map_rows, &task);
  return interrupt_check(error);
}

static const PatternOperations on_cpu = {
  .count = count_on_cpu,
  .offsets = offsets_on_cpu,
  .columns = columns_on_cpu,
  .map = map_on_cpu,
};

static const PatternOperations *operations(const SimplexTopology *t) {
#ifdef PLIANT_CUDA
  if (t->memory.stream.device == DEVICE_CUDA) return &simplex_pattern_cuda;
#endif
  (void)t;
  return &on_cpu;
}

static int *new_ints(const SimplexTopology *t, int64_t count, Error *error) {
  return device_alloc_raw(t->memory.stream, sizeof(int) * (size_t)count, t->memory.pooled, error);
}

bool simplex_pattern_count(SimplexPattern *m, const SimplexTopology *t, const char *format, Error *error) {
  const bool plain = strcmp(format, "bcsr") == 0;
  *m = (SimplexPattern){ .bin = plain ? 1 : BIN,
                         .diagonal_apart = !plain,
                         .sorted = strcmp(format, "binbcsr_sorted") == 0,
                         .rows = simplex_node_count(t) };
  m->layout.length = new_ints(t, m->rows, error);
  return m->layout.length && operations(t)->count(m, t, error);
}

bool simplex_pattern_offsets(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  const int64_t blocks = simplex_block_count(t);
  if (blocks > INT32_MAX / 2)
    return error_set(error, "the mesh is too large: the matrix has %lld blocks, the limit is %d; use a coarser mesh",
                     (long long)blocks, INT32_MAX / 2);
  return operations(t)->offsets(m, t, error);
}

bool simplex_pattern_reserve(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  return (m->layout.column = new_ints(t, simplex_slots(m), error));
}

bool simplex_pattern_columns(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  return operations(t)->columns(m, t, error);
}

void simplex_pattern_destroy(SimplexPattern *m, Device device) {
  device_free(device, m->layout.start);
  device_free(device, m->layout.length);
  device_free(device, m->layout.column);
  device_free(device, m->layout.node);
  *m = (SimplexPattern){ 0 };
}

int64_t simplex_source_count(const SimplexPattern *m, const SimplexTopology *t) {
  const int64_t nodes = simplex_cell_nodes(t->degree);
  return t->tet_count * nodes * (m->diagonal_apart ? nodes - 1 : nodes);
}

bool simplex_entry_map(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error) {
  const int64_t nodes = simplex_cell_nodes(t->degree);
  *map = (EntryMap){ 0 };
  if (t->tet_count * nodes * nodes > INT32_MAX || simplex_slots(m) > INT32_MAX)
    return error_set(
        error,
        "the mesh is too large: %d tets of %d nodes have too many pairs of nodes for 32-bit counts; use a coarser mesh",
        t->tet_count, (int)nodes);
  map->end = new_ints(t, simplex_slots(m), error);
  map->source = new_ints(t, simplex_source_count(m, t), error);
  return map->end && map->source && operations(t)->map(map, m, t, error);
}

void simplex_entry_map_destroy(EntryMap *map, Device device) {
  device_free(device, map->end);
  device_free(device, map->source);
  *map = (EntryMap){ 0 };
}
