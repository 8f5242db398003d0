// The search for pairs that may touch (nearby.h). It pairs points with triangles and edges with edges. Each of these
// items has a bounding box, and the boxes form a hierarchy of blocks of eight (box_blocks.h). The search tests large
// blocks against each other, then the smaller blocks inside those that may come near, down to single items. Two items
// whose boxes may come near are tested exactly.
//
// Boxes also bound displacements. Tests use relative displacements, so objects that move together need no additional
// tests. Blocks contain the items in the order of the skin's trees (box_tree.h), so the items of a block are
// neighbours.
#include "sim/contact/nearby.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "sim/contact/candidate.h"

// Sizes of one task of a parallel loop. NODES: number of nodes. BLOCKS: number of blocks of boxes. PIECES: number
// of pieces of a search (NearbyPiece).
enum { NODES = 2048, BLOCKS = 64, PIECES = 2 };
// A query is a point or an edge whose pairs are searched. A search begins with blocks of queries on level START_LEVEL
// of their tree. START_BLOCKS of these blocks form one piece of the search.
enum { START_LEVEL = 1, START_BLOCKS = 4 };

// A piece of a parallel search, with its results and work memory. Its queries are the points, or the edges, in
// START_BLOCKS blocks of their tree of boxes. It finds the pairs of these queries.
typedef struct NearbyPiece {
  // Pairs of blocks that may come near each other. list: on the present level of the search. next: on the level below.
  BlockPair *list, *next;
  int64_t list_count, list_capacity, next_capacity;
  ContactPair *pair;  // [count], the pairs that this piece of the search has found
  int *query;         // [count], the query (point or edge) of each pair
  int64_t count, capacity, query_capacity;
  Error error;  // reason why this piece of the search failed; an empty message: it has not failed
} NearbyPiece;

// Sums over all nodes, one sum for each component x, y, z. They show how far two states (sets of positions) have moved
// along the displacements that were predicted when the list of pairs was made. moved: sum of the displacements since
// the list was made. along: sum of the products of these displacements and the predicted ones. displacement: sum of the
// predicted displacements. length2: sum of the squares of the predicted displacements.
typedef struct MotionSums {
  double moved[2][3], along[2][3], displacement[3], length2[3];
  double maximum[2];  // m^2, for each state: largest squared distance of a node from its predicted position
} MotionSums;

// Creates blocks of eight slots; a slot holds one item, such as a triangle. Node k of `tree` has item[start[k]] to
// item[start[k + 1] - 1]; only leaves have items. A subtree with at most eight items gets one block, whose last slots
// may stay empty. Items of the next subtree are not put into these slots: they may be far away and would make the
// block's box large.
static bool block_items(BoxBlocks *blocks, const BoxTree *tree, const int *start, const int *item, const int *node,
                        int corner_count, Error *error) {
  const int nodes = tree->node_count;
  const int64_t capacity = start[nodes] + (int64_t)BOX_BLOCK * nodes;
  int *slot = array_new(capacity, sizeof *slot, "contact", error), count = 0;
  if (!slot) return false;
  for (int k = 0, end; k < nodes; k = end) {
    end = start[tree->node[k].next] - start[k] > BOX_BLOCK ? k + 1 : tree->node[k].next;
    for (int i = start[k]; i < start[end]; i++) slot[count++] = item[i];
    while (count % BOX_BLOCK != 0) slot[count++] = -1;
  }
  const bool ok = box_blocks_create(blocks, slot, count, node, corner_count, error);
  free(slot);
  return ok;
}

// Creates the blocks for triangles or for edges; each block has the boxes of eight items. The items are in the order of
// the leaves of their tree.
static bool block_leaves(BoxBlocks *blocks, const BoxTree *tree, const int *node, int corner_count, Error *error) {
  int *start = array_new((int64_t)tree->node_count + 1, sizeof *start, "contact", error);
  for (int k = 0; start && k < tree->node_count; k++) start[k + 1] = start[k] + tree->node[k].count;
  const bool ok = start && block_items(blocks, tree, start, tree->item, node, corner_count, error);
  free(start);
  return ok;
}

// Creates the blocks for points; each block has the boxes of eight points. Points are sorted by the leaves of the
// triangles' tree. A point may have triangles in several leaves; it belongs to the first of them.
static bool block_points(BoxBlocks *blocks, const Skin *s, Error *error) {
  const BoxTree *tree = &s->triangles;
  int *leaf = array_new(s->node_count, sizeof *leaf, "contact", error);
  int *start = array_new((int64_t)tree->node_count + 2, sizeof *start, "contact", error);
  int *item = array_new(s->point_count, sizeof *item, "contact", error);
  bool ok = leaf && start && item;
  for (int a = 0; ok && a < s->node_count; a++) leaf[a] = tree->node_count;
  for (int t = 0; ok && t < s->triangle_count; t++)
    for (int j = 0; j < 3; j++) {
      int *of = &leaf[s->triangle[t][j]];
      *of = tree->leaf[t] < *of ? tree->leaf[t] : *of;
    }

  // Counting sort of points by leaf. First, start[leaf + 2] counts the points of a leaf. After the prefix sums,
  // start[leaf + 1] is the index of the leaf's next point.
  for (int k = 0; ok && k < s->point_count; k++) start[leaf[s->vertex[k]] + 2]++;
  for (int k = 0; ok && k < tree->node_count; k++) start[k + 2] += start[k + 1];
  for (int k = 0; ok && k < s->point_count; k++) item[start[leaf[s->vertex[k]] + 1]++] = k;
  ok = ok && block_items(blocks, tree, start, item, s->vertex, 1, error);
  free(leaf);
  free(start);
  free(item);
  return ok;
}

// Returns the level of the tree `own` at which a search starts: START_LEVEL or, if one of the two trees has fewer
// levels, the highest level of that tree. Each block of this level is tested against the tree `other`.
static int start_level(const BoxBlocks *own, const BoxBlocks *other) {
  const int levels = own->level_count < other->level_count ? own->level_count : other->level_count;
  return levels - 1 < START_LEVEL ? levels - 1 : START_LEVEL;
}

static int start_blocks(const BoxBlocks *own, const BoxBlocks *other) {
  return box_blocks_count(own, start_level(own, other));
}

bool nearby_create(Nearby *n, const Skin *skin, double reach, Error *error) {
  // A list of pairs stays valid while no node deviates from its predicted motion by more than `slack`. With a larger
  // slack, lists are longer; with a smaller one, searches are more frequent. Half of the reach is a compromise.
  *n = (Nearby){ .skin = skin, .reach = reach, .slack = 0.5 * reach };
  n->from = array_new(skin->node_count, sizeof *n->from, "contact", error);
  n->displacement = array_new(skin->node_count, sizeof *n->displacement, "contact", error);
  n->start = array_new((int64_t)skin->vertex_count + skin->edge_count + 1, sizeof *n->start, "contact", error);
  n->part = array_new(1 + skin->vertex_count / NODES, sizeof *n->part, "contact", error);
  for (int i = 0; i < 3; i++) {
    n->paths.at[i] = array_new(skin->node_count, sizeof(float), "contact", error);
    n->paths.displacement[i] = array_new(skin->node_count, sizeof(float), "contact", error);
    if (!n->paths.at[i] || !n->paths.displacement[i]) return false;
  }
  if (!n->from || !n->displacement || !n->start || !n->part || !block_points(&n->points, skin, error) ||
      !block_leaves(&n->triangles, &skin->triangles, skin->triangle[0], 3, error) ||
      !block_leaves(&n->edges, &skin->edges, skin->edge[0], 2, error))
    return false;
  n->point_pieces = (start_blocks(&n->points, &n->triangles) + START_BLOCKS - 1) / START_BLOCKS;
  n->piece_count = n->point_pieces + (start_blocks(&n->edges, &n->edges) + START_BLOCKS - 1) / START_BLOCKS;
  n->piece = array_new(n->piece_count, sizeof *n->piece, "contact", error);
  return n->piece;
}

void nearby_destroy(Nearby *n) {
  for (int k = 0; n->piece && k < n->piece_count; k++) {
    NearbyPiece *p = &n->piece[k];
    free(p->list);
    free(p->next);
    free(p->pair);
    free(p->query);
  }
  for (int i = 0; i < 3; i++) {
    free(n->paths.at[i]);
    free(n->paths.displacement[i]);
  }
  free(n->from);
  free(n->displacement);
  free(n->piece);
  free(n->start);
  free(n->pair);
  free(n->part);
  box_blocks_destroy(&n->points);
  box_blocks_destroy(&n->triangles);
  box_blocks_destroy(&n->edges);
  *n = (Nearby){ 0 };
}

// Arguments of a search for pairs of points and triangles, or for pairs of edges.
typedef struct Search {
  Nearby *n;
  BoxBlocks *first, *other;  // points and triangles; or, in a search for pairs of edges, both are the edges
  // near: distance, m, below which two boxes are near each other. near_rounded: `near` plus the rounding error of boxes
  // that are computed in float.
  float near, near_rounded;
  PairKind kind;
  NearbyPiece *piece;  // the first piece of this search: the queries of one task of the loop belong to one piece
} Search;

// Stores in n->paths, as floats, the positions and predicted displacements of the nodes, minus those of the first
// vertex. Boxes are computed from these floats. Returns an upper bound, m, on the rounding error of the distance of two
// boxes.
static double find_paths(const Nearby *n) {
  const int first = n->skin->vertex_count > 0 ? n->skin->vertex[0] : 0;
  double largest = 0;
  for (int k = 0; k < n->skin->vertex_count; k++) {
    const int a = n->skin->vertex[k];
    for (int i = 0; i < 3; i++) {
      const double at = n->from[a][i] - n->from[first][i],
                   displacement = n->displacement[a][i] - n->displacement[first][i];
      const double size = fabs(n->from[a][i]) + fabs(n->displacement[a][i]);
      n->paths.at[i][a] = (float)at;
      n->paths.displacement[i][a] = (float)displacement;
      largest = size > largest ? size : largest;
    }
  }

  // The result bounds the rounding errors, m, in the test of two boxes. The factor 16 covers the rounding of two
  // positions and two displacements, the subtraction of the first node's values, and the test itself.
  return 16 * FLT_EPSILON * largest;
}

static void bound_first(const void *search, int first, int last) {
  const Search *s = search;
  box_blocks_bound(s->first, &s->n->paths, first, last);
}

static void put_other(const void *search, int first, int last) {
  const Search *s = search;
  box_blocks_bound(s->other, &s->n->paths, first, last);
}

// Computes *low and *high, the smallest and the largest value of of[a][axis] over the nodes a = node[0] to node[count -
// 1], rounded outward to float.
static inline void ends_along(const double (*of)[3], const int *node, int count, int axis, float *low, float *high) {
  double least = of[node[0]][axis], maximum = least;
  for (int j = 1; j < count; j++) {
    const double at = of[node[j]][axis];
    least = at < least ? at : least;
    maximum = at > maximum ? at : maximum;
  }
  *low = box_below(least);
  *high = box_above(maximum);
}

// Returns true if the boxes of a pair's primitives may come near each other, with the arithmetic of boxes_overlap. The
// first `own` nodes belong to the first primitive. The search on the GPU ends with this test too. So CPU and GPU find
// the same pairs.
static inline bool come_near(const Search *s, const int node[4], int own) {
  const double(*x)[3] = (const double(*)[3])s->n->from, (*displacement)[3] = (const double(*)[3])s->n->displacement;
  for (int i = 0; i < 3; i++) {
    float low[2], high[2], path_low[2], path_high[2];
    ends_along(x, node, own, i, &low[0], &high[0]);
    ends_along(x, node + own, 4 - own, i, &low[1], &high[1]);
    ends_along(displacement, node, own, i, &path_low[0], &path_high[0]);
    ends_along(displacement, node + own, 4 - own, i, &path_low[1], &path_high[1]);
    const float back = path_low[0] - path_high[1], on = path_high[0] - path_low[1];
    const float before = low[0] - high[1] + (back < 0 ? back : 0), behind = high[0] - low[1] + (on > 0 ? on : 0);
    if (before > s->near || behind < -s->near) return false;
  }
  return true;
}

// Appends a pair to the results of `piece`, a piece of the parallel search, if an exact test finds that the pair may
// touch. query: index of the pair's point, or vertex_count + index of its first edge. Returns false if memory runs out.
static bool consider(const Search *s, PairKind kind, int query, const int node[4], double area, NearbyPiece *piece) {
  const Nearby *n = s->n;
  const SkinNodes nodes = { (const double(*)[3])n->skin->X, n->skin->factor, n->skin->component, n->skin->body_nodes,
                            n->skin->active_nodes };
  ContactPair pair;
  if (!pair_candidate(&nodes, (const double(*)[3])n->from, (const double(*)[3])n->displacement, node, kind, area,
                      n->reach, n->slack, &pair))
    return true;
  if (!array_reserve((void **)&piece->pair, &piece->capacity, piece->count + 1, sizeof pair, "contact",
                     &piece->error) ||
      !array_reserve((void **)&piece->query, &piece->query_capacity, piece->count + 1, sizeof *piece->query, "contact",
                     &piece->error))
    return false;
  piece->query[piece->count] = query;
  piece->pair[piece->count++] = pair;
  return true;
}

// Tests pairs of items, and appends those that may touch to the results of `piece`. slots [count]: the pairs to test,
// each given by two slots, the places of the items in their trees. The first item of a pair is its query, a point or an
// edge. But if two edges are in one leaf of the tree, the edge with the smaller index is the query, as on the GPU
// (nearby.cu).
static bool consider_slots(const Search *s, const BlockPair *slots, int count, NearbyPiece *piece) {
  const Skin *skin = s->n->skin;
  const bool edges = s->kind == PAIR_EDGES;
  for (int k = 0; k < count; k++) {
    int own = s->first->item[slots[k].a], other = s->other->item[slots[k].b];
    if (edges && own > other && skin->edges.leaf[own] == skin->edges.leaf[other]) {
      const int swapped = own;
      own = other;
      other = swapped;
    }
    const int *e = skin->edge[edges ? own : 0], *f = edges ? skin->edge[other] : skin->triangle[other];
    const int node[4] = { edges ? e[0] : skin->vertex[own], edges ? e[1] : f[0], f[edges ? 0 : 1], f[edges ? 1 : 2] };
    const double area = edges ? (skin->edge_area[own] + skin->edge_area[other]) / 4 : skin->vertex_area[own];
    if (!come_near(s, node, pair_own(s->kind))) continue;
    if (!consider(s, s->kind, edges ? skin->vertex_count + own : own, node, area, piece)) return false;
  }
  return true;
}

// Finds the pairs of a point in block `a` and a half space that may touch. Appends them to the results of `piece`.
static bool consider_planes(const Search *s, int a, NearbyPiece *piece) {
  const Skin *skin = s->n->skin;
  int width = BOX_BLOCK;  // number of slots of a block to test
  for (int level = 0; level < start_level(s->first, s->other); level++) width *= BOX_BLOCK;
  const int end = (a + 1) * width < s->first->slot_count ? (a + 1) * width : s->first->slot_count;
  for (int slot = a * width; slot < end; slot++) {
    const int own = s->first->item[slot];
    if (own < 0 || own >= skin->body_vertices) continue;
    for (int k = 0; k < skin->active_planes; k++) {
      const int first = skin->plane[k], node[4] = { skin->vertex[own], first, first + 1, first + 2 };
      if (!consider(s, PAIR_POINT_PLANE, own, node, skin->vertex_area[own], piece)) return false;
    }
  }
  return true;
}

// Descends one level in the tree `other`. Before, p->list has pairs of blocks that may come near each other; the second
// block of each is on `level`. The function divides these blocks into smaller ones: the second block always, the first
// only if it is on `level` too. Afterwards, p->list has the pairs of the smaller blocks that may come near each other.
static bool divide_list(const Search *s, int first_level, int level, NearbyPiece *p) {
  BlockPair near[BOX_BLOCK * BOX_BLOCK];
  const bool edges = s->kind == PAIR_EDGES;
  int64_t count = 0;
  for (int64_t k = 0; k < p->list_count; k++) {
    const BlockPair at = p->list[k];
    const int found =
        level > first_level
            ? box_blocks_divide_other(s->first, at.a, first_level, s->other, at.b, level, s->near_rounded, edges, near)
            : box_blocks_divide(s->first, s->other, level, at, s->near_rounded, edges, near);
    if (!array_reserve((void **)&p->next, &p->next_capacity, count + found, sizeof *p->next, "contact", &p->error))
      return false;
    for (int i = 0; i < found; i++) p->next[count++] = near[i];
  }
  BlockPair *list = p->list;
  const int64_t capacity = p->list_capacity;
  p->list = p->next;
  p->list_capacity = p->next_capacity;
  p->list_count = count;
  p->next = list;
  p->next_capacity = capacity;
  return true;
}

// Finds the pairs whose query, a point or an edge, is in block `a`. Tests the block against the blocks of s->other,
// from the highest level down to single slots.
static bool search_block(const Search *s, int a, NearbyPiece *p) {
  enum { MANY = 192 };  // number of pairs of slots that are collected and then tested together
  const int first_level = start_level(s->first, s->other);
  const bool edges = s->kind == PAIR_EDGES;
  BlockPair near[MANY + BOX_BLOCK * BOX_BLOCK];
  SweptBlock swept = { .block = -1 };
  int found = 0;
  if (!array_reserve((void **)&p->list, &p->list_capacity, 1, sizeof *p->list, "contact", &p->error)) return false;
  p->list[0] = (BlockPair){ a, 0 };
  p->list_count = 1;
  for (int level = s->other->level_count - 1; level > 0; level--)
    if (!divide_list(s, first_level, level, p)) return false;
  for (int64_t k = 0; k < p->list_count; k++) {
    found += box_blocks_pairs(s->first, s->other, p->list[k], s->near_rounded, edges, &swept, near + found);
    if (found < MANY && k + 1 < p->list_count) continue;
    if (edges) found = box_blocks_close_edges(s->first, &s->n->paths, s->near_rounded, near, found);
    if (!consider_slots(s, near, found, p)) return false;
    found = 0;
  }
  return edges || consider_planes(s, a, p);
}

static void query(const void *search, int first, int last) {
  const Search *s = search;
  NearbyPiece *piece = &s->piece[first / START_BLOCKS];
  piece->count = 0;
  for (int k = first; k < last; k++)
    if (!search_block(s, k, piece)) return;
}

// Counts in start[q + 1] the pairs of each query q (point or edge). All pairs of a query are in one piece of the
// search, so no other task changes this count.
static void count_pairs(const void *nearby, int first, int last) {
  const Nearby *n = nearby;
  for (int k = first; k < last; k++)
    for (int64_t i = 0; i < n->piece[k].count; i++) n->start[n->piece[k].query[i] + 1]++;
}

static void put_pairs(const void *nearby, int first, int last) {
  const Nearby *n = nearby;
  for (int k = first; k < last; k++)
    for (int64_t i = 0; i < n->piece[k].count; i++) n->pair[n->start[n->piece[k].query[i]]++] = n->piece[k].pair[i];
}

// Copies to n->pair the pairs that all pieces of the search have found, sorted by query (point or edge).
static bool gather(Nearby *n, Error *error) {
  const int queries = n->skin->vertex_count + n->skin->edge_count;
  bool ok = true;
  for (int k = 0; k < n->piece_count; k++) {
    Error *trouble = &n->piece[k].error;
    if (trouble->message[0]) ok = error_set(error, "%s", trouble->message);
    *trouble = (Error){ 0 };
  }
  if (!ok) return false;
  memset(n->start, 0, sizeof *n->start * ((size_t)queries + 1));
  parallel_for(n->piece_count, PIECES, count_pairs, n);
  for (int k = 0; k < queries; k++) n->start[k + 1] += n->start[k];
  n->pair_count = n->start[queries];
  if (!array_reserve((void **)&n->pair, &n->pair_capacity, n->pair_count, sizeof *n->pair, "contact", error))
    return false;
  parallel_for(n->piece_count, PIECES, put_pairs, n);
  return true;
}

bool nearby_find(Nearby *n, const double (*x)[3], const double (*displacement)[3], Error *error) {
  const Skin *skin = n->skin;
  Search s = { .n = n };
  const double began = timer_seconds();
  n->searches++;
  memcpy(n->from, x, sizeof *n->from * (size_t)skin->node_count);
  memcpy(n->displacement, displacement, sizeof *n->displacement * (size_t)skin->node_count);
  s.near = (float)(1.000001 * (n->reach + 2 * n->slack));
  s.near_rounded = (float)(1.000001 * (s.near + find_paths(n)));
  for (int edges = 0; edges < 2; edges++) {
    s.kind = edges ? PAIR_EDGES : PAIR_POINT_TRIANGLE;
    s.first = edges ? &n->edges : &n->points;
    s.other = edges ? &n->edges : &n->triangles;
    s.piece = n->piece + (edges ? n->point_pieces : 0);
    parallel_for(box_blocks_count(s.other, 0), BLOCKS, put_other, &s);
    box_blocks_fit(s.other);
    if (!edges) {
      parallel_for(box_blocks_count(s.first, 0), BLOCKS, bound_first, &s);
      box_blocks_fit(s.first);
    }
    parallel_for(start_blocks(s.first, s.other), START_BLOCKS, query, &s);
  }

  n->found = gather(n, error);
  n->search_s += timer_seconds() - began;
  return n->found;
}

// Arguments of the loops that compare two states with the prediction. State 0 is x, state 1 is x + tested *
// displacement. fraction, common: results of path_fraction for each state, which the second loop reads.
typedef struct MotionTask {
  const Nearby *n;
  const double (*x)[3], (*displacement)[3];
  double tested;
  double fraction[2], common[2][3];
} MotionTask;

static void measure_along(const void *task, int first, int last) {
  const MotionTask *t = task;
  MotionSums sums = { .maximum = { 0 } };
  for (int k = first; k < last; k++) {
    const int a = t->n->skin->vertex[k];
    for (int i = 0; i < 3; i++) {
      const double along = t->n->displacement[a][i], moved = t->x[a][i] - t->n->from[a][i];
      const double end = moved + t->tested * t->displacement[a][i];
      sums.moved[0][i] += moved;
      sums.moved[1][i] += end;
      sums.displacement[i] += along;
      sums.along[0][i] += moved * along;
      sums.along[1][i] += end * along;
      sums.length2[i] += along * along;
    }
  }
  t->n->part[first / NODES] = sums;
}

static void measure_off(const void *task, int first, int last) {
  const MotionTask *t = task;
  MotionSums *sums = &t->n->part[first / NODES];
  sums->maximum[0] = sums->maximum[1] = 0;
  for (int k = first; k < last; k++) {
    const int a = t->n->skin->vertex[k];
    double off2[2] = { 0, 0 };
    for (int i = 0; i < 3; i++) {
      const double along = t->n->displacement[a][i], moved = t->x[a][i] - t->n->from[a][i];
      const double end = moved + t->tested * t->displacement[a][i];
      const double off = moved - t->fraction[0] * along - t->common[0][i];
      const double end_off = end - t->fraction[1] * along - t->common[1][i];
      off2[0] += off * off;
      off2[1] += end_off * end_off;
    }
    for (int s = 0; s < 2; s++)
      if (!(off2[s] <= sums->maximum[s])) sums->maximum[s] = off2[s] == off2[s] ? off2[s] : INFINITY;
  }
}

void nearby_motions(const Nearby *n, const double (*x)[3], const double (*displacement)[3], double tested,
                    NearbyMotion *at, NearbyMotion *end) {
  const int count = n->skin->vertex_count;
  double maximum[2] = { 0, 0 };
  MotionSums all = { .maximum = { 0 } };
  *at = *end = (NearbyMotion){ -1, INFINITY };
  if (!n->found) return;
  MotionTask task = { .n = n, .x = x, .displacement = displacement, .tested = tested };
  parallel_for(count, NODES, measure_along, &task);
  for (int c = 0; c * NODES < count; c++) {
    const MotionSums *part = &n->part[c];
    for (int i = 0; i < 3; i++) {
      all.displacement[i] += part->displacement[i];
      all.length2[i] += part->length2[i];
      for (int s = 0; s < 2; s++) {
        all.moved[s][i] += part->moved[s][i];
        all.along[s][i] += part->along[s][i];
      }
    }
  }

  const double length2 = all.length2[0] + all.length2[1] + all.length2[2];
  for (int s = 0; s < 2; s++)
    task.fraction[s] =
        path_fraction(all.moved[s], all.displacement, all.along[s][0] + all.along[s][1] + all.along[s][2], length2,
                      count, task.common[s]);
  parallel_for(count, NODES, measure_off, &task);
  for (int c = 0; c * NODES < count; c++)
    for (int s = 0; s < 2; s++) maximum[s] = fmax(maximum[s], n->part[c].maximum[s]);
  *at = (NearbyMotion){ task.fraction[0], sqrt(maximum[0]) };
  *end = (NearbyMotion){ task.fraction[1], sqrt(maximum[1]) };
}

NearbyMotion nearby_motion(const Nearby *n, const double (*x)[3]) {
  NearbyMotion at, end;
  nearby_motions(n, x, (const double(*)[3])n->displacement, 0, &at, &end);
  return at;
}
