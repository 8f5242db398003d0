// Types and functions of the search on the GPU for pairs of primitives that may touch (nearby.cu). A query is a vertex
// or an edge whose pairs are searched in trees of bounding boxes (CudaTree).
#pragma once
#include <stdlib.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"

// A group of boxes in a CudaTree. Its members are numbered first to first + count - 1. On the lowest level they are
// elements of tree.item, on higher levels groups of the level below. `end` is the index in tree.item after the group's
// last item.
struct BoxGroup {
  int first, count, end;
};

// Bounds of a moving object. After a fraction s, 0 to 1, of its displacement, its coordinates on each axis are between
// low + s * path_low and high + s * path_high, m. Aligned so that a kernel can load 16 bytes at a time.
struct alignas(16) SweptBox {
  float low[3], high[3], path_low[3], path_high[3];
};

// An item of a CudaTree: a triangle, an edge or a vertex of the surface. node: the nodes of the item. number: its index
// in the skin's list of triangles, edges or vertices. Edges and vertices have no third node. Their node[2] is the index
// of the item's leaf in the BoxTree on the host, from which the CudaTree was made. The search takes edges in the order
// of these leaves. Aligned so that a kernel can load 16 bytes at a time.
struct alignas(16) TreeItem {
  int node[3], number;
};

// A candidate consists of two primitives whose boxes may come near each other; an exact test then decides if they form
// a pair. query: index of an edge in the tree of edges; or ~k = -k - 1 for the vertex with index k in the tree of
// vertices (-1 for index 0). item: index of the other primitive in its tree.
struct PairCandidate {
  int query, item;
};

// Numbers of candidates and of pairs that a search found, including those that did not fit into the arrays. With a
// large reach, there may be more candidates than an int can count.
struct FoundCount {
  unsigned long long candidates;  // number of pairs to test exactly
  int pairs;                      // number of pairs that may touch
};

// Result of the last search in a time step that ran as a CUDA graph. searches: number of such searches since contact
// was created.
struct SearchReport {
  FoundCount found;
  int searches;
};

static __host__ __device__ __forceinline__ bool has_capacity(const ContactCuda &c, const FoundCount &found) {
  return found.candidates <= (unsigned long long)c.candidate_capacity && found.pairs <= c.pair_capacity;
}

/// Returns the number of pairs that the last search has found. Returns 0 if there were more candidates or pairs than
/// the arrays can store.
static __device__ __forceinline__ int pairs_found(const ContactCuda &c) {
  const FoundCount found = *c.found_count;
  return has_capacity(c, found) ? found.pairs : 0;
}

// Sort key of a found pair. Pairs must be sorted, because threads find them in any order. A query is a vertex or an
// edge for which a thread searches pairs. query: index of the vertex, or vertex_count + index of the edge. index:
// number of pairs that were found earlier for this query. item: index of the other primitive in its tree.
struct LooseKey {
  int query, index, item;
};

// Friction of a sliding pair, from the last call of contact_cuda_forces. The force on node j is -over_path * weight[j]
// * e, N.
struct CudaRub {
  // e: tangential displacement, m. over_path: friction force divided by the length of e, N/m. weight: weights of the
  // pair's four nodes.
  double e[3], over_path, weight[4];
  double energy, stored;  // J: potential of friction, and elastic energy in the friction spring
  int owner;              // index, 0 to 3, of the pair's node to which the energy is attributed
};

// Forces of a touching pair, from the last call of contact_cuda_forces.
struct CudaTouch {
  double force[4][3];  // N, force on each of the four nodes
  double energy;       // J, energy of the pair
  int owner;           // index, 0 to 3, of the pair's node to which the energy is attributed
};

extern "C" {
/// Creates the trees in which the GPU searches. Trees of triangles and of edges are made from the host's trees, which
/// c->host->skin has. The host has no tree of vertices, so this function builds one.
bool cuda_trees_create(ContactCuda *c, Error *error);
void cuda_trees_destroy(ContactCuda *c);

/// Creates the trees of boxes that a search uses (CudaTree). Also creates the arrays for candidates (pairs whose boxes
/// are near each other) and for the pairs that are found.
bool nearby_cuda_create(ContactCuda *c, Error *error);
void nearby_cuda_destroy(ContactCuda *c);

/// A search consists of two calls. nearby_cuda_queue queues a search for the pairs that may touch while nodes move by
/// `scale` times `displacement` (NULL: nodes do not move). nearby_cuda_received must be called after the stream has
/// finished. It sets *all to true if all pairs fitted into the arrays. Otherwise it enlarges the arrays, and the caller
/// must queue the search again.
bool nearby_cuda_queue(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream, Error *error);
bool nearby_cuda_received(ContactCuda *c, bool *all, Error *error);

/// Queues the kernels of a search for pairs that may touch while nodes move by `scale` times `displacement`. If
/// `fraction` is not NULL, the number *fraction on the GPU is used in place of `scale`.
bool nearby_cuda_search(const ContactCuda *c, const double (*displacement)[3], double scale, const double *fraction,
                        Stream stream, Error *error);

/// Replaces the array number [count] by its exclusive prefix sums: 3, 1, 2 becomes 0, 3, 4. `count` may be at most the
/// number of vertices and edges + 1.
bool nearby_cuda_add_up(const ContactCuda *c, int *number, int count, Stream stream, Error *error);
}
