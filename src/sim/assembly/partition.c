// Partitions: see partition.h.
#include "sim/assembly/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "mesh/divide.h"

enum { MERGE_ROUNDS = 3, MOVE_PASSES = 6 };

// the largest |E_k| of a numbering of `count` parts
static int most_tets(const Space *space, const int *part, int count, int *tets) {
  int most = 0;
  memset(tets, 0, sizeof *tets * (size_t)count);
  for (int e = 0; e < space->cell_count; e++)
    for (int a = 0; a < 4; a++) {
      const int own = part[space_cell(space, e)[a]];
      bool known = false;
      for (int b = 0; b < a; b++) known = known || part[space_cell(space, e)[b]] == own;
      if (!known && ++tets[own] > most) most = tets[own];
    }
  return most;
}

// A part that grows: its nodes as a chain, its tets as an array.
typedef struct Growing {
  int first_node, last_node;  // chained by Greedy.next
  int tet_count, tet_room;
  int *tet;
} Growing;

typedef struct Greedy {
  const Space *space;
  int tets_most;
  int *part;  // [node_count]
  int *next;  // [node_count], -1: the last of its part
  Growing *growing;
} Greedy;

static bool touches(const Greedy *g, int e, int part) {
  const int *node = space_cell(g->space, e);
  return g->part[node[0]] == part || g->part[node[1]] == part || g->part[node[2]] == part || g->part[node[3]] == part;
}

// tets of `other` that `part` has not, at most `limit` + 1
static int added(const Greedy *g, int part, int other, int limit) {
  const Growing *o = &g->growing[other];
  int count = 0;
  for (int t = 0; t < o->tet_count && count <= limit; t++) count += !touches(g, o->tet[t], part);
  return count;
}

static bool unite(Greedy *g, int part, int other, Error *error) {
  Growing *p = &g->growing[part], *o = &g->growing[other];
  if (p->tet_count + o->tet_count > p->tet_room) {
    const int room = 2 * (p->tet_count + o->tet_count);
    int *grown = array_new(room, sizeof *grown, "parts", error);
    if (!grown) return false;
    memcpy(grown, p->tet, sizeof *grown * (size_t)p->tet_count);
    free(p->tet);
    p->tet = grown, p->tet_room = room;
  }
  for (int t = 0; t < o->tet_count; t++)
    if (!touches(g, o->tet[t], part)) p->tet[p->tet_count++] = o->tet[t];
  for (int a = o->first_node; a >= 0; a = g->next[a]) g->part[a] = part;
  g->next[p->last_node] = o->first_node;
  p->last_node = o->last_node;
  free(o->tet);
  *o = (Growing){ .first_node = -1, .last_node = -1 };
  return true;
}

// one node's turn; *united says whether its part grew
static bool grow(Greedy *g, int node, bool *united, Error *error) {
  const int part = g->part[node], room = g->tets_most - g->growing[part].tet_count;
  int best = -1, least = room + 1;
  for (int64_t s = g->space->graph.start[node]; s < g->space->graph.start[node + 1]; s++) {
    const int other = g->part[g->space->graph.neighbour[s]];
    if (other == part || other == best) continue;
    const int more = added(g, part, other, least);
    // what the union needs, not what it gains: the sum for this part is the same for all, so the least gain is it
    if (more < least) least = more, best = other;
  }
  *united = best >= 0;
  return best < 0 || unite(g, part, best, error);
}

// each part's nodes and tets, from g->part
static bool begin_parts(Greedy *g, const NodeCells *cells, Error *error) {
  const Space *space = g->space;
  for (int a = 0; a < space->node_count; a++) g->growing[a] = (Growing){ .first_node = -1, .last_node = -1 };
  for (int a = 0; a < space->node_count; a++) {
    Growing *p = &g->growing[g->part[a]];
    g->next[a] = -1;
    if (p->first_node < 0)
      p->first_node = a;
    else
      g->next[p->last_node] = a;
    p->last_node = a;
    p->tet_room += cells->start[a + 1] - cells->start[a];
  }
  for (int k = 0; k < space->node_count; k++) {
    Growing *p = &g->growing[k];
    if (!interrupt_check(error)) return false;
    if (p->first_node < 0) continue;
    p->tet = array_new(p->tet_room, sizeof *p->tet, "parts", error);
    if (!p->tet) return false;
    for (int a = p->first_node; a >= 0; a = g->next[a])
      for (int64_t s = cells->start[a]; s < cells->start[a + 1]; s++) {
        // by the tet's first node of the part, so that each tet is listed once
        const int e = cells->cell[s], *node = space_cell(space, e);
        bool listed = false;
        for (int b = 0; b < 4; b++) listed = listed || (node[b] < a && g->part[node[b]] == k);
        if (!listed) p->tet[p->tet_count++] = e;
      }
  }
  return true;
}

static void end_parts(Greedy *g) {
  for (int k = 0; k < g->space->node_count; k++) free(g->growing[k].tet);
}

// unites parts until none fits with a neighbour
static bool merge_parts(Greedy *g, const NodeCells *cells, Error *error) {
  bool ok = begin_parts(g, cells, error);
  for (bool more = ok; more;) {
    more = false;
    for (int a = 0; ok && a < g->space->node_count; a++) {
      bool united = false;
      ok = interrupt_check(error) && grow(g, a, &united, error);
      more = more || united;
    }
    more = more && ok;
  }
  end_parts(g);
  return ok;
}

// around [most cells at a node][3]: the parts of the other three nodes of each of a node's tets, whose count it returns
static int parts_around(const Greedy *g, const NodeCells *cells, int node, int (*around)[3]) {
  int count = 0;
  for (int64_t s = cells->start[node]; s < cells->start[node + 1]; s++, count++) {
    const int *corner = space_cell(g->space, cells->cell[s]);
    int k = 0;
    for (int b = 0; b < 4; b++)
      if (corner[b] != node) around[count][k++] = g->part[corner[b]];
  }
  return count;
}

// How many of those tets have none of these three nodes in a part.
static int tets_without(const int (*around)[3], int tets, int part) {
  int count = 0;
  for (int t = 0; t < tets; t++) count += (around[t][0] != part) & (around[t][1] != part) & (around[t][2] != part);
  return count;
}

// moves border nodes to the neighbouring part where that evaluates fewer tets in all; after the first pass it looks
// only at nodes that had a neighbour move. Scratch [node_count]: |E_k|, and the last pass in which a neighbour moved;
// [most cells at a node]: see parts_around.
static void move_borders(Greedy *g, const NodeCells *cells, int *tets, int *neighbour_moved, int (*around)[3]) {
  most_tets(g->space, g->part, g->space->node_count, tets);
  memset(neighbour_moved, 0, sizeof *neighbour_moved * (size_t)g->space->node_count);
  for (int pass = 0; pass < MOVE_PASSES; pass++) {
    for (int a = 0; a < g->space->node_count && !interrupt_signal(); a++) {
      if (pass > 0 && neighbour_moved[a] < pass) continue;
      const int own = g->part[a];
      int best = -1, removed = -1, fewest_added = 0, count = 0;
      for (int64_t s = g->space->graph.start[a]; s < g->space->graph.start[a + 1]; s++) {
        const int other = g->part[g->space->graph.neighbour[s]];
        if (other == own || other == best) continue;
        if (removed < 0) {
          count = parts_around(g, cells, a, around);
          removed = fewest_added = tets_without((const int(*)[3])around, count, own);
        }
        if (removed == 0) break;
        const int added_tets = tets_without((const int(*)[3])around, count, other);
        if (added_tets < fewest_added && tets[other] + added_tets <= g->tets_most)
          fewest_added = added_tets, best = other;
      }
      if (best < 0) continue;
      tets[own] -= removed, tets[best] += fewest_added;
      g->part[a] = best;
      for (int64_t s = g->space->graph.start[a]; s < g->space->graph.start[a + 1]; s++)
        neighbour_moved[g->space->graph.neighbour[s]] = pass + 1;
    }
  }
}

// Paper 000 merges; here border nodes then move, which makes parts rounder and leaves room to merge once more.
static bool partition_greedily(const Space *space, const NodeCells *cells, int tets_most, int *part, Error *error) {
  Greedy g = { .space = space, .tets_most = tets_most, .part = part };
  g.next = array_new(space->node_count, sizeof *g.next, "parts", error);
  g.growing = array_new(space->node_count, sizeof *g.growing, "parts", error);
  int *tets = array_new(space->node_count, sizeof *tets, "parts", error);
  int *neighbour_moved = array_new(space->node_count, sizeof *neighbour_moved, "parts", error);
  int largest = 1;
  for (int a = 0; a < space->node_count; a++)
    if (cells->start[a + 1] - cells->start[a] > largest) largest = cells->start[a + 1] - cells->start[a];
  int(*around)[3] = array_new(largest, sizeof *around, "parts", error);
  bool ok = g.next && g.growing && tets && neighbour_moved && around;
  for (int a = 0; ok && a < space->node_count; a++) part[a] = a;
  for (int round = 0; ok && round < MERGE_ROUNDS; round++) {
    ok = merge_parts(&g, cells, error);
    if (ok) move_borders(&g, cells, tets, neighbour_moved, around);
  }
  free(g.growing);
  free(g.next);
  free(tets);
  free(neighbour_moved);
  free(around);
  return ok;
}

static bool partition_by_metis(const Space *space, int tets_most, int *part, Error *error) {
  int *tets = array_new(space->node_count, sizeof *tets, "parts", error);
  bool ok = tets, fits = false;
  for (int parts = space->cell_count / tets_most + 1; ok && !fits; parts += parts / 8 + 1) {
    if (parts > space->node_count) parts = space->node_count;  // single nodes fit: the caller has checked
    ok = adjacency_divide(&space->graph, parts, NULL, part, error);
    fits = ok && most_tets(space, part, parts, tets) <= tets_most;
  }
  free(tets);
  return ok;
}

// turns part [node_count], any numbers below node_count, into lists; parts are numbered by their first node
static bool list_parts(Partition *made, const Space *space, const int *part, Error *error) {
  const int nodes = space->node_count;
  int *number = array_new(nodes, sizeof *number, "parts", error), *fill = NULL;
  bool ok = false;
  made->node = array_new(nodes, sizeof *made->node, "parts", error);
  if (!number || !made->node) goto done;
  for (int a = 0; a < nodes; a++)
    if (!number[part[a]]) number[part[a]] = ++made->part_count;
  made->node_start = array_new((int64_t)made->part_count + 1, sizeof *made->node_start, "parts", error);
  made->tet_start = array_new((int64_t)made->part_count + 1, sizeof *made->tet_start, "parts", error);
  fill = array_new(made->part_count, sizeof *fill, "parts", error);
  if (!made->node_start || !made->tet_start || !fill) goto done;
  for (int a = 0; a < nodes; a++) made->node_start[number[part[a]]]++;
  for (int k = 0; k < made->part_count; k++) made->node_start[k + 1] += made->node_start[k];
  for (int a = 0; a < nodes; a++) {
    const int k = number[part[a]] - 1;
    made->node[made->node_start[k] + fill[k]++] = a;
  }
  // a part's tets, each once: counted, then listed
  for (int pass = 0; pass < 2; pass++) {
    if (!interrupt_check(error)) goto done;
    for (int e = 0; e < space->cell_count; e++)
      for (int a = 0; a < 4; a++) {
        const int own = part[space_cell(space, e)[a]], k = number[own] - 1;
        bool known = false;
        for (int b = 0; b < a; b++) known = known || part[space_cell(space, e)[b]] == own;
        if (known) continue;
        if (pass == 0)
          made->tet_start[k + 1]++;
        else
          made->tet[made->tet_start[k] + fill[k]++] = e;
      }
    if (pass == 1) break;
    for (int k = 0; k < made->part_count; k++) made->tet_start[k + 1] += made->tet_start[k];
    made->tet = array_new(made->tet_start[made->part_count], sizeof *made->tet, "parts", error);
    if (!made->tet) goto done;
    memset(fill, 0, sizeof *fill * (size_t)made->part_count);
  }
  ok = true;
done:
  free(number);
  free(fill);
  return ok;
}

bool partition_create(Partition *partition, const Space *space, Partitioner partitioner, int tets_most, Error *error) {
  Partition made = { 0 };
  NodeCells cells = { 0 };
  bool ok = false;
  int *part = array_new(space->node_count, sizeof *part, "parts", error);
  if (!part || !node_cells_create(&cells, space, error)) goto done;
  for (int a = 0; a < space->node_count; a++)
    if (cells.start[a + 1] - cells.start[a] > tets_most) {
      error_set(error, "node %lld has %d tets, but the shared memory of a block takes only %d: use another assembly",
                (long long)space->node_tag[a], (int)(cells.start[a + 1] - cells.start[a]), tets_most);
      goto done;
    }
  const bool divided = partitioner == PARTITION_METIS ? partition_by_metis(space, tets_most, part, error)
                                                      : partition_greedily(space, &cells, tets_most, part, error);
  ok = divided && list_parts(&made, space, part, error);
done:
  node_cells_destroy(&cells);
  free(part);
  if (ok)
    *partition = made;
  else
    partition_destroy(&made);
  return ok;
}

void partition_destroy(Partition *partition) {
  free(partition->node_start);
  free(partition->node);
  free(partition->tet_start);
  free(partition->tet);
  *partition = (Partition){ 0 };
}
