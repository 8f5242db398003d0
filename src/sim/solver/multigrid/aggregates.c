// Creates aggregates, connected groups of nodes whose rigid motions form the coarse space (aggregates.h). The nodes are
// divided into parts by METIS, or by the caller. Each part is cut into its connected pieces. Pieces become aggregates;
// small ones of METIS's parts join an adjacent aggregate.
#include "sim/solver/multigrid/aggregates.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"
#include "mesh/divide.h"

// Returns the intended number of aggregates (groups of nodes), 1 to AGGREGATES_MAX / 2: half the square root of
// node_count, or if it is larger, node_count / NODES_LEAST but at most USUAL. With more aggregates, CG needs fewer
// iterations, but the dense matrix of their motions is larger. The time to multiply by this matrix grows with the
// square of the number of aggregates, the time to invert it with the third power (docs/log/stiff-bodies.md).
int aggregate_count_for(int node_count) {
  enum { USUAL = 60, NODES_LEAST = 32 };
  const int least = node_count / NODES_LEAST < USUAL ? node_count / NODES_LEAST : USUAL;
  const int root = (int)(0.5 * sqrt((double)node_count)), count = root > least ? root : least;
  return count < 1 ? 1 : 2 * count < AGGREGATES_MAX ? count : AGGREGATES_MAX / 2;
}

// The pieces of all parts. A piece is a connected group of nodes of one part. Example: a part with nodes in two fingers
// of a hand has two pieces.
typedef struct Pieces {
  int count;
  int *of;    // [node_count], piece (connected group of nodes) of each node
  int *size;  // [count], nodes of each piece
  int *join;  // [count], aggregate of each piece; -1: not yet decided
} Pieces;

static void pieces_destroy(Pieces *p) {
  free(p->of);
  free(p->size);
  free(p->join);
}

static bool find_pieces(Pieces *p, const Adjacency *graph, const int *part, Error *error) {
  const int nodes = graph->node_count;
  int *queue = array_new(nodes, sizeof *queue, "aggregates", error);
  int64_t capacity[2] = { 0, 0 };
  p->of = array_new(nodes, sizeof *p->of, "aggregates", error);
  bool ok = queue && p->of;
  for (int a = 0; ok && a < nodes; a++) p->of[a] = -1;

  // Find the pieces by breadth-first search from each node that has no piece yet.
  for (int first = 0; ok && first < nodes; first++) {
    if (p->of[first] >= 0) continue;
    const int piece = p->count;
    ok = array_reserve((void **)&p->size, &capacity[0], piece + 1, sizeof *p->size, "aggregates", error) &&
         array_reserve((void **)&p->join, &capacity[1], piece + 1, sizeof *p->join, "aggregates", error);
    if (!ok) break;
    int head = 0, tail = 0;
    queue[tail++] = first;
    p->of[first] = piece;
    while (head < tail) {
      const int a = queue[head++];
      for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++) {
        const int b = graph->neighbour[k];
        if (p->of[b] < 0 && part[b] == part[a]) {
          p->of[b] = piece;
          queue[tail++] = b;
        }
      }
    }
    p->size[piece] = tail;
    p->join[piece] = -1;
    p->count++;
  }

  free(queue);
  return ok;
}

// Assigns pieces (connected groups of nodes of one part) to aggregates, and returns the number of aggregates. A piece
// of at least half the average size of a part becomes an aggregate. Smaller pieces join an adjacent aggregate. Small
// pieces without an adjacent aggregate are separate bodies. They become aggregates too, up to AGGREGATES_MAX.
static int join_pieces(Pieces *p, const Adjacency *graph, int parts) {
  const int nodes = graph->node_count;
  int count = 0;
  for (int k = 0; k < p->count; k++)
    if (2 * (int64_t)p->size[k] * parts >= nodes) p->join[k] = count++;

  // Join small pieces to adjacent aggregates until nothing changes.
  for (bool more = true; more;) {
    more = false;
    for (int a = 0; a < nodes; a++)
      for (int64_t k = graph->start[a]; k < graph->start[a + 1] && p->join[p->of[a]] < 0; k++) {
        const int there = p->join[p->of[graph->neighbour[k]]];
        if (there >= 0) {
          p->join[p->of[a]] = there;
          more = true;
        }
      }
  }

  // The remaining pieces touch no aggregate. They become aggregates.
  for (int k = 0; k < p->count && count < AGGREGATES_MAX; k++)
    if (p->join[k] < 0) p->join[k] = count++;
  return count;
}

// Assigns pieces to aggregates if the caller has given the parts: each piece (connected group of nodes of one part)
// becomes an aggregate. If there are more than AGGREGATES_MAX pieces, some of the small ones get no aggregate.
// Aggregates are numbered part by part. Returns the number of aggregates.
static int number_pieces(Pieces *p, const Adjacency *graph, const int *part, int parts) {
  const int nodes = graph->node_count;
  int taken = 0, count = 0;
  for (int large = 1; large >= 0; large--)
    for (int k = 0; k < p->count && taken < AGGREGATES_MAX; k++)
      if (p->join[k] < 0 && (!large || 2 * (int64_t)p->size[k] * parts >= nodes)) {
        p->join[k] = INT_MAX;
        taken++;
      }
  for (int q = 0; q < parts; q++)
    for (int a = 0; a < nodes; a++)
      if (part[a] == q && p->join[p->of[a]] == INT_MAX) p->join[p->of[a]] = count++;
  return count;
}

// Sets g->of, the aggregate (group of nodes) of each node. given [node_count] is the part of each node. If it is NULL,
// METIS computes the parts. If parts are given, no aggregate contains nodes of two parts.
static bool divide(Aggregates *g, const Adjacency *graph, const int *given, int given_count, Error *error) {
  const int nodes = g->node_count, parts = given ? given_count : aggregate_count_for(nodes);
  Pieces pieces = { 0 };
  int *made = given ? NULL : array_new(nodes, sizeof *made, "aggregates", error);
  const int *part = given ? given : made;
  g->of = array_new(nodes, sizeof *g->of, "aggregates", error);
  const bool ok = part && g->of && (given || adjacency_divide(graph, parts, NULL, made, error)) &&
                  find_pieces(&pieces, graph, part, error);
  if (ok) g->count = given ? number_pieces(&pieces, graph, part, parts) : join_pieces(&pieces, graph, parts);
  for (int a = 0; ok && a < nodes; a++) g->of[a] = pieces.join[pieces.of[a]];
  pieces_destroy(&pieces);
  free(made);
  return ok;
}

static bool list_members(Aggregates *g, Error *error) {
  int *next = array_new((int64_t)g->count + 1, sizeof *next, "aggregates", error);
  g->start = array_new((int64_t)g->count + 1, sizeof *g->start, "aggregates", error);
  g->member = array_new(g->node_count, sizeof *g->member, "aggregates", error);
  const bool ok = next && g->start && g->member;
  for (int a = 0; ok && a < g->node_count; a++)
    if (g->of[a] >= 0) g->start[g->of[a] + 1]++;
  for (int k = 0; ok && k < g->count; k++) g->start[k + 1] += g->start[k];
  if (ok) memcpy(next, g->start, sizeof *next * ((size_t)g->count + 1));
  for (int a = 0; ok && a < g->node_count; a++) g->member[next[g->of[a] >= 0 ? g->of[a] : g->count]++] = a;
  free(next);
  return ok;
}

// A matrix block, and the two aggregates (groups of nodes) that it couples. `compare` orders blocks by aggregates.
typedef struct Listed {
  int row, column;   // aggregates of the block's row and column
  int node;          // node of the block's row
  int64_t position;  // index of the block in the graph's list of neighbours
} Listed;

static int compare(const void *a, const void *b) {
  const Listed *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return x->column < y->column ? -1 : x->column > y->column;
}

// Appends the matrix blocks in the rows of one aggregate's nodes to g->item, sorted by pairs of aggregates. `row` is
// the number of this aggregate (group of nodes). The capacities are the lengths of the arrays, which grow as needed.
static bool list_row(Aggregates *g, const Operator *A, int row, Listed **listed, int64_t *listed_capacity,
                     int64_t *pair_capacity, int64_t *start_capacity, int64_t *item_capacity, Error *error) {
  const Adjacency *graph = &A->space->graph;
  int64_t count = 0, at = g->pair_count ? g->item_start[g->pair_count] : 0;

  // Collect the matrix blocks whose column is a node of this aggregate or of a later one.
  for (int m = g->start[row]; m < g->start[row + 1]; m++) {
    const int a = g->member[m];
    const int64_t first = graph->start[a], last = graph->start[a + 1];
    if (!array_reserve((void **)listed, listed_capacity, count + last - first, sizeof **listed, "aggregates", error))
      return false;
    for (int64_t k = first; k < last; k++) {
      const int there = g->of[graph->neighbour[k]];
      if (there >= row) (*listed)[count++] = (Listed){ row, there, a, k };
    }
  }

  // Sort the collected blocks by the pairs of aggregates (groups of nodes) that they couple.
  if (!sort_items(*listed, count, sizeof **listed, compare, error) ||
      !array_reserve((void **)&g->item, item_capacity, at + count, sizeof *g->item, "aggregates", error))
    return false;

  // Append these blocks to g->item, and each new pair of aggregates to g->pair.
  for (int64_t k = 0; k < count; k++) {
    const Listed *l = *listed + k;
    if (k == 0 || compare(l - 1, l) != 0) {
      if (!array_reserve((void **)&g->pair, pair_capacity, g->pair_count + 1, sizeof *g->pair, "aggregates", error) ||
          !array_reserve((void **)&g->item_start, start_capacity, g->pair_count + 2, sizeof *g->item_start,
                         "aggregates", error))
        return false;
      g->pair[g->pair_count] = (AggregatePair){ row, l->column };
      g->item_start[g->pair_count++] = at + k;
    }
    g->item[at + k] = (AggregateItem){ A->slots[l->position], l->node, graph->neighbour[l->position] };
    g->item_start[g->pair_count] = at + k + 1;
  }
  return interrupt_check(error);
}

bool aggregates_create(Aggregates *g, const Operator *A, const int *part, int part_count, Error *error) {
  Listed *listed = NULL;
  int64_t listed_capacity = 0, pair_capacity = 0, start_capacity = 0, item_capacity = 0;
  *g = (Aggregates){ .node_count = A->space->node_count };
  bool ok = divide(g, &A->space->graph, part, part_count, error) && list_members(g, error);
  for (int row = 0; ok && row < g->count; row++)
    ok = list_row(g, A, row, &listed, &listed_capacity, &pair_capacity, &start_capacity, &item_capacity, error);
  free(listed);
  if (!ok) aggregates_destroy(g);
  return ok;
}

void aggregates_destroy(Aggregates *g) {
  free(g->of);
  free(g->start);
  free(g->member);
  free(g->pair);
  free(g->item_start);
  free(g->item);
  *g = (Aggregates){ 0 };
}
