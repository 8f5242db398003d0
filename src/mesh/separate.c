// Separates a mesh: see separate.h. Only nodes of opened faces or of removed tets are processed. The tets at such a
// node are divided into groups. Two tets belong to one group if a chain of shared, unopened faces at the node connects
// them. The first group keeps the node, and every other group gets a copy of the node.
#include "mesh/separate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gather.h"
#include "base/marks.h"
#include "base/parallel.h"
#include "base/union_find.h"
#include "base/vectors.h"
#include "mesh/face_pairs.h"
#include "mesh/mesh_sets.h"
#include "mesh/quadratic.h"

enum { CHUNK = 1 << 13 };

bool blade_check(const Blade *blade, const char *name, Error *error) {
  double sum = blade->reach;
  for (int i = 0; i < 3; i++) sum += blade->point[i] + blade->normal[i] + blade->edge[0][i] + blade->edge[1][i];
  const double length2 = vector_dot(blade->normal, blade->normal);
  if (!isfinite(sum) || !isfinite(length2)) return error_set(error, "%s: one of the given numbers is not finite", name);
  if (!(length2 > 0)) return error_set(error, "%s: \"normal\" must be a direction, not zero", name);
  return blade->reach >= 0 || error_set(error, "%s: \"reach\" is %g m, expected 0 or more", name, blade->reach);
}

// ---- search for the faces between tets that a blade (cutting plane) opens

// Bits of Cutting.side and Cutting.mark. BELOW, ABOVE: the side of the blade's plane (the blade is a cutting plane).
// NEAR: at least three corners of the tet are each shared by tets above and tets below the plane, so the blade may open
// a face of the tet.
enum { BELOW = 1, ABOVE = 2, NEAR = 4 };

// Data of the search for faces that a blade (cutting plane) opens. A tet counts as above or below the blade's plane by
// the mean height of its corners. Tets far from the plane are skipped: a tet is far if none of its corners belongs to a
// tet that has corners on both sides of the plane.
typedef struct Cutting {
  const TetMesh *mesh;
  const double (*x)[3];
  const Blade *blade;
  bool whole;      // the blade is an unbounded plane: its `reach` and both vectors `edge` are 0
  double *height;  // [node_count], height of each node above the blade's plane, times the length of the blade's normal
  uint8_t *below;  // [node_count], 1 if the node is below the blade's plane, else 0
  uint8_t *side;   // [tet_count], bit BELOW or ABOVE, and possibly bit NEAR; 0: the tet is skipped
  atomic_uchar *mixed;  // [node_count], 1 if one of the tets at the node has corners on both sides of the plane
  atomic_uchar *mark;   // [node_count], bits BELOW and ABOVE: the sides of the plane on which the node has tets
} Cutting;

// Sets bits of a byte. Several threads may set bits of one byte at the same time.
static void set_bits(atomic_uchar *byte, unsigned char bits) {
  if ((atomic_load_explicit(byte, memory_order_relaxed) & bits) != bits)
    atomic_fetch_or_explicit(byte, bits, memory_order_relaxed);
}

static void find_heights(const void *cutting, int first, int last) {
  const Cutting *c = cutting;
  for (int a = first; a < last; a++) {
    const double *x = c->x[a];
    const double from[3] = { x[0] - c->blade->point[0], x[1] - c->blade->point[1], x[2] - c->blade->point[2] };
    c->height[a] = vector_dot(from, c->blade->normal);
    c->below[a] = c->height[a] < 0;
  }
}

static void find_mixed(const void *cutting, int first, int last) {
  const Cutting *c = cutting;
  for (int e = first; e < last; e++) {
    const int *node = c->mesh->tet[e];
    const int count = c->below[node[0]] + c->below[node[1]] + c->below[node[2]] + c->below[node[3]];
    if (count == 0 || count == 4) continue;
    for (int a = 0; a < 4; a++) set_bits(&c->mixed[node[a]], 1);
  }
}

static unsigned char mixed_at(const Cutting *c, int node) {
  return atomic_load_explicit(&c->mixed[node], memory_order_relaxed);
}

static void mark_sides(const void *cutting, int first, int last) {
  const Cutting *c = cutting;
  for (int e = first; e < last; e++) {
    const int *node = c->mesh->tet[e];
    c->side[e] = 0;
    if (!(mixed_at(c, node[0]) | mixed_at(c, node[1]) | mixed_at(c, node[2]) | mixed_at(c, node[3]))) continue;
    double height = 0;
    for (int a = 0; a < 4; a++) height += c->height[node[a]];
    c->side[e] = height < 0 ? BELOW : ABOVE;
    for (int a = 0; a < 4; a++) set_bits(&c->mark[node[a]], c->side[e]);
  }
}

static void mark_near(const void *cutting, int first, int last) {
  const Cutting *c = cutting;
  for (int e = first; e < last; e++) {
    int both = 0;
    for (int a = 0; c->side[e] && a < 4; a++)
      both += atomic_load_explicit(&c->mark[c->mesh->tet[e][a]], memory_order_relaxed) == (BELOW | ABOVE);
    if (both >= 3) c->side[e] |= NEAR;
  }
}

// Sets `node` to the corners of face f of tet e, ascending. Face f is opposite to corner f.
static void face_of(const TetMesh *mesh, int e, int f, int node[3]) {
  int count = 0;
  for (int a = 0; a < 4; a++)
    if (a != f) node[count++] = mesh->tet[e][a];
  face_sort(node);
}

// Returns true if the centre of a face, projected onto the blade's plane, is within the blade's bounds: its two
// straight edges and its radius `reach`. `node` are the corners of the face.
static bool reaches(const Cutting *c, const int node[3]) {
  const Blade *b = c->blade;
  double from[3];
  if (c->whole) return true;
  for (int i = 0; i < 3; i++) from[i] = (c->x[node[0]][i] + c->x[node[1]][i] + c->x[node[2]][i]) / 3 - b->point[i];
  const double off = vector_dot(from, b->normal) / vector_dot(b->normal, b->normal);
  for (int i = 0; i < 3; i++) from[i] -= off * b->normal[i];
  return vector_dot(from, b->edge[0]) >= 0 && vector_dot(from, b->edge[1]) >= 0 &&
         (b->reach == 0 || vector_dot(from, from) <= b->reach * b->reach);
}

// A list of faces of tets. A face between two tets has an entry for each of the two tets, if both tets are searched.
// node: the corners of the face, ascending. number: 4 * tet + index of the face in the tet. pair: index of the entry
// that the face has for the other tet; -1: there is none.
typedef struct FaceList {
  int (*node)[3];
  int *number, *pair;
  int64_t count, node_capacity, number_capacity;
} FaceList;

static void face_list_destroy(FaceList *l) {
  free(l->node);
  free(l->number);
  free(l->pair);
}

// Lists the faces at which the blade (cutting plane) may separate tets. Only tets with bit NEAR are searched. A face is
// listed if each of its three corners has tets above and below the plane, and if its centre is within the blade.
static bool list_faces(const Cutting *c, FaceList *l, Error *error) {
  const int tets = c->mesh->tet_count;
  for (int e = marks_next(c->side, tets, 0, NEAR); e < tets; e = marks_next(c->side, tets, e + 1, NEAR)) {
    if (!array_reserve((void **)&l->node, &l->node_capacity, l->count + 4, sizeof *l->node, "cut faces", error) ||
        !array_reserve((void **)&l->number, &l->number_capacity, l->count + 4, sizeof *l->number, "cut faces", error))
      return false;
    int one_sided = 0;  // bit a is set if corner a has tets on only one side of the plane
    for (int a = 0; a < 4; a++)
      if (atomic_load_explicit(&c->mark[c->mesh->tet[e][a]], memory_order_relaxed) != (BELOW | ABOVE))
        one_sided |= 1 << a;
    for (int f = 0; f < 4; f++) {
      if (one_sided & ~(1 << f)) continue;
      face_of(c->mesh, e, f, l->node[l->count]);
      if (reaches(c, l->node[l->count])) l->number[l->count++] = 4 * e + f;
    }
  }
  l->pair = array_new(l->count, sizeof *l->pair, "cut faces", error);
  return l->pair && face_pairs((const int(*)[3])l->node, (int)l->count, l->pair, error);
}

bool mesh_find_opened(const TetMesh *mesh, const double (*x)[3], const Blade *blade, uint8_t *opened, int *count,
                      Error *error) {
  Cutting c = { .mesh = mesh, .x = x, .blade = blade, .whole = blade->reach == 0 };
  for (int i = 0; i < 3; i++) c.whole = c.whole && blade->edge[0][i] == 0 && blade->edge[1][i] == 0;
  FaceList l = { 0 };
  *count = 0;
  c.height = array_new(mesh->node_count, sizeof *c.height, "distances of nodes from a cut", error);
  c.below = array_new(mesh->node_count, 1, "nodes on each side of a cut", error);
  c.side = array_new(mesh->tet_count, 1, "tets on each side of a cut", error);
  c.mixed = array_new(mesh->node_count, sizeof *c.mixed, "nodes on each side of a cut", error);
  c.mark = array_new(mesh->node_count, sizeof *c.mark, "nodes on each side of a cut", error);
  bool ok = c.height && c.below && c.side && c.mixed && c.mark;
  if (ok) {
    parallel_for(mesh->node_count, CHUNK, find_heights, &c);
    parallel_for(mesh->tet_count, CHUNK, find_mixed, &c);
    parallel_for(mesh->tet_count, CHUNK, mark_sides, &c);
    parallel_for(mesh->tet_count, CHUNK, mark_near, &c);
    memset(opened, 0, (size_t)mesh->tet_count);
    ok = list_faces(&c, &l, error);
  }

  for (int k = 0; ok && k < l.count; k++) {
    if (l.pair[k] < k) continue;  // the other tet is not in the list, or the pair was processed already
    const int a = l.number[k], b = l.number[l.pair[k]];
    if (((c.side[a / 4] ^ c.side[b / 4]) & (BELOW | ABOVE)) == 0) continue;
    opened[a / 4] |= (uint8_t)(1 << a % 4);
    opened[b / 4] |= (uint8_t)(1 << b % 4);
    ++*count;
  }

  face_list_destroy(&l);
  free(c.height);
  free(c.below);
  free(c.side);
  free((void *)c.mixed);
  free((void *)c.mark);
  return ok;
}

// ---- division of the tets at a node into groups

// The processed nodes (nodes of opened faces or removed tets), the tets at each of them, and the groups of these tets.
// Two tets at a node are in one group if a chain of shared, unopened faces at the node connects them.
typedef struct Task {
  const TetMesh *mesh;
  const int *cell;  // [tet_count][cell_nodes], nodes of each tet
  int cell_nodes;
  // Two arrays [tet_count], of which one is NULL. opened, for a cut: bit f is set if the cut opens face f of the tet.
  // removed, for a removal of tets: 1 if the tet is to be removed.
  const uint8_t *opened, *removed;
  int node_count;        // number of processed nodes
  const int *node;       // [node_count], the processed nodes, ascending
  const int64_t *start;  // [node_count + 1]: the tets at node k are tet[start[k]] to tet[start[k + 1] - 1]
  const int *tet;        // tets at the processed nodes, ascending for each node
  int *group;            // for each entry of `tet`, the number of its group at the node, from 0; -1: the tet is removed
  int *groups;           // [node_count], number of groups at each node
  atomic_bool failed;    // memory ran out
} Task;

// Returns true if node c of a tet is on face f of the tet. c is 0 to 3 for a corner, and 4 + k for the node in the
// middle of edge k.
static bool face_contains(int f, int c) {
  return c < 4 ? c != f : tet_edge_corners[c - 4][0] != f && tet_edge_corners[c - 4][1] != f;
}

// One entry of a hash table of faces. node: the face's nodes, by which the entry is found. tet: the tet that added the
// face. The entry is in use if its `epoch` equals Table.epoch.
typedef struct Slot {
  int node[3], tet;
  int epoch;
} Slot;

// A hash table of the faces at one node. The table is used for one node after the other: increasing `epoch` empties all
// entries. It has mask + 1 entries, a power of two, of which at most half are used.
typedef struct Table {
  Slot *slot;
  unsigned mask;
  int epoch;
} Table;

// Joins the groups of two tets with a common face. `tet` is the index of the present tet among the node's tets. If an
// earlier tet has added the face to the table, the two tets are joined in the union-find forest `parent`. Otherwise the
// face is added to the table.
static void join_at_face(Table *table, const int node[3], int tet, int *parent) {
  const unsigned mixed = (unsigned)node[0] * 73856093u ^ (unsigned)node[1] * 19349663u ^ (unsigned)node[2] * 83492791u;
  unsigned at = (mixed ^ mixed >> 15) & table->mask;
  for (; table->slot[at].epoch == table->epoch; at = (at + 1) & table->mask)
    if (memcmp(table->slot[at].node, node, sizeof table->slot[at].node) == 0) {
      union_join(parent, tet, table->slot[at].tet);
      return;
    }
  table->slot[at].tet = tet;
  table->slot[at].epoch = table->epoch;
  memcpy(table->slot[at].node, node, sizeof table->slot[at].node);
}

static void group_tets(Task *t, int at, Table *table, int *parent) {
  const int64_t first = t->start[at];
  const int tets = (int)(t->start[at + 1] - first);
  table->epoch++;
  for (int k = 0; k < tets; k++) parent[k] = k;
  for (int k = 0; k < tets; k++) {
    const int e = t->tet[first + k];
    int c = 0;
    if (t->removed && t->removed[e]) continue;
    while (t->cell[(int64_t)e * t->cell_nodes + c] != t->node[at]) c++;
    for (int f = 0; f < 4; f++) {
      if (!face_contains(f, c) || (t->opened && t->opened[e] >> f & 1)) continue;
      int node[3];
      face_of(t->mesh, e, f, node);
      join_at_face(table, node, k, parent);
    }
  }

  // The root of a group in the union-find forest is the group's first tet.
  int groups = 0;
  for (int k = 0; k < tets; k++) {
    const int e = t->tet[first + k], root = union_root(parent, k);
    t->group[first + k] = t->removed && t->removed[e] ? -1 : root == k ? groups++ : t->group[first + root];
  }
  t->groups[at] = groups;
}

static void group_some(const void *task, int first, int last) {
  Task *t = *(Task *const *)task;
  int64_t maximum = 1;
  size_t capacity = 8;
  for (int at = first; at < last; at++)
    if (t->start[at + 1] - t->start[at] > maximum) maximum = t->start[at + 1] - t->start[at];
  while ((int64_t)capacity < 6 * maximum) capacity *= 2;
  Table table = { .slot = calloc(capacity, sizeof *table.slot), .mask = (unsigned)capacity - 1 };
  int *parent = malloc(sizeof *parent * (size_t)maximum);
  for (int at = first; table.slot && parent && at < last; at++) group_tets(t, at, &table, parent);
  if (!table.slot || !parent) atomic_store(&t->failed, true);
  free(table.slot);
  free(parent);
}

// Numbers the nodes to process, which are those of opened faces or of removed tets, and returns how many these are.
// near_index [node_count] must be 0 on entry. near_index[a] becomes k, from 1 on, for the k-th of these nodes a, and
// stays 0 for all other nodes.
static int mark_nodes(const Task *t, int *near_index) {
  const TetMesh *mesh = t->mesh;
  const uint8_t *marked = t->opened ? t->opened : t->removed;  // exactly one of the two is given
  for (int e = -1; (e = marks_next(marked, mesh->tet_count, e + 1, UINT8_MAX)) < mesh->tet_count;) {
    const bool gone = t->removed != NULL;
    const int faces = t->opened ? t->opened[e] : 0;
    for (int c = 0; c < t->cell_nodes; c++) {
      bool at_face = gone;
      for (int f = 0; f < 4; f++) at_face = at_face || (faces >> f & 1 && face_contains(f, c));
      if (at_face) near_index[t->cell[(int64_t)e * t->cell_nodes + c]] = 1;
    }
  }
  int count = 0;
  for (int a = 0; a < mesh->node_count; a++)
    if (near_index[a]) near_index[a] = ++count;
  return count;
}

// The arrays node, tet, group, groups and start of Task. In Task, these members are pointers to const data. Here the
// pointers are not const, so that the arrays can be filled and freed.
typedef struct NearTets {
  int *node, *tet, *group, *groups;
  int64_t *start;
} NearTets;

static void near_tets_destroy(NearTets *l) {
  free(l->node);
  free(l->tet);
  free(l->group);
  free(l->groups);
  free(l->start);
}

// Arguments of a parallel loop that marks the tets with a processed node (a node of an opened face or of a removed
// tet). near_index [node_count] is nonzero for processed nodes.
typedef struct Nearness {
  const Task *task;
  const int *near_index;
  uint8_t *near;  // [tet_count], 1 if the tet has a processed node
} Nearness;

static void mark_tets(const void *nearness, int first, int last) {
  const Nearness *n = nearness;
  const int nodes = n->task->cell_nodes;
  for (int e = first; e < last; e++) {
    int any = 0;
    for (int c = 0; c < nodes; c++) any |= n->near_index[n->task->cell[(int64_t)e * nodes + c]];
    n->near[e] = any != 0;
  }
}

// Lists the tets at the nodes of opened faces or removed tets, ascending. These are the tets with a node a for which
// near_index[a] is not 0. The caller releases the list by free().
static int *list_near(const Task *t, const int *near_index, int *count, Error *error) {
  const int tets = t->mesh->tet_count;
  uint8_t *near = array_new(tets, 1, "tets at nodes", error);
  int *list = NULL, found = 0;
  if (near) parallel_for(tets, CHUNK, mark_tets, &(Nearness){ t, near_index, near });
  for (int e = 0; near && e < tets; e++) found += near[e];
  if (near && (list = array_new(found, sizeof *list, "tets at nodes", error))) {
    *count = 0;
    for (int e = -1; (e = marks_next(near, tets, e + 1, 1)) < tets;) list[(*count)++] = e;
  }
  free(near);
  return list;
}

// Lists the tets at each node of an opened face or of a removed tet. Divides the tets at a node into groups: two tets
// are in one group if a chain of unopened faces at the node connects them. Stores the lists and the groups in *t; `l`
// owns their memory.
static bool find_near_tets(Task *t, const int *near_index, NearTets *l, Error *error) {
  const TetMesh *mesh = t->mesh;
  const int nodes = t->cell_nodes;
  int near_count = 0, *near = list_near(t, near_index, &near_count, error);
  l->node = array_new(t->node_count, sizeof *l->node, "nodes", error);
  l->groups = array_new(t->node_count, sizeof *l->groups, "nodes", error);
  l->start = array_new((int64_t)t->node_count + 1, sizeof *l->start, "nodes", error);
  int64_t *fill = array_new(t->node_count, sizeof *fill, "nodes", error);
  bool ok = near && l->node && l->groups && l->start && fill;
  for (int a = 0; ok && a < mesh->node_count; a++)
    if (near_index[a]) l->node[near_index[a] - 1] = a;
  for (int k = 0; ok && k < near_count; k++)
    for (int c = 0; c < nodes; c++) {
      const int at = near_index[t->cell[(int64_t)near[k] * nodes + c]];
      if (at) l->start[at]++;
    }
  for (int k = 0; ok && k < t->node_count; k++) l->start[k + 1] += l->start[k];
  const int64_t all = ok ? l->start[t->node_count] : 0;
  l->tet = array_new(all, sizeof *l->tet, "tets at nodes", error);
  l->group = array_new(all, sizeof *l->group, "tets at nodes", error);
  ok = ok && l->tet && l->group;
  if (ok) memcpy(fill, l->start, sizeof *fill * (size_t)t->node_count);
  for (int k = 0; ok && k < near_count; k++)
    for (int c = 0; c < nodes; c++) {
      const int at = near_index[t->cell[(int64_t)near[k] * nodes + c]];
      if (at) l->tet[fill[at - 1]++] = near[k];
    }
  free(fill);
  free(near);
  if (!ok) return false;
  t->node = l->node;
  t->start = l->start;
  t->tet = l->tet;
  t->group = l->group;
  t->groups = l->groups;
  parallel_for(t->node_count, 64, group_some, &(Task *){ t });
  return !t->failed || error_set(error, "out of memory: cannot store the tets at nodes; close other programs");
}

// ---- creation of the separated mesh

// Computes made->node_from, made->copies, made->vanished, and the number of nodes of the new mesh. renamed[a] becomes
// the new number of node a of the old mesh, or -1 if the node vanishes.
static bool number_nodes(Separation *made, const Task *t, int *renamed, Error *error) {
  const int before = t->mesh->node_count;
  int *gone = array_new(t->node_count, sizeof *gone, "nodes", error);
  int64_t count = 0;
  if (!gone) return false;
  for (int k = 0; k < t->node_count; k++) {
    if (t->groups[k] == 0) gone[made->vanished++] = t->node[k];
    count += t->groups[k] > 1 ? t->groups[k] - 1 : 0;
  }
  made->copies = (int)count;
  const int first_copy = before - made->vanished;
  count += first_copy;
  if (count > MESH_MAX_NODES)
    error_set(error, "after the cut the body would have %lld nodes, which are too many; use a coarser mesh",
              (long long)count);
  made->mesh.node_count = (int)count;
  const bool fits = count <= MESH_MAX_NODES;
  if (fits && (made->node_from = array_capacity(count, sizeof *made->node_from, "nodes", error)))
    renumber_remaining(gone, made->vanished, before, made->node_from, renamed);
  int next = first_copy;
  for (int k = 0; made->node_from && k < t->node_count; k++)
    for (int g = 1; g < t->groups[k]; g++) made->node_from[next++] = t->node[k];
  free(gone);
  return made->node_from;
}

// Lists in made->tet_from the tets that are not removed, ascending. If no tet is removed, tet_from stays NULL.
static bool list_tets(Separation *made, const Task *t, Error *error) {
  const TetMesh *mesh = t->mesh;
  const int before = mesh->tet_count;
  int gone = 0;
  for (int e = 0; t->removed && e < before; e++) gone += t->removed[e] != 0;
  made->mesh.tet_count = before - gone;
  if (gone == before)
    return error_set(error,
                     "the stress in all tets exceeds \"tear_stress\", so the tear would remove the whole body; "
                     "increase \"tear_stress\"");
  if (gone == 0) return true;
  made->gone = array_new(gone, sizeof *made->gone, "tets", error);
  made->tet_from = array_capacity(before - gone, sizeof *made->tet_from, "tets", error);
  if (!made->gone || !made->tet_from) return false;
  for (int e = -1; (e = marks_next(t->removed, before, e + 1, UINT8_MAX)) < before;) {
    made->gone[made->gone_count++] = e;
    made->removed_volume += mesh_tet_volume(mesh, e);
  }
  renumber_remaining(made->gone, gone, before, made->tet_from, NULL);
  return true;
}

// Arguments of a parallel loop that copies tets to the new mesh, with the new numbers of their nodes: renamed[a] is the
// new number of node a. After this loop, take_cells replaces some nodes of tets by their copies.
typedef struct Renaming {
  const TetMesh *mesh;
  const Separation *made;
  const int *renamed;
} Renaming;

static void rename_tets(const void *renaming, int first, int last) {
  const Renaming *r = renaming;
  const TetMesh *to = &r->made->mesh;
  if (!r->made->tet_from) {  // no tet was removed, so nodes keep their numbers
    memcpy(to->tet + first, r->mesh->tet + first, sizeof *to->tet * (size_t)(last - first));
    if (to->middle) memcpy(to->middle + first, r->mesh->middle + first, sizeof *to->middle * (size_t)(last - first));
    return;
  }
  for (int e = first; e < last; e++) {
    const int was = r->made->tet_from[e];
    for (int c = 0; c < 4; c++) to->tet[e][c] = r->renamed[r->mesh->tet[was][c]];
    for (int c = 0; to->middle && c < 6; c++) to->middle[e][c] = r->renamed[r->mesh->middle[was][c]];
  }
}

// Sets the nodes of all tets of the new mesh. Lists in made->changed the tets that have a copy of a node.
static bool take_cells(Separation *made, const Task *t, const int *renamed, Error *error) {
  const int tets = made->mesh.tet_count;
  int64_t capacity = 0;
  made->mesh.tet = array_capacity(tets, sizeof *made->mesh.tet, "tets", error);
  if (t->cell_nodes > 4) made->mesh.middle = array_capacity(tets, sizeof *made->mesh.middle, "tets", error);
  uint8_t *is_changed = array_new(tets, 1, "tets", error);
  for (int64_t s = 0; s < t->start[t->node_count]; s++) capacity += t->group[s] > 0;
  made->changed = array_new(capacity, sizeof *made->changed, "tets", error);
  if (!made->mesh.tet || (t->cell_nodes > 4 && !made->mesh.middle) || !is_changed || !made->changed) {
    free(is_changed);
    return false;
  }
  parallel_for(tets, CHUNK, rename_tets, &(Renaming){ t->mesh, made, renamed });
  int next = made->mesh.node_count - made->copies;
  for (int k = 0; k < t->node_count; k++) {
    for (int64_t s = t->start[k]; s < t->start[k + 1]; s++) {
      if (t->group[s] < 1) continue;
      const int *old = t->cell + (int64_t)t->tet[s] * t->cell_nodes;
      const int e = renumbered(made->gone, made->gone_count, t->tet[s]);
      int c = 0;
      while (old[c] != t->node[k]) c++;
      *(c < 4 ? &made->mesh.tet[e][c] : &made->mesh.middle[e][c - 4]) = next + t->group[s] - 1;
      is_changed[e] = 1;
    }
    if (t->groups[k] > 1) next += t->groups[k] - 1;
  }

  for (int e = -1; (e = marks_next(is_changed, tets, e + 1, 1)) < tets;) made->changed[made->changed_count++] = e;
  free(is_changed);
  return true;
}

bool separation_fill(Separation *made, const TetMesh *mesh, Error *error) {
  TetMesh *m = &made->mesh;
  const int *node_from = made->node_from, *tet_from = made->tet_from;
  m->sets = mesh_sets_hold(mesh->sets);
  if (!gather_new(&m->X, mesh->X, node_from, m->node_count, sizeof *mesh->X, "nodes", error)) return false;
  if (!gather_new(&m->node_tag, mesh->node_tag, node_from, m->node_count, sizeof *mesh->node_tag, "nodes", error))
    return false;
  if (!gather_new(&m->damping, mesh->damping, node_from, m->node_count, sizeof *mesh->damping, "nodes", error))
    return false;
  if (!gather_new(&m->body, mesh->body, node_from, m->node_count, sizeof *mesh->body, "nodes", error)) return false;
  if (!gather_new(&m->stiffness, mesh->stiffness, tet_from, m->tet_count, sizeof *mesh->stiffness, "tets", error))
    return false;
  if (!gather_new(&m->ratio, mesh->ratio, tet_from, m->tet_count, sizeof *mesh->ratio, "tets", error)) return false;
  return gather_new(&m->density, mesh->density, tet_from, m->tet_count, sizeof *mesh->density, "tets", error);
}

void separation_destroy(Separation *separation) {
  mesh_destroy(&separation->mesh);
  free(separation->node_from);
  free(separation->tet_from);
  free(separation->gone);
  free(separation->changed);
  *separation = (Separation){ 0 };
}

bool mesh_separate(Separation *made, const TetMesh *mesh, const uint8_t *opened, const uint8_t *removed, Error *error) {
  NearTets near_tets = { 0 };
  int *all = mesh->middle ? mesh_cells(mesh, error) : NULL;
  Task t = { .mesh = mesh,
             .cell = all ? all : (const int *)mesh->tet,
             .cell_nodes = mesh_cell_nodes(mesh),
             .opened = opened,
             .removed = removed };
  int *near_index = array_new(mesh->node_count, sizeof *near_index, "nodes", error);
  int *renamed = array_new(mesh->node_count, sizeof *renamed, "nodes", error);
  *made = (Separation){ 0 };
  bool ok = (all || !mesh->middle) && near_index && renamed;
  if (ok) t.node_count = mark_nodes(&t, near_index);
  ok = ok && find_near_tets(&t, near_index, &near_tets, error);
  ok = ok && list_tets(made, &t, error);
  ok = ok && number_nodes(made, &t, renamed, error);
  ok = ok && take_cells(made, &t, renamed, error);
  ok = ok && separation_fill(made, mesh, error);
  if (!ok) separation_destroy(made);
  free(all);
  free(near_index);
  free(renamed);
  near_tets_destroy(&near_tets);
  return ok;
}
