// Clusters of pieces (connected parts of the mesh) that touch: the CUDA version of clusters.c, by a parallel
// union-find. Threads join clusters in any order. The result does not depend on this order, because the root of a
// cluster is always its smallest piece.
#include "device/cuda_try.h"
#include "sim/contact/clusters.h"
#include "sim/contact/contact_kernels.cuh"

static __device__ int find(const volatile int *root, int piece) {
  while (root[piece] != piece) piece = root[piece];
  return piece;
}

// Joins the clusters of pieces a and b, connected parts of the mesh: the larger of the two roots gets the smaller root
// as its parent.
static __device__ void join(int *root, int a, int b) {
  for (;;) {
    a = find(root, a);
    b = find(root, b);
    if (a == b) return;
    const int large = a > b ? a : b, small = a > b ? b : a;
    if (atomicCAS(&root[large], large, small) == large) return;
  }
}

// Joins the clusters to which a contact pair's four nodes belong. A cluster is a set of pieces that touch; a piece is a
// connected part of the mesh. The nodes are usually in one or two pieces.
static __device__ void join_nodes(const ContactCuda &c, const int node[4], int *root) {
  const int first = c.component[node[0]];
  int last = first;
  for (int j = 1; j < 4; j++) {
    const int other = c.component[node[j]];
    if (other != last && other != first) join(root, first, other);
    last = other;
  }
}

static __device__ bool pair_touched(const ContactCuda &c, int k, const int node[4]) {
  for (int j = 0; j < 4; j++)
    if (!pair_is_rigid(node, j, c.body_nodes)) return c.touches[c.entry_index[4 * k + j]];
  return false;
}

static __global__ void __launch_bounds__(BLOCK) alone_kernel(int count, int *root) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k <= count) root[k] = k;
}

// Joins the clusters of touching pieces, one thread for each pair. A piece is a connected part of the mesh; a cluster
// is a set of pieces that touch. The first pair_count threads process the listed pairs that may touch, the other
// threads the pairs with friction.
static __global__ void __launch_bounds__(BLOCK) join_kernel(ContactCuda c, int *root) {
  const int k = blockIdx.x * BLOCK + threadIdx.x, slide = k - c.pair_count;
  if (k < c.pair_count && pair_touched(c, k, c.pair[k].node)) join_nodes(c, c.pair[k].node, root);
  if (slide >= 0 && slide < c.sliding_count && c.slides[slide]) join_nodes(c, c.sliding[slide].node, root);
}

// Replaces the parent of each piece (connected part of the mesh) by the root of its cluster. At the same time, other
// threads change the parents of other pieces. This is safe: a search for the root ends at the same root from an old
// parent and from a new one.
static __global__ void __launch_bounds__(BLOCK) root_kernel(int count, int *root) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k <= count) root[k] = find(root, k);
}

extern "C" bool contact_cuda_clusters(const ContactCuda *c, int *root, int count, bool *touches, Stream stream,
                                      Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  *touches = c->pair_count > 0 && contact_cuda_touches(c);
  if (!*touches) return true;
  alone_kernel<<<blocks_for(count + 1), BLOCK, 0, s>>>(count, root);
  join_kernel<<<blocks_for((int64_t)c->pair_count + c->sliding_count), BLOCK, 0, s>>>(*c, root);
  root_kernel<<<blocks_for(count + 1), BLOCK, 0, s>>>(count, root);
  CUDA_TRY(cudaGetLastError());
  return true;
}
