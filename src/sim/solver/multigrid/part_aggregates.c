// Aggregates of a matrix in parts: see part_aggregates.h.
#include "sim/solver/multigrid/part_aggregates.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

// A layout's lists of nodes, copied to the host.
typedef struct Nodes {
  int *own_start, *halo_start, *node;
} Nodes;

static bool fetch(Nodes *n, const PartLayout *l, int node_count, Stream stream, Error *error) {
  const int64_t ends = l->part_count + 1, nodes = (int64_t)node_count + l->halo_count;
  n->own_start = array_new(ends, sizeof(int), "aggregates", error);
  n->halo_start = array_new(ends, sizeof(int), "aggregates", error);
  n->node = array_new(nodes, sizeof(int), "aggregates", error);
  return n->own_start && n->halo_start && n->node &&
         device_download(stream, n->own_start, l->own_start, sizeof(int) * (size_t)ends, error) &&
         device_download(stream, n->halo_start, l->halo_start, sizeof(int) * (size_t)ends, error) &&
         device_download(stream, n->node, l->node, sizeof(int) * (size_t)nodes, error) && stream_sync(stream, error);
}

// Builds the lists of one part. place [aggregates] is scratch, all -1 before and after: the index of each aggregate in
// the part's section of near.
static bool list_near(PartAggregates *p, const Aggregates *g, const Nodes *n, int part, int *place, int64_t *capacity,
                      Error *error) {
  const int first = n->own_start[part] + n->halo_start[part], last = n->own_start[part + 1] + n->halo_start[part + 1];
  const int begin = p->near_start[part], own = p->own_start[part + 1] - p->own_start[part];
  int count = 0;
  if (!array_reserve((void **)&p->near, capacity, (int64_t)begin + own + last - first, sizeof *p->near, "aggregates",
                     error))
    return false;
  int *near = p->near + begin;

  // The part's aggregates come first.
  for (int k = p->own_start[part]; k < p->own_start[part + 1]; k++) place[k] = count, near[count++] = k;

  // Other aggregates of local nodes follow, sorted.
  for (int l = first; l < last; l++) {
    const int there = g->of[n->node[l]];
    if (there >= 0 && place[there] < 0) place[there] = 0, near[count++] = there;
  }
  qsort(near + own, (size_t)(count - own), sizeof *near, compare_ints);
  for (int k = own; k < count; k++) place[near[k]] = k;

  // Slots of the local nodes.
  for (int l = first; l < last; l++) p->slot[l] = g->of[n->node[l]] >= 0 ? place[g->of[n->node[l]]] : -1;

  // Reset the scratch array.
  for (int k = 0; k < count; k++) place[near[k]] = -1;
  p->near_start[part + 1] = begin + count;
  if (count > p->near_max) p->near_max = count;
  if (own > p->own_max) p->own_max = own;
  return true;
}

bool part_aggregates_create(PartAggregates *p, Aggregates *g, const Operator *A, Stream stream, Error *error) {
  const PartLayout *l = A->parts;
  const int nodes = A->space->node_count;
  Nodes n = { 0 };
  int64_t capacity = 0;
  *p = (PartAggregates){ 0 };
  *g = (Aggregates){ 0 };

  // The part of each node, then the aggregates.
  int *part = array_new(nodes, sizeof *part, "aggregates", error), *place = NULL;
  bool ok = part && fetch(&n, l, nodes, stream, error);
  for (int q = 0; ok && q < l->part_count; q++)
    for (int k = n.own_start[q]; k < n.own_start[q + 1]; k++) part[n.node[k + n.halo_start[q]]] = q;
  ok = ok && aggregates_create(g, A, part, l->part_count, error);

  // Lists of each part.
  if (ok) {
    p->own_start = array_new((int64_t)l->part_count + 1, sizeof(int), "aggregates", error);
    p->near_start = array_new((int64_t)l->part_count + 1, sizeof(int), "aggregates", error);
    p->slot = array_new((int64_t)nodes + l->halo_count, sizeof *p->slot, "aggregates", error);
    place = array_new(g->count, sizeof *place, "aggregates", error);
    ok = p->own_start && p->near_start && p->slot && place;
  }
  for (int k = 0; ok && k < g->count; k++) place[k] = -1, p->own_start[part[g->member[g->start[k]]] + 1]++;
  for (int q = 0; ok && q < l->part_count; q++) p->own_start[q + 1] += p->own_start[q];
  for (int q = 0; ok && q < l->part_count; q++) ok = list_near(p, g, &n, q, place, &capacity, error);

  free(place), free(part);
  free(n.own_start), free(n.halo_start), free(n.node);
  return ok;
}

void part_aggregates_destroy(PartAggregates *p) {
  free(p->own_start), free(p->near_start), free(p->near), free(p->slot);
  *p = (PartAggregates){ 0 };
}
