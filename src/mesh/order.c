// Computes orders of a mesh's nodes, and renumbers a mesh: see order.h.
#include "mesh/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "mesh/adjacency.h"
#include "mesh/bisect.h"
#include "mesh/divide.h"

// A node with two keys for sorting. Nodes are sorted by `key`; equal keys by `second`; if both are equal, by index.
typedef struct Keyed {
  uint64_t key, second;
  int node;
} Keyed;

static int by_key(const void *a_, const void *b_) {
  const Keyed *a = a_, *b = b_;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  if (a->second != b->second) return a->second < b->second ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

// Moves bit b of v to bit 3 b, for the lowest 21 bits. Example: binary 101 becomes 001000001.
static uint64_t spread(uint64_t v) {
  uint64_t result = 0;
  for (int bit = 0; bit < 21; bit++) result |= (v >> bit & 1) << (3 * bit);
  return result;
}

// Sets keyed[a].second to the position of node a on a Morton (Z-order) curve through the mesh's bounding cube.
static void morton_keys(const TetMesh *mesh, Keyed *keyed) {
  double low[3], high[3], size = 0;
  mesh_bounds(mesh, low, high);
  for (int i = 0; i < 3; i++) size = fmax(size, high[i] - low[i]);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++) {
    keyed[a] = (Keyed){ .node = a };
    for (int i = 0; i < 3; i++) {
      const double along = size > 0 ? (mesh->X[a][i] - low[i]) / size : 0;
      keyed[a].second |= spread((uint64_t)(along * ((1 << 21) - 1))) << i;
    }
  }
}

static void take_order(const Keyed *keyed, int count, int *order) {
  for (int k = 0; k < count; k++) order[k] = keyed[k].node;
}

static bool order_morton(const TetMesh *mesh, const int *part, int *order, Error *error) {
  Keyed *keyed = array_new(mesh->node_count, sizeof *keyed, "node order", error);
  if (!keyed) return false;
  morton_keys(mesh, keyed);
  for (int a = 0; part && a < mesh->node_count; a++) keyed[a].key = (uint64_t)part[a];
  const bool ok = sort_items(keyed, mesh->node_count, sizeof *keyed, by_key, error);
  if (ok) take_order(keyed, mesh->node_count, order);
  free(keyed);
  return ok;
}

static bool order_metis(const TetMesh *mesh, const Adjacency *adjacency, int *order, Error *error) {
  int *part = array_new(mesh->node_count, sizeof *part, "node order", error);
  const bool ok = part && adjacency_divide(adjacency, mesh->node_count / ORDER_PART_NODES, NULL, part, error) &&
                  order_morton(mesh, part, order, error);
  free(part);
  return ok;
}

static int degree(const Adjacency *adjacency, int node) {
  return (int)(adjacency->start[node + 1] - adjacency->start[node]);
}

// Numbers nodes by a breadth-first search from `root`. `count` nodes have numbers already, so the root gets the number
// `count`. Only nodes with new_index -1 are visited. Sets new_index[a] to the number of node a, and order[k] to the
// node with number k. Neighbours of a node are visited in ascending order of their degree (how many neighbours they
// have). Returns the next unused number. The last numbered node is farthest from the root. `sorted` is work space.
static int breadth_first(const Adjacency *adjacency, int root, int count, int *new_index, int *order, Keyed *sorted) {
  int next = count;
  new_index[root] = count;
  order[count++] = root;
  for (; next < count && !interrupt_requested(); next++) {
    int found = 0;
    for (int64_t s = adjacency->start[order[next]]; s < adjacency->start[order[next] + 1]; s++) {
      const int other = adjacency->neighbour[s];
      if (new_index[other] >= 0) continue;
      new_index[other] = 0;
      sorted[found++] = (Keyed){ .key = (uint64_t)degree(adjacency, other), .node = other };
    }
    qsort(sorted, (size_t)found, sizeof *sorted, by_key);
    for (int k = 0; k < found; k++) {
      new_index[sorted[k].node] = count;
      order[count++] = sorted[k].node;
    }
  }
  return count;
}

static bool order_rcm(const TetMesh *mesh, const Adjacency *adjacency, int *order, Error *error) {
  const int nodes = mesh->node_count;
  int *new_index = array_new(nodes, sizeof *new_index, "node order", error), count = 0;
  Keyed *sorted = array_new(nodes, sizeof *sorted, "node order", error);
  bool ok = new_index && sorted;
  for (int a = 0; ok && a < nodes; a++) new_index[a] = -1;
  for (int a = 0; ok && a < nodes; a++) {
    ok = interrupt_check(error);
    if (new_index[a] >= 0) continue;

    // The root should be at the periphery of the graph. So a first search from node a finds a node far from a, and a
    // second search from that node finds the root.
    int root = a;
    for (int search = 0; search < 2; search++) {
      const int end = breadth_first(adjacency, root, count, new_index, order, sorted);
      root = order[end - 1];
      for (int k = count; k < end; k++) new_index[order[k]] = -1;
    }
    count = breadth_first(adjacency, root, count, new_index, order, sorted);
  }

  for (int k = 0; ok && k < nodes / 2; k++) {
    const int swap = order[k];
    order[k] = order[nodes - 1 - k];
    order[nodes - 1 - k] = swap;
  }

  free(new_index);
  free(sorted);
  return ok;
}

MeshOrder mesh_order_chosen(MeshOrder kind, int node_count, int degree) {
  if (kind != ORDER_AUTO) return kind;
  return node_count <= (degree == 1 ? ORDER_METIS_NODES : ORDER_METIS_NODES / 4) ? ORDER_METIS : ORDER_BISECTION;
}

bool mesh_order(const TetMesh *mesh, MeshOrder kind, int *order, Error *error) {
  Adjacency adjacency = { 0 };
  bool ok = true;
  kind = mesh_order_chosen(kind, mesh->node_count, mesh_degree(mesh));
  if (kind == ORDER_FILE)
    for (int a = 0; a < mesh->node_count; a++) order[a] = a;
  else if (kind == ORDER_MORTON)
    ok = order_morton(mesh, NULL, order, error);
  else if (kind == ORDER_BISECTION)
    ok = bisect_points((const double(*)[3])mesh->X, mesh->node_count, BISECT_FULLY, order, error);
  else
    ok = adjacency_create(&adjacency, mesh, error) &&
         (kind == ORDER_RCM ? order_rcm : order_metis)(mesh, &adjacency, order, error);
  adjacency_destroy(&adjacency);
  return ok;
}

// Arguments of the parallel loops that create the renumbered mesh `made` from `mesh`. order[k] is the old index of the
// node with new index k.
typedef struct Renumbering {
  const TetMesh *mesh;
  TetMesh *made;
  const int *order;
  const int *rank;  // [node_count]: tets are sorted by their nodes' smallest rank; NULL: by their smallest new index
  int *new_index;   // [node_count], new index of each node, the inverse of `order`
  int *smallest;    // [tet_count], smallest rank or smallest new index among each tet's nodes
  int *tet;         // [tet_count]: tet[k] is the old index of the tet with the new index k
} Renumbering;

static void move_nodes(const void *renumbering, int first, int last) {
  const Renumbering *r = renumbering;
  for (int k = first; k < last; k++) {
    r->new_index[r->order[k]] = k;
    memcpy(r->made->X[k], r->mesh->X[r->order[k]], sizeof *r->made->X);
    r->made->node_tag[k] = r->mesh->node_tag[r->order[k]];
    if (r->made->damping) r->made->damping[k] = r->mesh->damping[r->order[k]];
    if (r->made->body) r->made->body[k] = r->mesh->body[r->order[k]];
  }
}

static void find_smallest(const void *renumbering, int first, int last) {
  const Renumbering *r = renumbering;
  const int nodes = mesh_cell_nodes(r->mesh), *rank = r->rank ? r->rank : r->new_index;
  for (int e = first; e < last; e++) {
    int smallest = rank[mesh_cell_node(r->mesh, e, 0)];
    for (int a = 1; a < nodes; a++) {
      const int its = rank[mesh_cell_node(r->mesh, e, a)];
      if (its < smallest) smallest = its;
    }
    r->smallest[e] = smallest;
  }
}

static void move_tets(const void *renumbering, int first, int last) {
  const Renumbering *r = renumbering;
  const int nodes = mesh_cell_nodes(r->mesh);
  for (int e = first; e < last; e++) {
    for (int a = 0; a < nodes; a++)
      *mesh_cell_entry(r->made, e, a) = r->new_index[mesh_cell_node(r->mesh, r->tet[e], a)];
    if (r->made->stiffness) r->made->stiffness[e] = r->mesh->stiffness[r->tet[e]];
    if (r->made->ratio) r->made->ratio[e] = r->mesh->ratio[r->tet[e]];
    if (r->made->density) r->made->density[e] = r->mesh->density[r->tet[e]];
  }
}

// Allocates the cells of `made`, and those optional arrays, such as `stiffness`, that `mesh` has.
static bool reserve_capacity(TetMesh *made, const TetMesh *mesh, Error *error) {
  const int tets = mesh->tet_count;
  if (mesh->hex)
    made->hex = array_new(tets, sizeof *made->hex, "hexes", error);
  else
    made->tet = array_new(tets, sizeof *made->tet, "tets", error);
  if (mesh->stiffness) made->stiffness = array_new(tets, sizeof *made->stiffness, "tets", error);
  if (mesh->ratio) made->ratio = array_new(tets, sizeof *made->ratio, "tets", error);
  if (mesh->density) made->density = array_new(tets, sizeof *made->density, "tets", error);
  if (mesh->outer) made->outer = array_new(tets, sizeof *made->outer, "tets", error);
  if (mesh->middle) made->middle = array_new(tets, sizeof *made->middle, "tets", error);
  return (made->tet || made->hex) && (made->stiffness || !mesh->stiffness) && (made->ratio || !mesh->ratio) &&
         (made->density || !mesh->density) && (made->middle || !mesh->middle) && (made->outer || !mesh->outer);
}

bool mesh_renumber(TetMesh *renumbered, const TetMesh *mesh, const int *order, const int *rank, int *tet_index,
                   Error *error) {
  enum { CHUNK = 1 << 14 };
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  TetMesh made = { .node_count = nodes, .tet_count = tets };
  Renumbering r = { .mesh = mesh, .made = &made, .order = order, .rank = rank };
  made.X = array_new(nodes, sizeof *made.X, "nodes", error);
  made.node_tag = array_new(nodes, sizeof *made.node_tag, "nodes", error);
  if (mesh->damping) made.damping = array_new(nodes, sizeof *made.damping, "nodes", error);
  if (mesh->body) made.body = array_new(nodes, sizeof *made.body, "nodes", error);
  r.new_index = array_new(nodes, sizeof *r.new_index, "node order", error);
  r.smallest = array_new(tets, sizeof *r.smallest, "tets", error);
  r.tet = array_new(tets, sizeof *r.tet, "tets", error);
  int ranks = nodes;
  for (int a = 0; rank && a < nodes; a++) ranks = rank[a] < ranks ? ranks : rank[a] + 1;
  int64_t *start = array_new((int64_t)ranks + 1, sizeof *start, "nodes", error);
  bool ok = made.X && made.node_tag && r.new_index && r.smallest && r.tet && start &&
            (made.damping || !mesh->damping) && (made.body || !mesh->body);
  if (ok) {
    parallel_for(nodes, CHUNK, move_nodes, &r);
    parallel_for(tets, CHUNK, find_smallest, &r);
    ok = sort_by_key(r.smallest, tets, ranks, 1, start, r.tet, error);
  }

  free(start);
  free(r.smallest);
  ok = ok && reserve_capacity(&made, mesh, error);
  if (ok) parallel_for(tets, CHUNK, move_tets, &r);
  for (int e = 0; ok && tet_index && e < tets; e++) tet_index[r.tet[e]] = e;
  free(r.new_index);
  free(r.tet);
  if (ok)
    *renumbered = made;
  else
    mesh_destroy(&made);
  return ok;
}
