// Changes a Space, the discretisation of a body, in place when its mesh is cut or torn (space_split.h). A row is a node
// that is new or gets other neighbours. A near cell is a cell with a row among its nodes.
#include "sim/element/space_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gather.h"
#include "base/marks.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { CHUNK = 1 << 13 };

void space_split_destroy(SpaceSplit *s) {
  free(s->from);
  free(s->changed);
  free(s->nodes);
  free(s->row);
  free(s->is_row);
  free(s->start);
  free(s->neighbour);
  free(s->at);
  free(s->around);
  free(s->near);
  free(s->cell);
  free(s->cell_node);
  free(s->volume);
  free(s->removed);
  free(s->left);
  free(s->renamed);
  free(s->cell_left);
  free(s->cell_now);
  free(s->room);
  *s = (SpaceSplit){ 0 };
}

// ---- computation of the changes that a cut makes to a space

// Arguments of the parallel loops mark_near, find_volumes and find_neighbours; each loop uses some of the members.
typedef struct Task {
  const Space *space;
  SpaceSplit *split;
  const int *row_of;  // [node_count]: index in SpaceSplit.row of each node that is new or has changed
} Task;

// Marks the near cells among the cells [first, last): those that have a row (a new or changed node) among their nodes.
static void mark_near(const void *task, int first, int last) {
  const Task *t = task;
  const int nodes = t->space->cell_nodes;
  for (int e = first; e < last; e++) {
    int any = 0;
    for (int c = 0; c < nodes; c++) any |= t->split->is_row[t->space->cell[(int64_t)e * nodes + c]];
    t->split->near[e] = (uint8_t)any;
  }
}

// Lists the rows, the nodes with new or changed neighbours: the old and new nodes of changed cells, and the nodes of
// removed cells. Sets row_of [node_count], the index of each row in this list.
static bool list_rows(SpaceSplit *s, const Space *space, int *row_of, Error *error) {
  const int nodes = space->cell_nodes;
  for (int k = 0; k < s->changed_count; k++)
    for (int c = 0; c < nodes; c++) {
      s->is_row[space_cell(space, s->changed[k])[c]] = 1;
      s->is_row[s->nodes[(int64_t)k * nodes + c]] = 1;
    }
  for (int k = 0; k < s->removed_count; k++)
    for (int c = 0; c < nodes; c++) s->is_row[space_cell(space, s->removed[k])[c]] = 1;
  for (int a = 0; a < s->node_count; a++) s->row_count += s->is_row[a];
  s->row = array_new(s->row_count, sizeof *s->row, "nodes", error);
  s->row_count = 0;
  for (int a = 0; s->row && a < s->node_count; a++)
    if (s->is_row[a]) s->row[row_of[a] = s->row_count++] = a;
  return s->row;
}

static void find_volumes(const void *task, int first, int last) {
  const Task *t = task;
  for (int k = first; k < last; k++) t->split->volume[k] = space_cell_volume(t->space, t->split->cell[k]);
}

// Lists the near cells: those with a node that is new or whose neighbours have changed. Sets s->cell to their numbers,
// s->cell_node to their nodes after the cut, and s->volume to their volumes.
static bool list_cells(SpaceSplit *s, const Space *space, Error *error) {
  const int nodes = space->cell_nodes;
  for (int e = 0; e < space->cell_count; e++) s->near_count += s->near[e];
  s->cell = array_new(s->near_count, sizeof *s->cell, "cells", error);
  s->cell_node = array_new((int64_t)s->near_count * nodes, sizeof *s->cell_node, "cells", error);
  s->volume = array_new(s->near_count, sizeof *s->volume, "cells", error);
  if (!s->cell || !s->cell_node || !s->volume) return false;
  for (int e = -1, k = 0, changed = 0; (e = marks_next(s->near, space->cell_count, e + 1, 1)) < space->cell_count;) {
    const bool other = changed < s->changed_count && s->changed[changed] == e;
    const int *node = other ? s->nodes + (int64_t)changed++ * nodes : space_cell(space, e);
    s->cell[k] = e;
    memcpy(s->cell_node + (int64_t)k++ * nodes, node, sizeof *node * (size_t)nodes);
  }
  parallel_for(s->near_count, 512, find_volumes, &(Task){ space, s, NULL });
  return true;
}

// Arguments of find_rows, which fills row [near_count][nodes of a cell]: for each node of each near cell, its index in
// the list of rows, or row_count if the node is no row. A row is a new or changed node; a near cell has a row among its
// nodes.
typedef struct Corners {
  const SpaceSplit *split;
  const int *row_of;
  int nodes;
  int *row;
} Corners;

static void find_rows(const void *corners, int first, int last) {
  const Corners *t = corners;
  const SpaceSplit *s = t->split;
  for (int64_t c = (int64_t)first * t->nodes; c < (int64_t)last * t->nodes; c++)
    t->row[c] = s->is_row[s->cell_node[c]] ? t->row_of[s->cell_node[c]] : s->row_count;
}

// Lists the cells at each row (a new or changed node): sets SpaceSplit.at and SpaceSplit.around.
static bool list_around(SpaceSplit *s, int nodes, const int *row_of, Error *error) {
  const int64_t corners = (int64_t)s->near_count * nodes;
  int *row = array_capacity(corners, sizeof *row, "cells around each node", error);
  s->at = array_new((int64_t)s->row_count + 2, sizeof *s->at, "cells around each node", error);
  s->around = array_capacity(corners, sizeof *s->around, "cells around each node", error);
  bool ok = row && s->at && s->around;
  if (ok) parallel_for(s->near_count, 1 << 10, find_rows, &(Corners){ s, row_of, nodes, row });
  ok = ok && sort_by_key(row, corners, s->row_count + 1, nodes, s->at, s->around, error);
  free(row);
  return ok;
}

// Removes duplicates from list [count], and returns the number of remaining items. table [2^bits] is work memory for a
// hash table, at least twice as long as the list.
static int take_each_once(int *list, int count, int *table, int bits) {
  int kept = 0;
  memset(table, 0, sizeof *table << bits);
  for (int k = 0; k < count; k++) {
    uint32_t at = (uint32_t)list[k] * 2654435769u >> (32 - bits);
    while (table[at] && table[at] != list[k] + 1) at = (at + 1) & ((1u << bits) - 1);
    if (table[at]) continue;
    table[at] = list[k] + 1;
    list[kept++] = list[k];
  }
  return kept;
}

// Finds the neighbours of the rows (new or changed nodes) number `first` to `last` - 1. The list of row r begins at
// neighbour[at[r] * cell_nodes]. The list first gets all nodes of the row's cells. Then the list is sorted, duplicates
// are removed, and start[r + 1] gets its length.
static void find_neighbours(const void *task, int first, int last) {
  enum { BITS = 9 };
  const Task *t = task;
  SpaceSplit *s = t->split;
  const int nodes = t->space->cell_nodes;
  int table[1 << BITS];
  for (int r = first; r < last; r++) {
    int *list = s->neighbour + s->at[r] * nodes, count = 0, bits = 4;
    for (int64_t k = s->at[r]; k < s->at[r + 1]; k++)
      for (int c = 0; c < nodes; c++) list[count++] = s->cell_node[(int64_t)s->around[k] * nodes + c];
    while (1 << bits < 2 * count && bits < BITS) bits++;
    if (count <= 1 << (BITS - 1)) count = take_each_once(list, count, table, bits);
    if (count > 64) qsort(list, (size_t)count, sizeof *list, compare_ints);
    for (int k = 1; count <= 64 && k < count; k++) {
      const int moved = list[k];
      int at = k;
      for (; at > 0 && list[at - 1] > moved; at--) list[at] = list[at - 1];
      list[at] = moved;
    }
    int kept = 0;
    for (int k = 0; k < count; k++)
      if (k == 0 || list[k] != list[k - 1]) list[kept++] = list[k];
    s->start[r + 1] = kept;
  }
}

// Lists the neighbours of all rows, the new and changed nodes: sets SpaceSplit.start and SpaceSplit.neighbour.
static bool list_neighbours(SpaceSplit *s, const Space *space, Error *error) {
  const int64_t room = s->at[s->row_count] * space->cell_nodes;
  s->start = array_new((int64_t)s->row_count + 1, sizeof *s->start, "neighbours", error);
  s->neighbour = array_new(room, sizeof *s->neighbour, "neighbours", error);
  if (!s->start || !s->neighbour) return false;
  parallel_for(s->row_count, 64, find_neighbours, &(Task){ space, s, NULL });
  for (int r = 0; r < s->row_count; r++) {
    const int64_t count = s->start[r + 1];
    memmove(s->neighbour + s->start[r], s->neighbour + s->at[r] * space->cell_nodes,
            sizeof *s->neighbour * (size_t)count);
    s->start[r + 1] = s->start[r] + count;
  }
  return true;
}

// Returns the number of pairs of neighbours after the cut. Pairs (a, b) and (b, a) count separately, and each node
// counts as its own neighbour.
static int64_t pairs_now(const Space *space, const SpaceSplit *s) {
  int64_t count = space_pairs(space) + s->start[s->row_count];
  for (int r = 0; r < s->row_count && s->row[r] < s->old_count; r++)
    count -= space->graph.start[s->row[r] + 1] - space->graph.start[s->row[r]];
  return count;
}

// Lists the nodes and cells that remain after the removal of cells, and renumbers them. Nodes without remaining cells
// are removed too. These nodes are found among the nodes in s->row, which has all nodes that lose neighbours.
static bool list_left(SpaceSplit *s, const Space *space, Error *error) {
  const int cells = space->cell_count;
  int *gone = NULL, gone_count = 0;
  s->left_count = s->node_count;
  s->cells_left = cells - s->removed_count;
  if (s->removed_count == 0) return true;
  if (!(gone = array_new(s->row_count, sizeof *gone, "nodes", error))) return false;
  for (int r = 0; r < s->row_count; r++)
    if (s->at[r] == s->at[r + 1]) gone[gone_count++] = s->row[r];
  s->left_count -= gone_count;
  s->cell_left = array_capacity(s->cells_left, sizeof *s->cell_left, "cells", error);
  s->cell_now = array_capacity(cells, sizeof *s->cell_now, "cells", error);
  s->left = array_capacity(s->left_count, sizeof *s->left, "nodes", error);
  s->renamed = array_capacity(s->node_count, sizeof *s->renamed, "nodes", error);
  const bool ok = s->cell_left && s->cell_now && s->left && s->renamed;
  if (ok) renumber_remaining(s->removed, s->removed_count, cells, s->cell_left, s->cell_now);
  if (ok) renumber_remaining(gone, gone_count, s->node_count, s->left, s->renamed);
  free(gone);
  return ok;
}

// The work memory SpaceSplit.room has three pieces. The first has one int for each cell; it is empty if no cell is
// removed. The second is memory in which new arrays are built. The third is the array `start` of the new graph of
// neighbours, with elements of type int64_t. Returns the length of the second piece, in ints.
static int64_t scratch_ints(const Space *space, const SpaceSplit *s) {
  const int64_t cells = (int64_t)space->cell_nodes * s->cells_left, nodes = 6 * (int64_t)s->left_count;
  const int64_t maximum = s->removed_count == 0 ? 0 : cells > nodes ? cells : nodes;
  return maximum > s->pairs ? maximum : s->pairs;
}

// Returns the index at which the third piece of the work memory SpaceSplit.room begins: `start` of the new graph.
static int64_t starts_at(const Space *space, const SpaceSplit *s) {
  const int64_t before = (s->removed_count > 0 ? space->cell_count : 0) + scratch_ints(space, s);
  return (before + 1) / 2 * 2;  // an even number, so that the array is aligned for int64_t
}

bool space_split_find(SpaceSplit *s, const Space *space, Error *error) {
  int *row_of = array_new(s->node_count, sizeof *row_of, "nodes", error);
  s->is_row = array_new(s->node_count, 1, "nodes", error);
  s->near = array_new(space->cell_count, 1, "cells", error);
  if ((int64_t)s->node_count * space->node_dof > INT32_MAX)
    error_set(error, "the mesh would have %d nodes after the cut, which are too many; use a coarser mesh",
              s->node_count);
  bool ok = row_of && s->is_row && s->near && (int64_t)s->node_count * space->node_dof <= INT32_MAX &&
            list_rows(s, space, row_of, error);
  if (ok) parallel_for(space->cell_count, CHUNK, mark_near, &(Task){ space, s, row_of });
  for (int k = 0; ok && k < s->removed_count; k++) s->near[s->removed[k]] = 0;
  ok = ok && list_cells(s, space, error);
  ok = ok && list_around(s, space->cell_nodes, row_of, error);
  ok = ok && list_neighbours(s, space, error);
  ok = ok && list_left(s, space, error);
  if (ok) s->pairs = pairs_now(space, s);
  const int64_t room = ok ? starts_at(space, s) + 2 * ((int64_t)s->left_count + 1) : 0;
  ok = ok && (s->room = array_capacity(room, sizeof *s->room, "temporary data of a cut", error));
  free(row_of);
  return ok;
}

// ---- application of the changes to the space

void space_split_plan(SpaceSplit *s, int node_capacity, int64_t pair_capacity) {
  const bool nodes_fit = s->node_count <= node_capacity, pairs_fit = s->pairs <= pair_capacity;
  s->node_before = node_capacity;
  s->pair_before = pair_capacity;
  s->node_capacity = nodes_fit ? node_capacity : (int)space_split_more(s->node_count);
  s->pair_capacity = pairs_fit ? pair_capacity : space_split_more(s->pairs);
}

bool space_split_reserve(Space *space, const SpaceSplit *s, Error *error) {
  const int64_t before = s->node_before, room = s->node_capacity;
  Adjacency *graph = &space->graph;
  if (!array_grow(&space->X, before, room, sizeof *space->X, "nodes", error)) return false;
  if (!array_grow(&space->node_tag, before, room, sizeof *space->node_tag, "nodes", error)) return false;
  if (space->damping && !array_grow(&space->damping, before, room, sizeof *space->damping, "nodes", error))
    return false;
  if (space->body && !array_grow(&space->body, before, room, sizeof *space->body, "nodes", error)) return false;
  if (!array_grow(&graph->start, before + 1, room + 1, sizeof *graph->start, "neighbours", error)) return false;
  return array_grow(&graph->neighbour, s->pair_before, s->pair_capacity, sizeof *graph->neighbour, "neighbours", error);
}

// Arguments of fill_rows, a loop that builds the new lists of neighbours in other memory than the old ones. The loop
// cannot overwrite the old lists: some lists move to smaller and others to larger indices, so it would overwrite lists
// that it still needs.
typedef struct Rows {
  const Adjacency *graph;  // the lists of neighbours of all nodes before the cut
  const SpaceSplit *split;
  const int64_t *start;  // [left_count + 1], index of each node's first neighbour in the new graph
  int *neighbour;
} Rows;

static void fill_rows(const void *rows, int first, int last) {
  const Rows *t = rows;
  const SpaceSplit *s = t->split;
  const int *renamed = s->left_count < s->node_count ? s->renamed : NULL;
  int r = count_below(s->row, s->row_count, s->left ? s->left[first] : first);
  for (int a = first; a < last; a++) {
    const int was = s->left ? s->left[a] : a, count = (int)(t->start[a + 1] - t->start[a]);
    while (r < s->row_count && s->row[r] < was) r++;
    const int *from = s->is_row[was] ? s->neighbour + s->start[r] : t->graph->neighbour + t->graph->start[was];
    int *to = t->neighbour + t->start[a];
    if (!renamed) memcpy(to, from, sizeof *to * (size_t)count);
    for (int k = 0; renamed && k < count; k++) to[k] = renamed[from[k]];
  }
}

// Replaces the graph of neighbours. New and changed nodes get the lists of neighbours in SpaceSplit; all other nodes
// keep their lists.
static void change_graph(Space *space, const SpaceSplit *s) {
  Adjacency *graph = &space->graph;
  int *neighbour = s->room + (s->removed_count > 0 ? space->cell_count : 0);
  int64_t *start = (int64_t *)(void *)(s->room + starts_at(space, s)), pairs = 0;
  for (int a = 0, r = 0; a < s->left_count; a++) {
    const int was = s->left ? s->left[a] : a;
    while (r < s->row_count && s->row[r] < was) r++;
    start[a] = pairs;
    pairs += s->is_row[was] ? s->start[r + 1] - s->start[r] : graph->start[was + 1] - graph->start[was];
  }
  start[s->left_count] = pairs;
  parallel_for(s->left_count, CHUNK, fill_rows, &(Rows){ graph, s, start, neighbour });
  copy_bytes(graph->neighbour, neighbour, sizeof *neighbour * (size_t)pairs);
  copy_bytes(graph->start, start, sizeof *start * ((size_t)s->left_count + 1));
  graph->node_count = s->left_count;
}

// Removes nodes and cells from the space's arrays, and renumbers the remaining ones.
static void keep_left(Space *space, const SpaceSplit *s) {
  const size_t nodes = (size_t)space->cell_nodes;
  void *scratch = s->room + space->cell_count;
  keep_items(space->cell, s->cell_left, s->cells_left, sizeof *space->cell * nodes, scratch);
  keep_items(space->stiffness, s->cell_left, s->cells_left, sizeof *space->stiffness, scratch);
  keep_items(space->ratio, s->cell_left, s->cells_left, sizeof *space->ratio, scratch);
  keep_items(space->density, s->cell_left, s->cells_left, sizeof *space->density, scratch);
  space->cell_count = s->cells_left;
  if (s->left_count == s->node_count) return;
  replace_numbers(space->cell, (int64_t)s->cells_left * (int64_t)nodes, s->renamed);
  keep_items(space->X, s->left, s->left_count, sizeof *space->X, scratch);
  keep_items(space->node_tag, s->left, s->left_count, sizeof *space->node_tag, scratch);
  keep_items(space->damping, s->left, s->left_count, sizeof *space->damping, scratch);
  keep_items(space->body, s->left, s->left_count, sizeof *space->body, scratch);
  space->node_count = space->owned_count = s->left_count;
}

void space_split_apply(Space *space, const SpaceSplit *s) {
  const int nodes = space->cell_nodes;
  change_graph(space, s);
  for (int k = 0; k < s->changed_count; k++)
    memcpy(space->cell + (int64_t)s->changed[k] * nodes, s->nodes + (int64_t)k * nodes, sizeof(int) * (size_t)nodes);
  for (int a = s->old_count; a < s->node_count; a++) {
    const int from = s->from[a];
    memcpy(space->X[a], space->X[from], sizeof *space->X);
    space->node_tag[a] = space->node_tag[from];
    if (space->damping) space->damping[a] = space->damping[from];
    if (space->body) space->body[a] = space->body[from];
  }
  space->node_count = space->owned_count = s->node_count;
  if (s->removed_count > 0) keep_left(space, s);
}

// ---- masses

// Arguments of sum_some, a parallel loop over rows, the new and changed nodes. For each row, the loop sums fractions of
// the masses of the cells at the node.
typedef struct Shares {
  const Space *space;
  const SpaceSplit *split;
  double density;
  bool own;
  double corner, middle;  // fractions of a cell's mass: for each corner, and for each node in the middle of an edge
  double *share;
} Shares;

static void sum_some(const void *shares, int first, int last) {
  const Shares *t = shares;
  const SpaceSplit *s = t->split;
  for (int r = first; r < last; r++) {
    double sum = 0;
    for (int64_t k = s->at[r]; k < s->at[r + 1]; k++) {
      const int *node = s->cell_node + (int64_t)s->around[k] * t->space->cell_nodes;
      const double its = t->own ? space_cell_density(t->space, t->density, s->cell[s->around[k]]) : t->density;
      const double whole = its * s->volume[s->around[k]];
      int c = 0;
      while (node[c] != s->row[r]) c++;
      sum += whole * (c < 4 ? t->corner : t->middle);
    }
    t->share[r] = sum;
  }
}

static void sum_shares(const Space *space, const SpaceSplit *s, double density, bool own, double corner, double middle,
                       double *share) {
  parallel_for(s->row_count, 512, sum_some, &(Shares){ space, s, density, own, corner, middle, share });
}

void space_split_mass(const Space *space, const SpaceSplit *s, double density, bool own, double *mass) {
  sum_shares(space, s, density, own, space->cell_nodes > 4 ? MESH_LUMPED_CORNER : 0.25, MESH_LUMPED_MIDDLE, mass);
}

void space_split_weight(const Space *space, const SpaceSplit *s, double density, double *weight) {
  sum_shares(space, s, density, true, space->cell_nodes > 4 ? MESH_WEIGHT_CORNER : 0.25, MESH_WEIGHT_MIDDLE, weight);
}
