// Creates the aggregates (groups of nodes) of a matrix in parts, and lists the aggregates that each part needs.
#include "sim/solver/multigrid/part_aggregates.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

// Copies, in host memory, of the members of PartLayout with the same names: the nodes of each part and of its halo.
typedef struct Nodes {
  int *owned_start, *halo_start, *node;
} Nodes;

static bool fetch(Nodes *n, const PartLayout *l, int node_count, Stream stream, Error *error) {
  const int64_t ends = l->part_count + 1, nodes = (int64_t)node_count + l->halo_count;
  n->owned_start = array_new(ends, sizeof(int), "aggregates", error);
  n->halo_start = array_new(ends, sizeof(int), "aggregates", error);
  n->node = array_new(nodes, sizeof(int), "aggregates", error);
  if (!n->owned_start) return false;
  if (!n->halo_start) return false;
  if (!n->node) return false;
  if (!device_download(stream, n->owned_start, l->owned_start, sizeof(int) * (size_t)ends, error)) return false;
  if (!device_download(stream, n->halo_start, l->halo_start, sizeof(int) * (size_t)ends, error)) return false;
  if (!device_download(stream, n->node, l->node, sizeof(int) * (size_t)nodes, error)) return false;
  return stream_sync(stream, error);
}

// Builds two lists of one part. `near`: the aggregates of the part's nodes, then those of its halo nodes, which are
// nodes of other parts. `slot`: for each of these nodes, the index of its aggregate in `near`. near_index [number of
// aggregates] is work memory; each element must be -1 before the call, and is -1 after it.
static bool list_near(PartAggregates *p, const Aggregates *g, const Nodes *n, int part, int *near_index,
                      int64_t *capacity, Error *error) {
  const int first = n->owned_start[part] + n->halo_start[part],
            last = n->owned_start[part + 1] + n->halo_start[part + 1];
  const int begin = p->near_start[part], owned = p->owned_start[part + 1] - p->owned_start[part];
  int count = 0;
  if (!array_reserve((void **)&p->near, capacity, (int64_t)begin + owned + last - first, sizeof *p->near, "aggregates",
                     error))
    return false;
  int *near = p->near + begin;

  // List the aggregates (groups of nodes) of the part itself first.
  for (int k = p->owned_start[part]; k < p->owned_start[part + 1]; k++) {
    near_index[k] = count;
    near[count++] = k;
  }

  // Then list, ascending, those aggregates (groups of nodes) of other parts that have nodes in the halo.
  for (int l = first; l < last; l++) {
    const int there = g->of[n->node[l]];
    if (there >= 0 && near_index[there] < 0) {
      near_index[there] = 0;
      near[count++] = there;
    }
  }

  qsort(near + owned, (size_t)(count - owned), sizeof *near, compare_ints);
  for (int k = owned; k < count; k++) near_index[near[k]] = k;

  for (int l = first; l < last; l++) p->slot[l] = g->of[n->node[l]] >= 0 ? near_index[g->of[n->node[l]]] : -1;

  for (int k = 0; k < count; k++) near_index[near[k]] = -1;
  p->near_start[part + 1] = begin + count;
  if (count > p->near_max) p->near_max = count;
  if (owned > p->owned_max) p->owned_max = owned;
  return true;
}

bool part_aggregates_create(PartAggregates *p, Aggregates *g, const Operator *A, Stream stream, Error *error) {
  const PartLayout *l = A->parts;
  const int nodes = A->space->node_count;
  Nodes n = { 0 };
  int64_t capacity = 0;
  *p = (PartAggregates){ 0 };
  *g = (Aggregates){ 0 };

  // Set the part of each node, then create the aggregates.
  int *part = array_new(nodes, sizeof *part, "aggregates", error), *near_index = NULL;
  bool ok = part && fetch(&n, l, nodes, stream, error);
  for (int q = 0; ok && q < l->part_count; q++)
    for (int k = n.owned_start[q]; k < n.owned_start[q + 1]; k++) part[n.node[k + n.halo_start[q]]] = q;
  ok = ok && aggregates_create(g, A, part, l->part_count, error);

  if (ok) {
    p->owned_start = array_new((int64_t)l->part_count + 1, sizeof(int), "aggregates", error);
    p->near_start = array_new((int64_t)l->part_count + 1, sizeof(int), "aggregates", error);
    p->slot = array_new((int64_t)nodes + l->halo_count, sizeof *p->slot, "aggregates", error);
    near_index = array_new(g->count, sizeof *near_index, "aggregates", error);
    ok = p->owned_start && p->near_start && p->slot && near_index;
  }

  for (int k = 0; ok && k < g->count; k++) {
    near_index[k] = -1;
    p->owned_start[part[g->member[g->start[k]]] + 1]++;
  }
  for (int q = 0; ok && q < l->part_count; q++) p->owned_start[q + 1] += p->owned_start[q];
  for (int q = 0; ok && q < l->part_count; q++) ok = list_near(p, g, &n, q, near_index, &capacity, error);

  free(near_index);
  free(part);
  free(n.owned_start);
  free(n.halo_start);
  free(n.node);
  return ok;
}

void part_aggregates_destroy(PartAggregates *p) {
  free(p->owned_start);
  free(p->near_start);
  free(p->near);
  free(p->slot);
  *p = (PartAggregates){ 0 };
}
