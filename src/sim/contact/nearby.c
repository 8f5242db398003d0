// Pairs that may touch: see nearby.h. Points are looked for among triangles and edges among edges, through the skin's
// trees; what moves together has no room to sweep, since boxes have their ways besides.
#include "sim/contact/nearby.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "sim/contact/candidate.h"

enum { QUERIES = 128, NODES = 2048 };

typedef struct NearbyPiece {
  ContactPair *pair;
  int64_t count, room;
  Error error;
} NearbyPiece;

// Of nodes: how far they have come, the list's ways, their squares, and products of both.
typedef struct PlaceSums {
  double moved[3], way[3], along, length2;
  double most;  // m^2, of how far nodes are off
} PlaceSums;

static int pieces(int count) {
  return (count + QUERIES - 1) / QUERIES;
}

bool nearby_create(Nearby *n, const Skin *skin, double reach, Error *error) {
  const int most = skin->edge_count > skin->triangle_count ? skin->edge_count : skin->triangle_count;
  *n = (Nearby){ .skin = skin, .reach = reach, .slack = 0.5 * reach };  // more makes lists longer, less more of them
  n->from = array_new(skin->node_count, sizeof *n->from, "contact", error);
  n->way = array_new(skin->node_count, sizeof *n->way, "contact", error);
  n->box = array_new(most, sizeof *n->box, "contact", error);
  n->piece_count = pieces(skin->vertex_count) + pieces(skin->edge_count);
  n->piece = array_new(n->piece_count, sizeof *n->piece, "contact", error);
  n->part = array_new(1 + skin->vertex_count / NODES, sizeof *n->part, "contact", error);
  return n->from && n->way && n->box && n->piece && n->part;
}

void nearby_destroy(Nearby *n) {
  for (int k = 0; n->piece && k < n->piece_count; k++) free(n->piece[k].pair);
  free(n->from), free(n->way), free(n->box), free(n->piece), free(n->pair), free(n->part);
  *n = (Nearby){ 0 };
}

// What a search works on.
typedef struct Search {
  Nearby *n;
  float near;  // m: how close boxes are to come
  bool edges;
  NearbyPiece *piece;
} Search;

static Box swept(const Nearby *n, const int *node, int count) {
  return box_of_nodes((const double(*)[3])n->from, (const double(*)[3])n->way, node, count);
}

static void make_boxes(const void *search, int first, int last) {
  const Search *s = search;
  const Skin *skin = s->n->skin;
  for (int k = first; k < last; k++)
    s->n->box[k] = s->edges ? swept(s->n, skin->edge[k], 2) : swept(s->n, skin->triangle[k], 3);
}

// Takes the pair where it may touch on the way.
static bool consider(const Search *s, const int node[4], double area, NearbyPiece *piece) {
  const Nearby *n = s->n;
  const SkinNodes nodes = { (const double(*)[3])n->skin->X, n->skin->factor, n->skin->component, n->skin->body_nodes,
                            n->skin->active_nodes };
  ContactPair pair;
  if (!pair_candidate(&nodes, (const double(*)[3])n->from, (const double(*)[3])n->way, node, s->edges, area, n->reach,
                      n->slack, &pair))
    return true;
  if (!array_reserve((void **)&piece->pair, &piece->room, piece->count + 1, sizeof pair, "contact", &piece->error))
    return false;
  piece->pair[piece->count++] = pair;
  return true;
}

// edges against those that come after them in the tree
static void query_edges(const Search *s, int first, int last) {
  const Skin *skin = s->n->skin;
  NearbyPiece *piece = &s->piece[first / QUERIES];
  for (int k = first; k < last; k++) {
    const BoxNode *leaf;
    const int *e = skin->edge[k], own = skin->edges.leaf[k];
    int at = own;
    while ((leaf = box_tree_next(&skin->edges, &s->n->box[k], s->near, &at)))
      for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        const int other = skin->edges.item[i], *f = skin->edge[other];
        if ((skin->edges.leaf[other] == own && other <= k) || e[0] == f[0] || e[0] == f[1] || e[1] == f[0] ||
            e[1] == f[1] || !boxes_meet(&s->n->box[k], &s->n->box[other], s->near))
          continue;
        const double area = (skin->edge_area[k] + skin->edge_area[other]) / 4;
        if (!consider(s, (const int[4]){ e[0], e[1], f[0], f[1] }, area, piece)) return;
      }
  }
}

static void query_vertices(const Search *s, int first, int last) {
  const Skin *skin = s->n->skin;
  NearbyPiece *piece = &s->piece[first / QUERIES];
  for (int k = first; k < last; k++) {
    const BoxNode *leaf;
    const int v = skin->vertex[k];
    const Box box = swept(s->n, &v, 1);
    int at = 0;
    while ((leaf = box_tree_next(&skin->triangles, &box, s->near, &at)))
      for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        const int other = skin->triangles.item[i], *t = skin->triangle[other];
        if (v == t[0] || v == t[1] || v == t[2] || !boxes_meet(&box, &s->n->box[other], s->near)) continue;
        if (!consider(s, (const int[4]){ v, t[0], t[1], t[2] }, skin->vertex_area[k], piece)) return;
      }
  }
}

static void query(const void *search, int first, int last) {
  const Search *s = search;
  s->piece[first / QUERIES].count = 0;
  if (s->edges)
    query_edges(s, first, last);
  else
    query_vertices(s, first, last);
}

// what the pieces have found, one after the other
static bool gather(Nearby *n, int piece_count, Error *error) {
  int64_t sum = 0;
  bool ok = true;
  for (int k = 0; k < piece_count; k++) {
    Error *trouble = &n->piece[k].error;
    if (trouble->message[0]) ok = error_set(error, "%s", trouble->message);
    *trouble = (Error){ 0 };
    sum += n->piece[k].count;
  }
  if (!ok) return false;
  if (!array_reserve((void **)&n->pair, &n->pair_room, sum, sizeof *n->pair, "contact", error)) return false;
  n->pair_count = 0;
  for (int k = 0; k < piece_count; k++) {
    const NearbyPiece *p = &n->piece[k];
    if (p->count > 0) memcpy(n->pair + n->pair_count, p->pair, sizeof *p->pair * (size_t)p->count);
    n->pair_count += p->count;
  }
  return true;
}

bool nearby_find(Nearby *n, const double (*x)[3], const double (*way)[3], Error *error) {
  Skin *skin = (Skin *)n->skin;  // its trees are fitted
  Search s = { .n = n };
  int found = 0;
  const double began = timer_seconds();
  n->searches++;
  memcpy(n->from, x, sizeof *n->from * (size_t)skin->node_count);
  memcpy(n->way, way, sizeof *n->way * (size_t)skin->node_count);
  s.near = (float)(1.000001 * (n->reach + 2 * n->slack));
  for (int edges = 0; edges < 2; edges++) {
    const int items = edges ? skin->edge_count : skin->triangle_count;
    const int queries = edges ? skin->edge_count : skin->vertex_count;
    s.edges = edges, s.piece = n->piece + found;
    parallel_for(items, NODES, make_boxes, &s);
    box_tree_fit(edges ? &skin->edges : &skin->triangles, n->box);
    parallel_for(queries, QUERIES, query, &s);
    found += pieces(queries);
  }
  n->found = gather(n, found, error);
  n->search_s += timer_seconds() - began;
  return n->found;
}

typedef struct PlaceTask {
  const Nearby *n;
  const double (*x)[3];
  double share, common[3];
} PlaceTask;

static void place_along(const void *task, int first, int last) {
  const PlaceTask *t = task;
  PlaceSums sums = { .along = 0 };
  for (int k = first; k < last; k++) {
    const int a = t->n->skin->vertex[k];
    const double *way = t->n->way[a];
    double moved[3];
    subtract3(t->x[a], t->n->from[a], moved);
    for (int i = 0; i < 3; i++) sums.moved[i] += moved[i], sums.way[i] += way[i];
    sums.along += dot3(moved, way), sums.length2 += dot3(way, way);
  }
  t->n->part[first / NODES] = sums;
}

static void place_off(const void *task, int first, int last) {
  const PlaceTask *t = task;
  double most = 0;
  for (int k = first; k < last; k++) {
    const int a = t->n->skin->vertex[k];
    double off2 = 0;
    for (int i = 0; i < 3; i++) {
      const double off = t->x[a][i] - t->n->from[a][i] - t->share * t->n->way[a][i] - t->common[i];
      off2 += off * off;
    }
    most = off2 <= most ? most : off2 == off2 ? off2 : INFINITY;
  }
  t->n->part[first / NODES].most = most;
}

NearbyPlace nearby_place(const Nearby *n, const double (*x)[3]) {
  const int count = n->skin->vertex_count;
  double most = 0;
  PlaceSums all = { .along = 0 };
  if (!n->found) return (NearbyPlace){ -1, INFINITY };
  PlaceTask task = { .n = n, .x = x };
  parallel_for(count, NODES, place_along, &task);
  for (int c = 0; c * NODES < count; c++) {
    const PlaceSums *part = &n->part[c];
    for (int i = 0; i < 3; i++) all.moved[i] += part->moved[i], all.way[i] += part->way[i];
    all.along += part->along, all.length2 += part->length2;
  }
  task.share = place_share(all.moved, all.way, all.along, all.length2, count, task.common);
  parallel_for(count, NODES, place_off, &task);
  for (int c = 0; c * NODES < count; c++) most = fmax(most, n->part[c].most);
  return (NearbyPlace){ task.share, sqrt(most) };
}
