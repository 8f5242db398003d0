// Finds edges and faces, here called simplices: see simplices.h. Each simplex of each tet is listed at its node with
// the smallest number. The list of each node is sorted by the other nodes of the simplices. So equal simplices of
// different tets are adjacent in the list. A first pass over all nodes counts the different simplices in each list. The
// sums of these counts give the number of the first simplex in each list. A second pass numbers all simplices.
#include "mesh/simplices.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { EDGES = 6, FACES = 4, CHUNK = 512, TET_CHUNK = 8192 };

// Face k of a tet has the corners face_corner[k] and is opposite to corner k.
static const int face_corner[FACES][3] = { { 1, 2, 3 }, { 0, 2, 3 }, { 0, 1, 3 }, { 0, 1, 2 } };

// A search for all simplices of one kind: edges or faces.
typedef struct Search {
  const TetMesh *mesh;
  int size, of_tet;  // size: nodes of a simplex, 2 or 3. of_tet: simplices of a tet, 6 edges or 4 faces
  int *lowest;       // [of_tet * tet_count], lowest node of each simplex of each tet
  int64_t *start;    // [node_count + 1]: the simplices with lowest node a are item[start[a]] to item[start[a + 1] - 1]
  int *item;  // [of_tet * tet_count], simplices of tets sorted by lowest node, as of_tet * tet + index in the tet
  // [node_count + 1]. first[a] is the number of the first simplex whose lowest node is a. The first pass stores in
  // first[a + 1] how many simplices have the lowest node a.
  int64_t *first;
  int *nodes;          // [count][size], nodes of each simplex; NULL during the first pass
  int *of;             // [tet_count][of_tet], numbers of the simplices of each tet
  atomic_bool failed;  // memory ran out
} Search;

// An edge or face of a tet. It is an entry in the list of its lowest node, which is its node with the smallest number.
typedef struct Simplex {
  int middle, highest;  // the nodes other than the lowest one; for an edge, both are its second node
  int item;             // of_tet * tet + index of the simplex in the tet; of_tet is 6 for edges and 4 for faces
} Simplex;

static void swap_down(int *low, int *high) {
  const int l = *low, h = *high;
  *low = l < h ? l : h;
  *high = l < h ? h : l;
}

// Sets `node` to the nodes of a simplex, ascending. `item` is of_tet * tet + index of the simplex in the tet, where
// of_tet is 6 for edges and 4 for faces.
static void nodes_of(const Search *s, int item, int node[3]) {
  const int *tet = s->mesh->tet[item / s->of_tet], which = item % s->of_tet;
  const int *corner = s->size == 2 ? tet_edge_corners[which] : face_corner[which];
  for (int k = 0; k < s->size; k++) node[k] = tet[corner[k]];
  swap_down(&node[0], &node[1]);
  if (s->size == 2) return;
  swap_down(&node[1], &node[2]);
  swap_down(&node[0], &node[1]);
}

static void find_lowest(const void *search, int first, int last) {
  const Search *s = *(Search *const *)search;
  int node[3];
  for (int e = first; e < last; e++)
    for (int k = 0; k < s->of_tet; k++) {
      nodes_of(s, e * s->of_tet + k, node);
      s->lowest[e * s->of_tet + k] = node[0];
    }
}

static int compare(const void *left, const void *right) {
  const Simplex *a = left, *b = right;
  if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
  if (a->highest != b->highest) return a->highest < b->highest ? -1 : 1;
  return a->item < b->item ? -1 : 1;
}

// Sorts `count` simplices. Up to FEW are sorted by insertion, which is faster than qsort for so few.
static void sort_some(Simplex *some, int count) {
  enum { FEW = 48 };
  if (count > FEW) {
    qsort(some, (size_t)count, sizeof *some, compare);
    return;
  }
  for (int k = 1; k < count; k++) {
    const Simplex moved = some[k];
    int at = k;
    for (; at > 0 && compare(&some[at - 1], &moved) > 0; at--) some[at] = some[at - 1];
    some[at] = moved;
  }
}

// Returns the number of different simplices (edges or faces) whose lowest node is a. In the second pass (s->nodes is
// not NULL) also gives these simplices the numbers `number`, number + 1, ... `some` is work space with one element for
// each entry of the node's list.
static int64_t search_node(const Search *s, int a, int64_t number, Simplex *some) {
  const int count = (int)(s->start[a + 1] - s->start[a]);
  int64_t different = 0;
  for (int k = 0; k < count; k++) {
    int node[3];
    const int item = s->item[s->start[a] + k];
    nodes_of(s, item, node);
    some[k] = (Simplex){ node[1], node[s->size - 1], item };
  }
  sort_some(some, count);
  for (int k = 0; k < count; k++) {
    const bool other = k == 0 || some[k].middle != some[k - 1].middle || some[k].highest != some[k - 1].highest;
    different += other;
    if (!s->nodes) continue;
    const int64_t own = number + different - 1;
    s->of[some[k].item] = (int)own;
    if (!other) continue;
    const int node[3] = { a, some[k].middle, some[k].highest };
    for (int c = 0; c < s->size; c++) s->nodes[own * s->size + c] = node[c];
  }
  return different;
}

static void search_nodes(const void *search, int first, int last) {
  enum { ROOM = 512 };
  Search *s = *(Search *const *)search;
  Simplex here[ROOM];
  for (int a = first; a < last && !interrupt_requested(); a++) {
    const int64_t count = s->start[a + 1] - s->start[a];
    Simplex *many = count > ROOM ? malloc((size_t)count * sizeof *many) : NULL;
    if (count > ROOM && !many) {
      atomic_store(&s->failed, true);
      continue;
    }
    const int64_t different = search_node(s, a, s->nodes ? s->first[a] : 0, many ? many : here);
    if (!s->nodes) s->first[a + 1] = different;
    free(many);
  }
}

// Finds all edges (size 2) or all faces (size 3) of a mesh. *found becomes their number, *nodes [*found][size] their
// nodes, and *of [tet_count][6 or 4] the numbers of each tet's edges or faces. The caller frees *nodes and *of, also
// after a failure.
static bool find(const TetMesh *mesh, int size, int *found, int **nodes, int **of, Error *error) {
  Search s = { .mesh = mesh, .size = size, .of_tet = size == 2 ? EDGES : FACES };
  const int64_t count = (int64_t)s.of_tet * mesh->tet_count;
  const char *what = size == 2 ? "edges" : "faces";
  bool ok = count <= INT32_MAX || error_set(error, "%d tets have too many %s: the limit is %d tets; use a coarser mesh",
                                            mesh->tet_count, what, INT32_MAX / s.of_tet);
  if (!ok) return false;
  s.lowest = array_new(count, sizeof *s.lowest, what, error);
  s.start = array_new((int64_t)mesh->node_count + 1, sizeof *s.start, what, error);
  s.item = array_new(count, sizeof *s.item, what, error);
  s.first = array_new((int64_t)mesh->node_count + 1, sizeof *s.first, what, error);
  ok = s.lowest && s.start && s.item && s.first;
  if (ok) {
    parallel_for(mesh->tet_count, TET_CHUNK, find_lowest, &(Search *){ &s });
    ok = sort_by_key(s.lowest, count, mesh->node_count, 1, s.start, s.item, error);
  }
  free(s.lowest);
  for (int pass = 0; ok && pass < 2; pass++) {
    parallel_for(mesh->node_count, CHUNK, search_nodes, &(Search *){ &s });
    ok = interrupt_check(error) &&
         (!s.failed || error_set(error, "out of memory: cannot store %s; close other programs", what));
    if (!ok || pass == 1) break;
    for (int a = 0; a < mesh->node_count; a++) s.first[a + 1] += s.first[a];
    *found = (int)s.first[mesh->node_count];
    *nodes = s.nodes = array_new(*found, sizeof *s.nodes * (size_t)size, what, error);
    *of = s.of = array_new(count, sizeof *s.of, what, error);
    ok = s.nodes && s.of;
  }

  free(s.start);
  free(s.item);
  free(s.first);
  return ok;
}

bool simplices_create(Simplices *simplices, const TetMesh *mesh, int kinds, Error *error) {
  Simplices made = { 0 };
  int *nodes[2] = { 0 }, *of[2] = { 0 }, found[2] = { 0 };
  bool ok = true;
  for (int k = 0; ok && k < 2; k++)
    if (kinds & (k == 0 ? SIMPLEX_EDGES : SIMPLEX_FACES)) ok = find(mesh, 2 + k, &found[k], &nodes[k], &of[k], error);
  made.edge_count = found[0];
  made.edge = (int(*)[2])nodes[0];
  made.tet_edge = (int(*)[6])of[0];
  made.face_count = found[1];
  made.face = (int(*)[3])nodes[1];
  made.tet_face = (int(*)[4])of[1];
  if (ok)
    *simplices = made;
  else
    simplices_destroy(&made);
  return ok;
}

void simplices_destroy(Simplices *simplices) {
  free(simplices->edge);
  free(simplices->face);
  free(simplices->tet_edge);
  free(simplices->tet_face);
  *simplices = (Simplices){ 0 };
}
