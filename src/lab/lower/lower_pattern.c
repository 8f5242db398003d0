// Builds the pattern of a lower triangle, the list of columns of each row, by three methods: see lower_pattern.h.
#include "lab/lower/lower_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { ROW_CHUNK = 4096, CELL_CHUNK = 8192 };

void lower_pattern_destroy(LowerPattern *pattern) {
  free(pattern->start);
  free(pattern->col);
  *pattern = (LowerPattern){ 0 };
}

void lower_corners_destroy(LowerCorners *corners) {
  free(corners->start);
  free(corners->corner);
  *corners = (LowerCorners){ 0 };
}

// Allocates an array of `count` items of `size` bytes, and asks the system for large memory pages. Filling a large
// array would otherwise spend most of its time on page faults.
static void *large_array(int64_t count, size_t size, const char *what, Error *error) {
  void *items = array_new(count, size, what, error);
  memory_large_pages(items, size * (size_t)count);
  return items;
}

// ---- corners of cells at each node. Corner a of cell e has the number e * cell_nodes + a. In parallel loops over
// cells, the corners at each node are counted, then stored in any order. Finally the list of each node is sorted

// Arguments of the loops that list the corners of cells at each node.
typedef struct CornersTask {
  const Space *space;
  LowerCorners *corners;
  int *put;  // [node_count], number of corners stored so far for each node
} CornersTask;

static void count_corners(const void *task, int first, int last) {
  const CornersTask *t = task;
  const int nodes = t->space->cell_nodes;
  for (int e = first; e < last; e++)
    for (int a = 0; a < nodes; a++)
      __atomic_fetch_add(&t->corners->start[space_cell(t->space, e)[a] + 1], 1, __ATOMIC_RELAXED);
}

static void put_corners(const void *task, int first, int last) {
  const CornersTask *t = task;
  const int nodes = t->space->cell_nodes;
  for (int e = first; e < last; e++)
    for (int a = 0; a < nodes; a++) {
      const int node = space_cell(t->space, e)[a];
      const int at = __atomic_fetch_add(&t->put[node], 1, __ATOMIC_RELAXED);
      t->corners->corner[t->corners->start[node] + at] = e * nodes + a;
    }
}

static void sort_corners(const void *task, int first, int last) {
  const CornersTask *t = task;
  for (int node = first; node < last; node++) {
    int *corner = t->corners->corner + t->corners->start[node];
    const int count = (int)(t->corners->start[node + 1] - t->corners->start[node]);
    for (int k = 1; k < count; k++) {
      const int mine = corner[k];
      int at = k;
      for (; at > 0 && corner[at - 1] > mine; at--) corner[at] = corner[at - 1];
      corner[at] = mine;
    }
  }
}

bool lower_corners_create(LowerCorners *corners, const Space *space, Error *error) {
  const int64_t count = (int64_t)space->cell_nodes * space->cell_count;
  CornersTask task = { .space = space, .corners = corners };
  *corners = (LowerCorners){ 0 };
  if (count > INT32_MAX)
    return error_set(error,
                     "the mesh is too large: its cells have %lld corners in total, the limit is %d; use a coarser mesh",
                     (long long)count, INT32_MAX);
  corners->start = large_array((int64_t)space->node_count + 1, sizeof *corners->start, "nodes", error);
  corners->corner = large_array(count, sizeof *corners->corner, "cells", error);
  task.put = large_array(space->node_count, sizeof *task.put, "nodes", error);
  bool ok = corners->start && corners->corner && task.put;
  if (ok) {
    parallel_for(space->cell_count, CELL_CHUNK, count_corners, &task);
    for (int a = 0; a < space->node_count; a++) corners->start[a + 1] += corners->start[a];
    parallel_for(space->cell_count, CELL_CHUNK, put_corners, &task);
    parallel_for(space->node_count, ROW_CHUNK, sort_corners, &task);
    ok = interrupt_check(error);
  }
  free(task.put);
  if (!ok) lower_corners_destroy(corners);
  return ok;
}

// Allocates p->col, the columns of all rows. On entry p->start[row + 1] is the number of columns of `row`. On return
// p->start[row] is the index in p->col of the row's first column. The caller then fills p->col.
static bool begin_rows(LowerPattern *p, Error *error) {
  for (int row = 0; row < p->rows; row++) p->start[row + 1] += p->start[row];
  p->col = large_array(p->start[p->rows], sizeof *p->col, "matrix columns", error);
  return p->col && interrupt_check(error);
}

// ---- method `connectivity`: the columns of a row are the nodes of all cells at the row's node

// The pattern is built in pieces of ROW_CHUNK successive rows. A core builds a piece in its own buffer, because the
// length of a row is known only when the row is complete. A wave is WAVE pieces, which are built in parallel and then
// copied to the pattern in order. The next wave uses the same buffers.
enum { WAVE = 256 };

// Buffer of one piece: the columns of its rows, one row after the other. `count` entries are used, `capacity` are
// allocated.
typedef struct Piece {
  int *col;
  int64_t count, capacity;
} Piece;

// Arguments of the parallel loops that build one wave: WAVE pieces of the pattern, of ROW_CHUNK rows each.
typedef struct ConnectTask {
  LowerPattern *pattern;
  const Space *space;
  const LowerCorners *corners;
  int first_row;  // number of the first row of the wave
  Piece *piece;   // [WAVE], the buffer of each piece of the wave
} ConnectTask;

enum { ROW_CAPACITY = 512, GUESSED = 16 };

// The columns of one row found so far, ascending. full: the row has more than ROW_CAPACITY columns, which is an error.
// guess[k][a]: index in `col` at which node a of the k-th cell was found in the previous row. The search in this row
// tests this index first.
typedef struct RowList {
  int count;
  bool full;
  int col[ROW_CAPACITY];
  int guess[GUESSED][CELL_NODES_MAX];  // from number GUESSED - 1 on, all cells of a row share the last guesses
} RowList;

// Inserts the column `col` into an ascending list, unless the list contains it. On entry *guess is the index at which
// the corresponding column was found in the previous row. This index is tested before the search, because in structured
// meshes the indices of two successive rows are mostly equal. On return *guess is the index of `col`.
static void add_column(RowList *list, int col, int *guess) {
  const int count = list->count;
  int at = *guess < count ? *guess : count;
  if (at < count && list->col[at] == col) return;
  if ((at > 0 && list->col[at - 1] >= col) || (at < count && list->col[at] < col)) {
    for (at = count; at > 0 && list->col[at - 1] >= col;) at--;
    *guess = at;
    if (at < count && list->col[at] == col) return;
  }
  if (count == ROW_CAPACITY) {
    list->full = true;
    return;
  }
  for (int k = count; k > at; k--) list->col[k] = list->col[k - 1];
  *guess = at;
  list->col[at] = col;
  list->count++;
}

static void list_row(const ConnectTask *t, int row, RowList *list) {
  const int nodes = t->space->cell_nodes;
  list->count = 0;
  int *guess = list->guess[0];
  for (int64_t k = t->corners->start[row]; k < t->corners->start[row + 1]; k++) {
    const int *node = space_cell(t->space, t->corners->corner[k] / nodes);
    for (int b = 0; b < nodes; b++)
      if (node[b] <= row) add_column(list, node[b], &guess[b]);
    if (guess != list->guess[GUESSED - 1]) guess += CELL_NODES_MAX;
  }
}

enum { NO_MEMORY = -1, TOO_MANY = -2 };  // error codes, stored in place of the length of a row

static void list_rows(const void *task, int first, int last) {
  const ConnectTask *t = task;
  Piece *piece = &t->piece[first / ROW_CHUNK];
  RowList list = { 0 };
  Error ignored = { 0 };
  piece->count = 0;
  for (int row = t->first_row + first; row < t->first_row + last && !interrupt_requested(); row++) {
    list_row(t, row, &list);
    const bool capacity = array_reserve((void **)&piece->col, &piece->capacity, piece->count + list.count,
                                        sizeof *piece->col, "columns", &ignored);
    t->pattern->start[row + 1] = list.full ? TOO_MANY : capacity ? list.count : NO_MEMORY;
    if (list.full || !capacity) return;
    memcpy(piece->col + piece->count, list.col, sizeof *list.col * (size_t)list.count);
    piece->count += list.count;
  }
}

static void copy_rows(const void *task, int first, int last) {
  (void)last;
  const ConnectTask *t = task;
  const Piece *piece = &t->piece[first / ROW_CHUNK];
  memcpy(t->pattern->col + t->pattern->start[t->first_row + first], piece->col,
         sizeof *piece->col * (size_t)piece->count);
}

static bool connect_wave(const ConnectTask *t, int rows, int64_t *capacity, Error *error) {
  LowerPattern *p = t->pattern;
  parallel_for(rows, ROW_CHUNK, list_rows, t);
  for (int row = t->first_row; row < t->first_row + rows; row++) {
    if (p->start[row + 1] == TOO_MANY)
      return error_set(error,
                       "node %d, counted from 0, has more than %d neighbours, the maximum for this matrix format; "
                       "choose another format (--matrix)",
                       row, ROW_CAPACITY - 1);
    if (p->start[row + 1] == NO_MEMORY)
      return error_set(error, "out of memory: cannot store the column numbers of the matrix; close other programs");
    p->start[row + 1] += p->start[row];
  }
  const int64_t before = *capacity;
  if (!interrupt_check(error) || !array_reserve((void **)&p->col, capacity, p->start[t->first_row + rows],
                                                sizeof *p->col, "matrix columns", error))
    return false;
  if (*capacity > before) memory_large_pages(p->col + before, sizeof *p->col * (size_t)(*capacity - before));
  parallel_for(rows, ROW_CHUNK, copy_rows, t);
  return true;
}

bool lower_pattern_connect(LowerPattern *p, const Space *space, const LowerCorners *corners, Error *error) {
  ConnectTask task = { p, space, corners, 0, array_new(WAVE, sizeof *task.piece, "rows", error) };

  // The first capacity of the array of columns is 14 entries per row, about the mean of a mesh of hexahedra. If there
  // are more, the array grows.
  int64_t capacity = 0;
  *p = (LowerPattern){ .rows = space->node_count };
  p->start = large_array((int64_t)p->rows + 1, sizeof *p->start, "matrix rows", error);
  bool ok = task.piece && p->start &&
            array_reserve((void **)&p->col, &capacity, 14 * (int64_t)p->rows, sizeof *p->col, "matrix columns", error);
  if (ok) memory_large_pages(p->col, sizeof *p->col * (size_t)capacity);
  for (; ok && task.first_row < p->rows; task.first_row += WAVE * ROW_CHUNK) {
    const int left = p->rows - task.first_row;
    ok = connect_wave(&task, left < WAVE * ROW_CHUNK ? left : WAVE * ROW_CHUNK, &capacity, error);
  }
  for (int k = 0; task.piece && k < WAVE; k++) free(task.piece[k].col);
  free(task.piece);
  if (!ok) lower_pattern_destroy(p);
  return ok;
}

// ---- triplets (row, column, value): one for each entry of the lower triangle of each element matrix

void lower_triplets_destroy(LowerTriplets *t) {
  free(t->row);
  free(t->col);
  *t = (LowerTriplets){ 0 };
}

// Arguments of the loop over cells that stores the row and the column of each triplet.
typedef struct TripletTask {
  const Space *space;
  LowerTriplets *triplets;
} TripletTask;

static void list_triplets(const void *task, int first, int last) {
  const TripletTask *t = task;
  const int nodes = t->space->cell_nodes;
  for (int e = first; e < last; e++) {
    const int *node = space_cell(t->space, e);
    int64_t at = (int64_t)e * lower_pairs(nodes);
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b <= a; b++, at++) {
        t->triplets->row[at] = node[a] > node[b] ? node[a] : node[b];
        t->triplets->col[at] = node[a] > node[b] ? node[b] : node[a];
      }
  }
}

bool lower_triplets_create(LowerTriplets *t, const Space *space, Error *error) {
  *t = (LowerTriplets){ .count = (int64_t)lower_pairs(space->cell_nodes) * space->cell_count,
                        .rows = space->node_count };
  t->row = array_new(t->count, sizeof *t->row, "triplets", error);
  t->col = array_new(t->count, sizeof *t->col, "triplets", error);
  if (t->row && t->col) {
    parallel_for(space->cell_count, CELL_CHUNK, list_triplets, &(TripletTask){ space, t });
    return true;
  }
  lower_triplets_destroy(t);
  return false;
}

static bool triplets_fit(const LowerTriplets *t, Error *error) {
  return t->count <= INT32_MAX ||
         error_set(
             error,
             "the mesh is too large: its cells have %lld matrix entries to sort, the limit is %d; use a coarser mesh",
             (long long)t->count, INT32_MAX);
}

// ---- method `counting`: triplets are sorted by column and then by row. Both sorts keep the order of equal keys. So
// the triplets of each row end in ascending order of columns, and those of one matrix entry are adjacent, in their
// original order

// Arguments of the parallel loops that sum triplets. value [triplets->count] is the value of each triplet. `values`
// gets the sum of the triplets of each matrix entry; NULL: entries are only counted.
typedef struct CountTask {
  LowerPattern *pattern;
  const LowerTriplets *triplets;
  const double *value;
  const int64_t *row_start;  // [rows + 1], index in by_row of the first triplet of each row
  // by_column [count]: indices of triplets, sorted by column. by_row [count]: indices into by_column, sorted by row.
  const int *by_column, *by_row;
  double *values;
  int *row_of_column;
} CountTask;

static void take_rows(const void *task, int first, int last) {
  const CountTask *t = task;
  for (int k = first; k < last; k++) t->row_of_column[k] = t->triplets->row[t->by_column[k]];
}

// Finds the different columns of the rows `first` to `last` - 1; triplets of equal row and column are adjacent. If
// t->values is NULL, stores the number of different columns of each row in pattern->start[row + 1]. Otherwise stores
// these columns in pattern->col, and the sum of each entry's triplets in t->values.
static void compress_rows(const void *task, int first, int last) {
  const CountTask *t = task;
  for (int row = first; row < last && !interrupt_requested(); row++) {
    int64_t at = t->values ? t->pattern->start[row] - 1 : -1;
    int before = -1;
    for (int64_t k = t->row_start[row]; k < t->row_start[row + 1]; k++) {
      const int triplet = t->by_column[t->by_row[k]], col = t->triplets->col[triplet];
      if (col != before) {
        at++;
        before = col;
        if (t->values) {
          t->pattern->col[at] = col;
          t->values[at] = 0;
        }
      }
      if (t->values) t->values[at] += t->value[triplet];
    }
    if (!t->values) t->pattern->start[row + 1] = at + 1;
  }
}

bool lower_pattern_count(LowerPattern *p, const LowerTriplets *triplets, const double *value, double **values,
                         Error *error) {
  *p = (LowerPattern){ .rows = triplets->rows };
  *values = NULL;
  if (!triplets_fit(triplets, error)) return false;
  const int64_t count = triplets->count;
  int64_t *start = array_new((int64_t)p->rows + 1, sizeof *start, "matrix rows", error);
  int *by_column = array_new(count, sizeof *by_column, "triplets", error);
  int *row = array_new(count, sizeof *row, "triplets", error), *by_row = NULL;
  CountTask task = { .pattern = p, .triplets = triplets, .value = value, .row_of_column = row };
  p->start = array_new((int64_t)p->rows + 1, sizeof *p->start, "matrix rows", error);
  bool ok =
      start && by_column && row && p->start && sort_by_key(triplets->col, count, p->rows, 1, start, by_column, error);
  task.by_column = by_column;
  if (ok) parallel_for((int)count, CELL_CHUNK, take_rows, &task);
  ok = ok && (by_row = array_new(count, sizeof *by_row, "triplets", error)) &&
       sort_by_key(row, count, p->rows, 1, start, by_row, error);
  free(row);
  task.row_start = start;
  task.by_row = by_row;
  if (ok) parallel_for(p->rows, ROW_CHUNK, compress_rows, &task);
  ok = ok && begin_rows(p, error) &&
       (task.values = *values = array_new(p->start[p->rows], sizeof **values, "matrix values", error));
  if (ok) parallel_for(p->rows, ROW_CHUNK, compress_rows, &task);
  ok = ok && interrupt_check(error);
  free(start);
  free(by_column);
  free(by_row);
  if (!ok) {
    lower_pattern_destroy(p);
    free(*values);
    *values = NULL;
  }
  return ok;
}

// ---- method `sort`: an item is the row, the column and the index of a triplet. The items are divided into PIECES
// pieces. Each piece is radix-sorted by one core, and then pieces are merged in pairs until one is left

// A triplet to sort: its row and column in one key, and its index among the triplets.
typedef struct Item {
  uint64_t key;  // row in the upper 32 bits, column in the lower 32 bits
  int64_t triplet;
} Item;

enum { PIECES = 64, RADIX_BITS = 8, RADIX = 1 << RADIX_BITS };

// Arguments of the parallel loops that sort items (triplets with keys). The items are divided into PIECES pieces, which
// are sorted separately and then merged in pairs. A merging pass reads item [count] and writes other [count], and then
// the two arrays change roles.
typedef struct SortTask {
  const LowerTriplets *triplets;
  Item *item, *other;
  int64_t count;
  int merged;  // number of original pieces in each sorted range; doubles with each pass
} SortTask;

static int64_t piece_begin(const SortTask *t, int piece) {
  return piece < PIECES ? t->count * piece / PIECES : t->count;
}

// Sorts each of the pieces `first` to `last` - 1, a range of items, by key. It is a stable radix sort with digits of
// RADIX_BITS bits, lowest digit first. A digit that is equal in all keys of a piece is skipped.
static void sort_pieces(const void *task, int first, int last) {
  const SortTask *t = task;
  for (int piece = first; piece < last; piece++) {
    const int64_t begin = piece_begin(t, piece), end = piece_begin(t, piece + 1);
    Item *from = t->item, *to = t->other;
    for (int64_t k = begin; k < end; k++)
      from[k] = (Item){ (uint64_t)t->triplets->row[k] << 32 | (uint32_t)t->triplets->col[k], k };
    for (int shift = 0; shift < 64; shift += RADIX_BITS) {
      int64_t at[RADIX] = { 0 }, sum = begin;
      for (int64_t k = begin; k < end; k++) at[from[k].key >> shift & (RADIX - 1)]++;

      // Skip this pass of the radix sort if all keys have the same digit.
      if (begin == end || at[from[begin].key >> shift & (RADIX - 1)] == end - begin) continue;
      for (int d = 0; d < RADIX; d++) {
        const int64_t here = at[d];
        at[d] = sum;
        sum += here;
      }
      for (int64_t k = begin; k < end; k++) to[at[from[k].key >> shift & (RADIX - 1)]++] = from[k];
      Item *const swap = from;
      from = to;
      to = swap;
      if (interrupt_requested()) return;
    }
    if (from != t->item && end > begin) memcpy(t->item + begin, from + begin, sizeof *from * (size_t)(end - begin));
  }
}

static void merge_pieces(const void *task, int first, int last) {
  const SortTask *t = task;
  for (int pair = first; pair < last; pair++) {
    int64_t left = piece_begin(t, 2 * pair * t->merged), right = piece_begin(t, (2 * pair + 1) * t->merged), to = left;
    const int64_t left_end = right, right_end = piece_begin(t, (2 * pair + 2) * t->merged);
    while (left < left_end && right < right_end && !interrupt_requested())
      t->other[to++] = t->item[t->item[left].key <= t->item[right].key ? left++ : right++];
    if (interrupt_requested()) return;
    memcpy(t->other + to, t->item + left, sizeof *t->item * (size_t)(left_end - left));
    to += left_end - left;
    memcpy(t->other + to, t->item + right, sizeof *t->item * (size_t)(right_end - right));
  }
}

static bool sort_triplets(SortTask *t, Error *error) {
  parallel_for_parts(PIECES, sort_pieces, t);
  for (t->merged = 1; t->merged < PIECES && interrupt_check(error); t->merged *= 2) {
    parallel_for_parts(PIECES / (2 * t->merged), merge_pieces, t);
    Item *const swap = t->item;
    t->item = t->other;
    t->other = swap;
  }
  return interrupt_check(error);
}

bool lower_pattern_sort(LowerPattern *p, const LowerTriplets *triplets, const double *value, double **values,
                        Error *error) {
  SortTask task = { .triplets = triplets, .count = triplets->count };
  *p = (LowerPattern){ .rows = triplets->rows };
  *values = NULL;
  p->start = array_new((int64_t)p->rows + 1, sizeof *p->start, "matrix rows", error);
  task.item = array_new(triplets->count, sizeof *task.item, "triplets", error);
  task.other = array_new(triplets->count, sizeof *task.other, "triplets", error);
  bool ok = p->start && task.item && task.other && sort_triplets(&task, error);
  for (int64_t k = 0; ok && k < task.count && !interrupt_requested(); k++)
    p->start[(task.item[k].key >> 32) + 1] += k == 0 || task.item[k].key != task.item[k - 1].key;
  ok = ok && begin_rows(p, error) && (*values = array_new(p->start[p->rows], sizeof **values, "matrix values", error));
  int64_t at = -1;
  for (int64_t k = 0; ok && k < task.count && !interrupt_requested(); k++) {
    if (k == 0 || task.item[k].key != task.item[k - 1].key) p->col[++at] = (int)(task.item[k].key & UINT32_MAX);
    (*values)[at] += value[task.item[k].triplet];
  }
  ok = ok && interrupt_check(error);
  free(task.item);
  free(task.other);
  if (!ok) {
    lower_pattern_destroy(p);
    free(*values);
    *values = NULL;
  }
  return ok;
}
