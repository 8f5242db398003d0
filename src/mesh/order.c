// Orders of a mesh's nodes: see order.h.
#include "mesh/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"
#include "mesh/adjacency.h"
#include "mesh/divide.h"

// A node and what it is sorted by; equal keys keep the order of numbers.
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

// 21 bits, two zeros between each and the next
static uint64_t spread(uint64_t v) {
  uint64_t result = 0;
  for (int bit = 0; bit < 21; bit++) result |= (v >> bit & 1) << (3 * bit);
  return result;
}

// place along a Morton curve through the mesh's bounding cube
static void morton_keys(const TetMesh *mesh, Keyed *keyed) {
  double low[3], high[3], size = 0;
  mesh_bounds(mesh, low, high);
  for (int i = 0; i < 3; i++) size = fmax(size, high[i] - low[i]);
  for (int a = 0; a < mesh->node_count && !interrupt_signal(); a++) {
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

// breadth first from `root`, neighbours by degree, over nodes whose place is -1; numbers them from `count` on and
// returns the new count. The last node is as far from the root as any.
static int breadth_first(const Adjacency *adjacency, int root, int count, int *place, int *order, Keyed *sorted) {
  int next = count;
  place[root] = count;
  order[count++] = root;
  for (; next < count && !interrupt_signal(); next++) {
    int found = 0;
    for (int64_t s = adjacency->start[order[next]]; s < adjacency->start[order[next] + 1]; s++) {
      const int other = adjacency->neighbour[s];
      if (place[other] >= 0) continue;
      place[other] = 0;
      sorted[found++] = (Keyed){ .key = (uint64_t)degree(adjacency, other), .node = other };
    }
    qsort(sorted, (size_t)found, sizeof *sorted, by_key);
    for (int k = 0; k < found; k++) place[sorted[k].node] = count, order[count++] = sorted[k].node;
  }
  return count;
}

static bool order_rcm(const TetMesh *mesh, const Adjacency *adjacency, int *order, Error *error) {
  const int nodes = mesh->node_count;
  int *place = array_new(nodes, sizeof *place, "node order", error), count = 0;
  Keyed *sorted = array_new(nodes, sizeof *sorted, "node order", error);
  bool ok = place && sorted;
  for (int a = 0; ok && a < nodes; a++) place[a] = -1;
  for (int a = 0; ok && a < nodes; a++) {
    ok = interrupt_check(error);
    if (place[a] >= 0) continue;
    // a root far out: the last node of a search from the last node of a search
    int root = a;
    for (int search = 0; search < 2; search++) {
      const int end = breadth_first(adjacency, root, count, place, order, sorted);
      root = order[end - 1];
      for (int k = count; k < end; k++) place[order[k]] = -1;
    }
    count = breadth_first(adjacency, root, count, place, order, sorted);
  }
  for (int k = 0; ok && k < nodes / 2; k++) {
    const int swap = order[k];
    order[k] = order[nodes - 1 - k];
    order[nodes - 1 - k] = swap;
  }
  free(place);
  free(sorted);
  return ok;
}

bool mesh_order(const TetMesh *mesh, MeshOrder kind, int *order, Error *error) {
  Adjacency adjacency = { 0 };
  bool ok = true;
  if (kind == ORDER_FILE)
    for (int a = 0; a < mesh->node_count; a++) order[a] = a;
  else if (kind == ORDER_MORTON)
    ok = order_morton(mesh, NULL, order, error);
  else
    ok = adjacency_create(&adjacency, mesh, error) &&
         (kind == ORDER_RCM ? order_rcm : order_metis)(mesh, &adjacency, order, error);
  adjacency_destroy(&adjacency);
  return ok;
}

static bool sort_tets(TetMesh *mesh, Error *error) {
  Keyed *keyed = array_new(mesh->tet_count, sizeof *keyed, "tets", error);
  int(*tet)[4] = array_new(mesh->tet_count, sizeof *tet, "tets", error);
  double *stiffness = mesh->stiffness ? array_new(mesh->tet_count, sizeof *stiffness, "tets", error) : NULL;
  bool ok = keyed && tet && (stiffness || !mesh->stiffness);
  for (int e = 0; ok && e < mesh->tet_count; e++) {
    int smallest = mesh->tet[e][0];
    for (int a = 1; a < 4; a++)
      if (mesh->tet[e][a] < smallest) smallest = mesh->tet[e][a];
    keyed[e] = (Keyed){ .key = (uint64_t)smallest, .node = e };
  }
  ok = ok && sort_items(keyed, mesh->tet_count, sizeof *keyed, by_key, error);
  if (ok) {
    for (int e = 0; e < mesh->tet_count; e++) memcpy(tet[e], mesh->tet[keyed[e].node], sizeof *tet);
    memcpy(mesh->tet, tet, sizeof *tet * (size_t)mesh->tet_count);
    for (int e = 0; stiffness && e < mesh->tet_count; e++) stiffness[e] = mesh->stiffness[keyed[e].node];
    if (stiffness) memcpy(mesh->stiffness, stiffness, sizeof *stiffness * (size_t)mesh->tet_count);
  }
  free(keyed);
  free(tet);
  free(stiffness);
  return ok;
}

bool mesh_renumber(TetMesh *mesh, const int *order, Error *error) {
  const int nodes = mesh->node_count;
  int *place = array_new(nodes, sizeof *place, "node order", error);
  double(*X)[3] = array_new(nodes, sizeof *X, "nodes", error);
  int64_t *tag = array_new(nodes, sizeof *tag, "nodes", error);
  const bool ok = place && X && tag;
  for (int k = 0; ok && k < nodes; k++) {
    place[order[k]] = k;
    memcpy(X[k], mesh->X[order[k]], sizeof *X);
    tag[k] = mesh->node_tag[order[k]];
  }
  if (ok) {
    memcpy(mesh->X, X, sizeof *X * (size_t)nodes);
    memcpy(mesh->node_tag, tag, sizeof *tag * (size_t)nodes);
    for (int e = 0; e < mesh->tet_count; e++)
      for (int a = 0; a < 4; a++) mesh->tet[e][a] = place[mesh->tet[e][a]];
  }
  free(place);
  free(X);
  free(tag);
  return ok && sort_tets(mesh, error);
}
