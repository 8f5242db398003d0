// Pieces that touch, on the GPU: the CUDA version of clusters.c. Threads join clusters in any order, but the roots do
// not depend on it: each is the smallest piece of its cluster.
#include "device/cuda_try.h"
#include "sim/contact/clusters.h"
#include "sim/contact/contact_kernels.cuh"

enum { THREADS = 1024 };

static __device__ int find(const volatile int *root, int piece) {
  while (root[piece] != piece) piece = root[piece];
  return piece;
}

// Joins the clusters of two pieces: the larger root gets the smaller one as its parent.
static __device__ void join(int *root, int a, int b) {
  for (;;) {
    a = find(root, a), b = find(root, b);
    if (a == b) return;
    const int large = a > b ? a : b, small = a > b ? b : a;
    if (atomicCAS(&root[large], large, small) == large) return;
  }
}

static __device__ void join_nodes(const ContactCuda &c, const int node[4], int *root) {
  for (int j = 1; j < 4; j++) join(root, c.component[node[0]], c.component[node[j]]);
}

static __device__ bool pair_touched(const ContactCuda &c, int k, const int node[4]) {
  for (int j = 0; j < 4; j++)
    if (!pair_is_rigid(node, j, c.body_nodes)) return c.touches[c.entry_index[4 * k + j]];
  return false;
}

// Joins the nodes of touching pairs and of sliding pairs, then replaces each parent by its root. Other threads may have
// replaced it already, which does not change the result. One block does the work, since launches would take longer.
static __global__ void __launch_bounds__(THREADS) clusters_kernel(ContactCuda c, int count, int *root) {
  for (int k = threadIdx.x; k <= count; k += THREADS) root[k] = k;
  __syncthreads();
  for (int k = threadIdx.x; k < c.pair_count; k += THREADS)
    if (pair_touched(c, k, c.pair[k].node)) join_nodes(c, c.pair[k].node, root);
  for (int k = threadIdx.x; k < c.sliding_count; k += THREADS)
    if (c.slides[k]) join_nodes(c, c.sliding[k].node, root);
  __syncthreads();
  for (int k = threadIdx.x; k <= count; k += THREADS) root[k] = find(root, k);
}

extern "C" bool contact_cuda_clusters(const ContactCuda *c, int *root, int count, bool *touches, Stream stream,
                                      Error *error) {
  *touches = c->pair_count > 0 && contact_cuda_touches(c);
  if (!*touches) return true;
  clusters_kernel<<<1, THREADS, 0, (cudaStream_t)stream.handle>>>(*c, count, root);
  CUDA_TRY(cudaGetLastError());
  return true;
}
