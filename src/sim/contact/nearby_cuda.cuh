// Types and functions that nearby.cu, cuda_trees.cu and contact.cu share: see contact_cuda.h.
#pragma once
#include <stdlib.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"

// A group of a tree: its members, items or groups of the level below, and the first item after it.
struct BoxGroup {
  int first, count, end;
};

// Bounds of an object and of its displacements, see Box in box_tree.h; loaded 16 bytes at a time.
struct alignas(16) SweptBox {
  float low[3], high[3], path_low[3], path_high[3];
};

// An item of a tree: its nodes, and its index in its kind. Items of edges and vertices store their leaf of the BoxTree
// in node[2]. Loaded 16 bytes at a time.
struct alignas(16) TreeItem {
  int node[3], number;
};

// Candidate for a pair, by its boxes: indices in their trees; the query of a vertex is the complement of its index.
struct PairCandidate {
  int query, item;
};

// Number of candidates and of pairs found, also beyond the arrays' capacity. With a large reach every item is near
// every other: the number of candidates is then too large for an int.
struct FoundCount {
  unsigned long long candidates;
  int pairs;
};

// Result of the last search in recorded steps, and number of these searches since the surface was made.
struct SearchReport {
  FoundCount found;
  int searches;
};

static __host__ __device__ __forceinline__ bool has_capacity(const ContactCuda &c, const FoundCount &found) {
  return found.candidates <= (unsigned long long)c.candidate_capacity && found.pairs <= c.pair_capacity;
}

/// Number of pairs that a search has found; 0 if the capacity for candidates or pairs was too small.
static __device__ __forceinline__ int pairs_found(const ContactCuda &c) {
  const FoundCount found = *c.found_count;
  return has_capacity(c, found) ? found.pairs : 0;
}

// Origin of a found pair: its query, its order of arrival in the query, and its item's index in the tree.
struct LooseKey {
  int query, index, item;
};

// Force of a sliding pair in the last evaluated state: node j gets -over_path * weight[j] * e.
struct CudaRub {
  double e[3], over_path, weight[4];  // m, N/m
  double energy, stored;              // J
  int owner;
};

// Forces of a touching pair in the last evaluated state.
struct CudaTouch {
  double force[4][3];
  double energy;
  int owner;  // corner that the energy is counted at
};

extern "C" {
/// Creates the trees of triangles, edges and vertices from those of the skin.
bool cuda_trees_create(ContactCuda *c, Error *error);
void cuda_trees_destroy(ContactCuda *c);

/// Creates the trees, and the arrays of pairs.
bool nearby_cuda_create(ContactCuda *c, Error *error);
void nearby_cuda_destroy(ContactCuda *c);

/// Queues the work of contact_cuda_find without a wait. After a wait, nearby_cuda_received sets *all if the capacity
/// was sufficient; else it enlarges the arrays, and the search must be queued again.
bool nearby_cuda_queue(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream, Error *error);
bool nearby_cuda_received(ContactCuda *c, bool *all, Error *error);

/// Queues only the kernels of a search. *share, on the GPU, replaces `scale` unless `fraction` is NULL.
bool nearby_cuda_search(const ContactCuda *c, const double (*displacement)[3], double scale, const double *fraction,
                        Stream stream, Error *error);

/// Replaces numbers [count], at most one more than there are queries, by their exclusive prefix sums.
bool nearby_cuda_add_up(const ContactCuda *c, int *number, int count, Stream stream, Error *error);
}
