// What nearby.cu, cuda_trees.cu and contact.cu know of each other: see contact_cuda.h.
#pragma once
#include <stdlib.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"

// A group of a tree: its members, items or groups of the level below, and the item behind its last.
struct BoxGroup {
  int first, count, end;
};

// Where something is and the ways it may go, see Box in box_tree.h; loaded by sixteen bytes.
struct alignas(16) SweptBox {
  float low[3], high[3], way_low[3], way_high[3];
};

// An item of a tree: its nodes, of edges and vertices with the BoxTree's leaf in the last place, and its number among
// its kind; loaded by sixteen bytes.
struct alignas(16) TreeItem {
  int node[3], number;
};

// What may be a pair by its boxes: places in their trees, those of vertices as their complements.
struct PairCandidate {
  int query, item;
};

// Number of candidates and of pairs found, also beyond the arrays' capacity. With a large reach every item is near
// every other: the number of candidates is then too large for an int.
struct FoundCount {
  unsigned long long candidates;
  int pairs;
};

// What the last search of recorded steps found, and how many there were since the surface was made.
struct SearchTold {
  FoundCount found;
  int searches;
};

static __host__ __device__ __forceinline__ bool has_room(const ContactCuda &c, const FoundCount &found) {
  return found.candidates <= (unsigned long long)c.candidate_room && found.pairs <= c.pair_room;
}

/// How many pairs a search has found; 0 where there is no room for all, or not for all that may be some.
static __device__ __forceinline__ int pairs_found(const ContactCuda &c) {
  const FoundCount found = *c.found_count;
  return has_room(c, found) ? found.pairs : 0;
}

// That a pair was the `index`-th of its query to be found, with the item of that place.
struct LoosePlace {
  int query, index, item;
};

// What a pair that slides does, likewise: minus `over_way` times weight times e on each of its nodes.
struct CudaRub {
  double e[3], over_way, weight[4];  // m, N/m
  double energy, stored;             // J
  int owner;
};

// What a pair that touches does, in the state looked at last.
struct CudaTouch {
  double force[4][3];
  double energy;
  int owner;  // which corner the energy counts with
};

extern "C" {
/// Cuts the trees of triangles, edges and vertices out of those of the skin.
bool cuda_trees_create(ContactCuda *c, Error *error);
void cuda_trees_destroy(ContactCuda *c);

/// The trees, and room for pairs.
bool nearby_cuda_create(ContactCuda *c, Error *error);
void nearby_cuda_destroy(ContactCuda *c);

/// Queues what contact_cuda_find does, without a wait. After one nearby_cuda_heard says whether there was room for
/// `all`; else it makes room, and the search is to be queued again.
bool nearby_cuda_queue(ContactCuda *c, const double (*way)[3], double scale, Stream stream, Error *error);
bool nearby_cuda_heard(ContactCuda *c, bool *all, Error *error);

/// The kernels of it alone, for *share of the ways, on the GPU, in place of `scale` unless that is NULL.
bool nearby_cuda_search(const ContactCuda *c, const double (*way)[3], double scale, const double *share, Stream stream,
                        Error *error);

/// Each of the numbers [count], not more than there are queries and one, becomes the sum of those before it.
bool nearby_cuda_add_up(const ContactCuda *c, int *number, int count, Stream stream, Error *error);
}
