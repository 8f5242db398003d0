// Divides a mesh into parts (partition.h). A part is a group of nodes whose matrix rows one thread block of the GPU
// sums. The tets of a part are all tets that have one of its nodes; their number is limited. A large mesh is first
// divided into regions, in which threads make parts in parallel.
#include "sim/assembly/partition.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "mesh/bisect.h"
#include "mesh/divide.h"

// The greedy method has MERGE_ROUNDS rounds. A round first merges parts, and then moves nodes between parts in
// MOVE_PASSES passes over the nodes.
enum { MERGE_ROUNDS = 3, MOVE_PASSES = 6 };
// Approximate maximum number of nodes of a region. A region is one of the pieces of a large mesh that are divided in
// parallel.
enum { REGION_NODES = PARTITION_WHOLE / 2 };

// Counts the tets of each part in tets [count], and returns the largest of these numbers. A tet belongs to each part
// that has one of its nodes. part [node_count]: the part of each node.
static int max_tets(const Space *space, const int *part, int count, int *tets) {
  int maximum = 0;
  memset(tets, 0, sizeof *tets * (size_t)count);
  for (int e = 0; e < space->cell_count; e++)
    for (int a = 0; a < 4; a++) {
      const int own = part[space_cell(space, e)[a]];
      bool known = false;
      for (int b = 0; b < a; b++) known = known || part[space_cell(space, e)[b]] == own;
      if (!known && ++tets[own] > maximum) maximum = tets[own];
    }
  return maximum;
}

// State of a part while parts are merged. The part's nodes form a linked list: Greedy.next[a] is the node after node a.
// The part's tets, those with one of its nodes, are stored in an array.
typedef struct Growing {
  int first_node, last_node;  // the first and the last node of the linked list
  // tet_count: number of tets of the part. tet_capacity: allocated length of `tet`.
  int tet_count, tet_capacity;
  int *tet;
} Growing;

// Data of the greedy method, which starts with one part for each node, and then merges parts two by two. A part's
// number is the index of one of its nodes, so arrays with one element for each part have node_count elements.
typedef struct Greedy {
  const Space *space;
  const NodeCells *cells;
  int tets_max;
  // [node_count], the part of each node. Threads process different regions of the mesh. A thread may read the part of a
  // node in another region while a second thread changes it, so the type is atomic. The result does not depend on the
  // value that is read, because parts of different regions have different numbers.
  atomic_int *part;
  int *next;  // [node_count], the next node of the same part; -1: this node is the last one
  // [node_count]: growing[k] is the part with the number k; it has no nodes if this number is unused
  Growing *growing;
  // [node_count], true: in this round, the part of this node cannot be merged with a neighbouring part any more
  bool *done;
  int *tets, *neighbour_moved;  // [node_count], work arrays of move_borders, which explains them
  int regions;
  int *region;        // [node_count], the region of each node; a region is a group of nodes near each other
  int *node;          // [node_count], nodes of all regions, one region after the other, ascending in each
  int *region_start;  // [regions + 1], index in `node` of the first node of each region
  // [regions][largest][3], work memory of each region. The function parts_around fills it for one node: element [t][k]
  // is the part of the k-th other node of tet t at this node.
  int (*around)[3];
  int largest;    // maximum number of tets at a node
  Error *errors;  // [regions], the error of merge_parts in each region
} Greedy;

static int part_of(const Greedy *g, int node) {
  return atomic_load_explicit(&g->part[node], memory_order_relaxed);
}

static void set_part(Greedy *g, int node, int part) {
  atomic_store_explicit(&g->part[node], part, memory_order_relaxed);
}

// Returns true if at least one node of tet e belongs to the part.
static bool touches(const Greedy *g, int e, int part) {
  const int *node = space_cell(g->space, e);
  return part_of(g, node[0]) == part || part_of(g, node[1]) == part || part_of(g, node[2]) == part ||
         part_of(g, node[3]) == part;
}

// Returns the number of tets that `part` would gain by a merge with the part `other`: those tets of `other` that `part`
// does not have. Stops counting at a result of `limit` + 1. The tets of a part are those with one of its nodes.
static int added(const Greedy *g, int part, int other, int limit) {
  const Growing *o = &g->growing[other];
  int count = 0;
  for (int t = 0; t < o->tet_count && count <= limit; t++) count += !touches(g, o->tet[t], part);
  return count;
}

// Merges part `other` into `part`: adds its nodes and tets. Afterwards part `other` has no nodes.
static bool unite(Greedy *g, int part, int other, Error *error) {
  Growing *p = &g->growing[part], *o = &g->growing[other];
  if (p->tet_count + o->tet_count > p->tet_capacity) {
    const int capacity = 2 * (p->tet_count + o->tet_count);
    int *grown = array_new(capacity, sizeof *grown, "parts", error);
    if (!grown) return false;
    memcpy(grown, p->tet, sizeof *grown * (size_t)p->tet_count);
    free(p->tet);
    p->tet = grown;
    p->tet_capacity = capacity;
  }
  for (int t = 0; t < o->tet_count; t++)
    if (!touches(g, o->tet[t], part)) p->tet[p->tet_count++] = o->tet[t];
  for (int a = o->first_node; a >= 0; a = g->next[a]) set_part(g, a, part);
  g->next[p->last_node] = o->first_node;
  p->last_node = o->last_node;
  free(o->tet);
  *o = (Growing){ .first_node = -1, .last_node = -1 };
  return true;
}

// Parts that have already been tested for a merge with a node's part. Several neighbours of the node may be in one
// part, which is then tested only once.
typedef struct KnownParts {
  int count, part[16];
} KnownParts;

// Adds `part` to the list, and returns true if it was not yet in the list. If the list is full, it stays as it is, and
// the function may return true twice for one part. That part is then tested again, which only costs time.
static bool add_part(KnownParts *known_parts, int part) {
  for (int k = 0; k < known_parts->count; k++)
    if (known_parts->part[k] == part) return false;
  if (known_parts->count < (int)(sizeof known_parts->part / sizeof *known_parts->part))
    known_parts->part[known_parts->count++] = part;
  return true;
}

// Merges the part of `node` with the neighbouring part for which the union has the fewest tets. Sets *united to true if
// two parts were merged. If each union has more than tets_max tets, sets done[node], and the node is skipped for the
// rest of this round. A later test would fail too, because parts only grow in a round.
static bool grow(Greedy *g, int node, bool *united, Error *error) {
  const int part = part_of(g, node), capacity = g->tets_max - g->growing[part].tet_count;
  int best = -1, least = capacity + 1;
  KnownParts known_parts = { 0 };
  for (int64_t s = g->space->graph.start[node]; s < g->space->graph.start[node + 1]; s++) {
    const int neighbour = g->space->graph.neighbour[s];
    if (g->region[neighbour] != g->region[node]) continue;
    const int other = part_of(g, neighbour);
    if (other == part || !add_part(&known_parts, other)) continue;
    const int more = added(g, part, other, least);

    // Each union contains this part, so the union with the fewest tets is the one with the fewest added tets.
    if (more < least) {
      least = more;
      best = other;
    }
  }
  *united = best >= 0;
  g->done[node] = best < 0;
  return best < 0 || unite(g, part, best, error);
}

// Returns true if node `a` has the smallest number among those nodes of tet e that are in the part. A loop over the
// nodes of a part visits a tet once for each of its nodes; this test is true for one of the visits.
static bool counts(const Greedy *g, int e, int a, int part) {
  const int *node = space_cell(g->space, e);
  for (int b = 0; b < 4; b++)
    if (node[b] < a && part_of(g, node[b]) == part) return false;
  return true;
}

// Builds the lists of nodes and tets of the parts in a region, from g->part, the part of each node. Sets `done` of all
// nodes in the region to false.
static bool begin_parts(Greedy *g, int region, Error *error) {
  const int first = g->region_start[region], last = g->region_start[region + 1];
  for (int k = first; k < last; k++) {
    g->growing[g->node[k]] = (Growing){ .first_node = -1, .last_node = -1 };
    g->done[g->node[k]] = false;
  }
  for (int k = first; k < last; k++) {
    const int a = g->node[k];
    Growing *p = &g->growing[part_of(g, a)];
    g->next[a] = -1;
    if (p->first_node < 0)
      p->first_node = a;
    else
      g->next[p->last_node] = a;
    p->last_node = a;
    p->tet_capacity += (int)(g->cells->start[a + 1] - g->cells->start[a]);
  }

  for (int k = first; k < last; k++) {
    const int part = g->node[k];
    Growing *p = &g->growing[part];
    if (!interrupt_check(error)) return false;
    if (p->first_node < 0) continue;
    p->tet = array_new(p->tet_capacity, sizeof *p->tet, "parts", error);
    if (!p->tet) return false;
    for (int a = p->first_node; a >= 0; a = g->next[a])
      for (int64_t s = g->cells->start[a]; s < g->cells->start[a + 1]; s++)
        if (counts(g, g->cells->cell[s], a, part)) p->tet[p->tet_count++] = g->cells->cell[s];
  }
  return true;
}

// Frees the lists of tets of all parts in a region.
static void end_parts(Greedy *g, int region) {
  for (int k = g->region_start[region]; k < g->region_start[region + 1]; k++) free(g->growing[g->node[k]].tet);
}

// Merges neighbouring parts in a region, until any two neighbouring parts together have more than tets_max tets.
static bool merge_parts(Greedy *g, int region, Error *error) {
  bool ok = begin_parts(g, region, error);
  for (bool more = ok; more;) {
    more = false;
    for (int k = g->region_start[region]; ok && k < g->region_start[region + 1]; k++) {
      bool united = false;
      if (g->done[g->node[k]]) continue;
      ok = interrupt_check(error) && grow(g, g->node[k], &united, error);
      more = more || united;
    }
    more = more && ok;
  }
  end_parts(g, region);
  return ok;
}

// Sets around[k] to the parts of the three other nodes of tet k at a node; the tets at the node are numbered from 0.
// Returns the number of these tets.
static int parts_around(const Greedy *g, int node, int (*around)[3]) {
  const NodeCells *cells = g->cells;
  int count = 0;
  for (int64_t s = cells->start[node]; s < cells->start[node + 1]; s++, count++) {
    const int *corner = space_cell(g->space, cells->cell[s]);
    int k = 0;
    for (int b = 0; b < 4; b++)
      if (corner[b] != node) around[count][k++] = part_of(g, corner[b]);
  }
  return count;
}

// Counts those tets at a node whose other three nodes are all outside the part. If the node moved out of this part, the
// part would lose these tets. around [tets][3]: for each tet at the node, the parts of its three other nodes.
static int tets_without(const int (*around)[3], int tets, int part) {
  int count = 0;
  for (int t = 0; t < tets; t++) count += (around[t][0] != part) & (around[t][1] != part) & (around[t][2] != part);
  return count;
}

// Moves nodes of a region to neighbouring parts, to reduce the total number of tets of all parts. Each node moves to
// the part for which this number decreases most. From the second pass on, only nodes with a neighbour that has just
// moved are visited.
//
// Work arrays: g->tets has the number of tets of each part. g->neighbour_moved has, for each node, the last pass in
// which a neighbour of the node moved; passes are counted from 1.
static void move_borders(Greedy *g, int region) {
  const int first = g->region_start[region], last = g->region_start[region + 1];
  int(*around)[3] = g->around + (int64_t)region * g->largest, *tets = g->tets;
  for (int k = first; k < last; k++) tets[g->node[k]] = g->neighbour_moved[g->node[k]] = 0;
  for (int k = first; k < last; k++) {
    const int a = g->node[k], part = part_of(g, a);
    for (int64_t s = g->cells->start[a]; s < g->cells->start[a + 1]; s++)
      tets[part] += counts(g, g->cells->cell[s], a, part);
  }

  for (int pass = 0; pass < MOVE_PASSES; pass++) {
    for (int k = first; k < last && !interrupt_requested(); k++) {
      const int a = g->node[k], own = part_of(g, a);
      if (pass > 0 && g->neighbour_moved[a] < pass) continue;
      int best = -1, removed = -1, fewest_added = 0, count = 0;
      KnownParts known_parts = { 0 };
      for (int64_t s = g->space->graph.start[a]; s < g->space->graph.start[a + 1]; s++) {
        const int neighbour = g->space->graph.neighbour[s];
        if (g->region[neighbour] != region) continue;
        const int other = part_of(g, neighbour);
        if (other == own || !add_part(&known_parts, other)) continue;
        if (removed < 0) {
          count = parts_around(g, a, around);
          removed = fewest_added = tets_without((const int(*)[3])around, count, own);
        }
        if (removed == 0) break;
        const int added_tets = tets_without((const int(*)[3])around, count, other);
        if (added_tets < fewest_added && tets[other] + added_tets <= g->tets_max) {
          fewest_added = added_tets;
          best = other;
        }
      }
      if (best < 0) continue;
      tets[own] -= removed;
      tets[best] += fewest_added;
      set_part(g, a, best);
      for (int64_t s = g->space->graph.start[a]; s < g->space->graph.start[a + 1]; s++)
        if (g->region[g->space->graph.neighbour[s]] == region)
          g->neighbour_moved[g->space->graph.neighbour[s]] = pass + 1;
    }
  }
}

// Divides the regions [first, last) into parts, in MERGE_ROUNDS rounds. Each round merges parts, as in paper 000. Then
// it moves nodes between parts, which paper 000 does not do. This makes parts rounder, with fewer tets, so that more of
// them can be merged in the next round.
static void divide_regions(const void *task, int first, int last) {
  Greedy *g = *(Greedy *const *)task;
  for (int region = first; region < last; region++) {
    bool ok = true;
    for (int round = 0; ok && round < MERGE_ROUNDS; round++) {
      ok = merge_parts(g, region, &g->errors[region]);
      if (ok) move_borders(g, region);
    }
  }
}

// Divides the nodes into 2^levels regions of nodes near each other, by halving the body in space `levels` times.
static bool cut_regions(Greedy *g, int levels, Error *error) {
  const int nodes = g->space->node_count;
  g->regions = 1 << levels;
  g->region = array_new(nodes, sizeof *g->region, "parts", error);
  g->node = array_new(nodes, sizeof *g->node, "parts", error);
  g->region_start = array_new((int64_t)g->regions + 1, sizeof *g->region_start, "parts", error);
  if (!g->region || !g->node || !g->region_start) return false;
  for (int k = 0; k <= g->regions; k++) g->region_start[k] = bisect_start(nodes, levels, k);
  if (!bisect_points((const double(*)[3])g->space->X, nodes, levels, g->node, error)) return false;
  for (int k = 0; k < g->regions; k++)
    for (int s = g->region_start[k]; s < g->region_start[k + 1]; s++) g->region[g->node[s]] = k;
  return true;
}

// Sets part [node_count], the part of each node, by the greedy method, separately in 2^levels regions of the body.
// `cells` lists the tets at each node.
static bool partition_greedily(const Space *space, const NodeCells *cells, int levels, int tets_max, int *part,
                               Error *error) {
  const int nodes = space->node_count;
  Greedy g = { .space = space, .cells = cells, .tets_max = tets_max, .largest = 1 };
  bool ok = cut_regions(&g, levels, error);
  g.part = array_new(nodes, sizeof *g.part, "parts", error);
  g.next = array_new(nodes, sizeof *g.next, "parts", error);
  g.growing = array_new(nodes, sizeof *g.growing, "parts", error);
  g.done = array_new(nodes, sizeof *g.done, "parts", error);
  g.tets = array_new(nodes, sizeof *g.tets, "parts", error);
  g.neighbour_moved = array_new(nodes, sizeof *g.neighbour_moved, "parts", error);
  for (int a = 0; a < nodes; a++)
    if (cells->start[a + 1] - cells->start[a] > g.largest) g.largest = (int)(cells->start[a + 1] - cells->start[a]);
  g.around = array_new((int64_t)g.regions * g.largest, sizeof *g.around, "parts", error);
  g.errors = array_new(g.regions, sizeof *g.errors, "parts", error);
  ok = ok && g.part && g.next && g.growing && g.done && g.tets && g.neighbour_moved && g.around && g.errors;

  // First put each node into a separate part, in all regions. The array initially contains zeros. A thread that divides
  // one region may read the part of a node in another region, and this node must not seem to belong to part 0.
  for (int a = 0; ok && a < nodes; a++) set_part(&g, a, a);
  if (ok) parallel_for_parts(g.regions, divide_regions, &(Greedy *){ &g });
  for (int k = 0; ok && k < g.regions; k++) ok = !g.errors[k].message[0] || error_set(error, "%s", g.errors[k].message);
  for (int a = 0; ok && a < nodes; a++) part[a] = part_of(&g, a);
  free(g.part);
  free(g.next);
  free(g.growing);
  free(g.done);
  free(g.tets);
  free(g.neighbour_moved);
  free(g.region);
  free(g.node);
  free(g.region_start);
  free(g.around);
  free(g.errors);
  return ok && interrupt_check(error);
}

// Sets part [node_count], the part of each node, by METIS. Increases the number of parts until no part has more than
// tets_max tets.
static bool partition_by_metis(const Space *space, int tets_max, int *part, Error *error) {
  int *tets = array_new(space->node_count, sizeof *tets, "parts", error);
  bool ok = tets, fits = false;
  for (int parts = space->cell_count / tets_max + 1; ok && !fits; parts += parts / 8 + 1) {
    // the caller has checked that each part of a single node has at most tets_max tets
    if (parts > space->node_count) parts = space->node_count;
    ok = adjacency_divide(&space->graph, parts, NULL, part, error);
    fits = ok && max_tets(space, part, parts, tets) <= tets_max;
  }
  free(tets);
  return ok;
}

// Arguments of find_keys, which sets key[4 e + a] for corner a of each tet e: the part of the corner's node. If an
// earlier corner of the tet is in the same part, the key is part_count. Sorting by key then lists each tet once in each
// of its parts.
typedef struct Corners {
  const Space *space;
  const int *part;  // [node_count], the part of each node
  int part_count;
  int *key;  // [4 * cell_count], the computed keys
} Corners;

static void find_keys(const void *corners, int first, int last) {
  const Corners *c = corners;
  for (int e = first; e < last; e++)
    for (int a = 0; a < 4; a++) {
      const int *node = space_cell(c->space, e), own = c->part[node[a]];
      bool known = false;
      for (int b = 0; b < a; b++) known = known || c->part[node[b]] == own;
      c->key[4 * (int64_t)e + a] = known ? c->part_count : own;
    }
}

// Sorts the numbers 0 to count - 1 by key [count], the index of a part; keys are less than `keys`. Writes each number,
// divided by `group`, to `item`, in sorted order. Example: with group = 4, the number 4 * e + a of corner a of tet e is
// written as e. Allocates *starts [part_count + 1], the index in `item` of each part's first number.
static bool sort_by_part(const int *key, int64_t count, int keys, int group, int part_count, int **starts, int *item,
                         Error *error) {
  int64_t *start = array_new((int64_t)keys + 1, sizeof *start, "parts", error);
  *starts = array_new((int64_t)part_count + 1, sizeof **starts, "parts", error);
  const bool ok = start && *starts && sort_by_key(key, count, keys, group, start, item, error);
  for (int k = 0; ok && k <= part_count; k++) (*starts)[k] = (int)start[k];
  free(start);
  return ok;
}

// Builds the lists of nodes and tets of each part. part [node_count]: input, for each node the number of its part,
// below node_count; output, the new number. Parts are renumbered in the order of their first nodes.
static bool list_parts(Partition *made, const Space *space, int *part, Error *error) {
  enum { CHUNK = 8192 };
  const int nodes = space->node_count;
  const int64_t corners = 4 * (int64_t)space->cell_count;
  int *number = array_new(nodes, sizeof *number, "parts", error);
  made->node = array_new(nodes, sizeof *made->node, "parts", error);
  if (!number || !made->node) {
    free(number);
    return false;
  }
  for (int a = 0; a < nodes; a++)
    if (!number[part[a]]) number[part[a]] = ++made->part_count;
  for (int a = 0; a < nodes; a++) part[a] = number[part[a]] - 1;
  free(number);
  if (!sort_by_part(part, nodes, made->part_count, 1, made->part_count, &made->node_start, made->node, error))
    return false;

  // List the tets of each part; a tet with nodes of several parts is listed once in each of them.
  int *key = array_new(corners, sizeof *key, "parts", error);
  made->tet = array_new(corners, sizeof *made->tet, "parts", error);
  bool ok = key && made->tet;
  if (ok) {
    parallel_for(space->cell_count, CHUNK, find_keys, &(Corners){ space, part, made->part_count, key });
    ok = sort_by_part(key, corners, made->part_count + 1, 4, made->part_count, &made->tet_start, made->tet, error);
  }
  free(key);
  if (!ok) return false;
  int *fitted = realloc(made->tet, sizeof *fitted * (size_t)made->tet_start[made->part_count]);
  if (fitted) made->tet = fitted;
  return true;
}

// Divides the mesh into parts. If `levels` is negative, it calls METIS. Otherwise it runs the greedy method in 2^levels
// regions of the body.
static bool create(Partition *partition, const Space *space, int levels, int tets_max, Error *error) {
  Partition made = { 0 };
  NodeCells cells = { 0 };
  bool ok = false;
  int *part = array_new(space->node_count, sizeof *part, "parts", error);
  if (!part || !node_cells_create(&cells, space, error)) goto done;
  for (int a = 0; a < space->node_count; a++)
    if (cells.start[a + 1] - cells.start[a] > tets_max) {
      error_set(error,
                "node %lld has %d tets, but the shared memory of a thread block of the GPU holds only %d; choose "
                "another --assembly",
                (long long)space->node_tag[a], (int)(cells.start[a + 1] - cells.start[a]), tets_max);
      goto done;
    }
  const bool divided = levels < 0 ? partition_by_metis(space, tets_max, part, error)
                                  : partition_greedily(space, &cells, levels, tets_max, part, error);
  node_cells_destroy(&cells);
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

bool partition_create(Partition *partition, const Space *space, Partitioner partitioner, int tets_max, Error *error) {
  int levels = 0;
  if (space->node_count > PARTITION_WHOLE)
    while (space->node_count >> levels > REGION_NODES) levels++;
  return create(partition, space, partitioner == PARTITION_METIS ? -1 : levels, tets_max, error);
}

bool partition_create_regions(Partition *partition, const Space *space, int levels, int tets_max, Error *error) {
  return create(partition, space, levels, tets_max, error);
}

void partition_destroy(Partition *partition) {
  free(partition->node_start);
  free(partition->node);
  free(partition->tet_start);
  free(partition->tet);
  *partition = (Partition){ 0 };
}
