// Device functions of products y = K x over quadrilaterals (quad_cells.h). Product computes y_e = K_e x_e of a cell by
// each method of the enum QuadProduct. x_e and y_e, the values at the cell's nodes, stay in registers, because loops
// over nodes are unrolled (except in QUAD_RECOMPUTED at degrees 3 and 4). QuadRing loads stored element matrices before
// they are used.
#pragma once
#include <cuda_pipeline.h>

#include "lab/quad/quad.cuh"
#include "sim/element/symmetric.h"

// Sets *dot to the sum of `value` over all threads of the thread block, in a fixed order. `value` is the thread's part
// of the scalar product x . y. Every thread of the block must call the function.
static __device__ __forceinline__ void block_dot(double value, double *__restrict__ dot) {
  __shared__ double warps[32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < (int)blockDim.x / 32; w++) value += warps[w];
  *dot = value;
}

// A ring buffer in shared memory, one for each warp, which loads the stored element matrices of the warp's 32 cells
// before they are used. With shared memory as destination, more bytes can be loaded at a time than with registers. The
// ring consists of stages, each of which holds one piece. A piece is the next GROUP entries of the upper triangles of
// all 32 matrices, contiguous in memory (quad_value). GROUP divides the number of entries of a triangle.
//
// From compute capability 9.0 on, the first thread of the warp starts one bulk copy per piece. The copied bytes are the
// first that the L2 cache evicts, since they are read only once; so x and y stay in this cache. Before 9.0, each thread
// copies 16 bytes at a time. All threads of a warp must call the functions together.
template <int P>
struct QuadRing {
  enum {
    NODES = (P + 1) * (P + 1),
    ENTRIES = NODES * (NODES + 1) / 2,
    SINGLE = sizeof(real) == 4,
    GROUP = P == 1   ? 10
            : P == 2 ? (SINGLE ? 15 : 9)
            : P == 3 ? (SINGLE ? 17 : 8)
            : SINGLE ? 13
                     : 5,
    GROUPS = ENTRIES / GROUP,
    STAGES = P <= 2 ? 3 : 4,
    PIECE = GROUP * QUAD_TILE * (int)sizeof(real),
    COPY = 16,
    BARRIER = 8,
    BYTES = STAGES * PIECE + 16 * ((STAGES * BARRIER + 15) / 16)
  };
  static_assert(ENTRIES % GROUP == 0, "the groups must divide the entries of a cell evenly");

  // Returns the bytes of shared memory that the ring buffers of all warps of a thread block need.
  static size_t bytes(int threads) {
    return (size_t)(threads / QUAD_TILE * BYTES);
  }

  unsigned char *ring;
  const unsigned char *from;  // address in device memory of the piece that is loaded next
  // left: number of pieces that are still to be loaded (a piece is GROUP entries of each of 32 cells); stage: index of
  // the stage, the buffer of one piece, that is read next
  int left, stage;
  // 0 in the first round through the stages, 1 in the second, 0 in the third, and so on. By this number, the barrier of
  // a stage distinguishes the present round from the previous one.
  unsigned parity;
#if __CUDA_ARCH__ >= 900
  uint64_t policy;

  __device__ __forceinline__ unsigned barrier(int s) const {
    return (unsigned)__cvta_generic_to_shared(ring + STAGES * PIECE + s * BARRIER);
  }
#endif

  static __device__ __forceinline__ int lane() {
    return threadIdx.x % QUAD_TILE;
  }

  __device__ __forceinline__ void fetch(int s) {
#if __CUDA_ARCH__ >= 900
    if (lane() == 0 && left > 0) {
      const unsigned to = (unsigned)__cvta_generic_to_shared(ring + s * PIECE), done = barrier(s);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(done), "r"((int)PIECE) : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
          "%4;" ::"r"(to),
          "l"(from), "r"((int)PIECE), "r"(done), "l"(policy)
          : "memory");
    }
#else
#pragma unroll
    for (int k = 0; k < PIECE; k += QUAD_TILE * COPY) {
      const int at = k + lane() * COPY;
      if (at < PIECE && left > 0) __pipeline_memcpy_async(ring + s * PIECE + at, from + at, COPY);
    }
    __pipeline_commit();
#endif
    from += PIECE;
    left--;
  }

  // Begins to load the element matrices of `tiles` successive tiles, from address `values` on. A tile is the 32 cells
  // that a warp processes at a time. `shared` is the shared memory of the thread block, BYTES for each warp.
  __device__ __forceinline__ void begin(unsigned char *shared, const real *values, int tiles) {
    ring = shared + threadIdx.x / QUAD_TILE * BYTES;
    from = (const unsigned char *)values;
    left = tiles * GROUPS;
    stage = 0;
    parity = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (lane() == 0) {
#pragma unroll
      for (int s = 0; s < STAGES; s++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier(s)) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
#endif
#pragma unroll
    for (int s = 0; s < STAGES; s++) fetch(s);
  }

  // Waits for the next piece of element matrices in the ring buffer: GROUP entries for each of the warp's 32 cells.
  // Returns the address of the first entry of this thread's cell; its next entries follow at distances of QUAD_TILE
  // numbers.
  __device__ __forceinline__ const real *take() {
#if __CUDA_ARCH__ >= 900
    unsigned done = 0;
    while (!done)
      asm volatile(
          "{ .reg .pred there; mbarrier.try_wait.parity.shared::cta.b64 there, [%1], %2; selp.u32 %0, 1, 0, there; }"
          : "=r"(done)
          : "r"(barrier(stage)), "r"(parity)
          : "memory");
#else
    __pipeline_wait_prior(STAGES - 1);
#endif
    __syncwarp();  // each thread has waited for its own copies; wait until the warp's other threads have too
    return (const real *)(ring + stage * PIECE) + lane();
  }

  // Releases the stage (buffer of one piece) that was read last, and begins to load the next piece into it.
  __device__ __forceinline__ void leave() {
    __syncwarp();
    fetch(stage);
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <int P>
struct Product {
  enum { LINE = P + 1, NODES = LINE * LINE, UNROLL = P <= 2 ? NODES : 1 };

  // Adds K_e x to y for this thread's cell. The ring buffer delivers the stored entries of K_e for the 32 cells of the
  // warp. x and y have one number per node of the cell. Each stored entry is used for both of its positions, (i, j) and
  // (j, i).
  static __device__ __forceinline__ void kept(QuadRing<P> &ring, const real *x, real *y) {
    constexpr int GROUP = QuadRing<P>::GROUP;
    const real *K = NULL;
#pragma unroll
    for (int i = 0; i < NODES; i++)
#pragma unroll
      for (int j = i; j < NODES; j++) {
        const int at = i * (2 * NODES - 1 - i) / 2 + j;
        if (at % GROUP == 0) {
          if (at > 0) ring.leave();
          K = ring.take();
        }
        const real value = K[at % GROUP * QUAD_TILE];
        y[i] += value * x[j];
        if (j > i) y[j] += value * x[i];
      }
    ring.leave();
  }

  static __device__ __forceinline__ void recomputed(const QuadView &v, QuadMap map, const real *x, real *y) {
    constexpr int U = UNROLL;
    real T[NODES][3];
    quad_tensors<P>(v, map, T);
#pragma unroll U
    for (int i = 0; i < NODES; i++) {
      const QuadNode<P> node_i = quad_node<P>(v, i);
#pragma unroll U
      for (int j = i; j < NODES; j++) {
        const real K = quad_sum<P>(T, node_i, quad_node<P>(v, j));
        y[i] += K * x[j];
        if (j > i) y[j] += K * x[i];
      }
    }
  }

  // Multiplies each row of a cell's (P+1)^2 grid of numbers, `from`, by a small matrix factor[q][a], with Gauss point q
  // and node a of a line. With TO_POINTS, a row holds values at nodes and becomes values at Gauss points: at q, the sum
  // over a of factor[q][a] times the value at node a. Otherwise a row holds values at points, and the transposed matrix
  // computes values at nodes. The grid is written to `to` transposed, so that a second call works along the other
  // direction. With ADDS, it is added to `to`.
  template <bool TO_POINTS, bool ADDS>
  static __device__ __forceinline__ void contract(const real factor[QUAD_LINE_MAX][QUAD_LINE_MAX], const real *from,
                                                  real *to) {
#pragma unroll
    for (int row = 0; row < LINE; row++)
#pragma unroll
      for (int q = 0; q < LINE; q++) {
        real sum = ADDS ? to[q * LINE + row] : (real)0;
#pragma unroll
        for (int a = 0; a < LINE; a++) sum += (TO_POINTS ? factor[q][a] : factor[a][q]) * from[row * LINE + a];
        to[q * LINE + row] = sum;
      }
  }

  static __device__ __forceinline__ void points(const QuadView &v, int e, const real *x, real *y) {
    const QuadRule &rule = v.rule;
    const QuadMap map = quad_map_of(v, e);
    // along and across: derivatives by xi and by eta, at the Gauss points, of the field with the nodal values x. Two
    // calls of `contract` compute each of them, one for each direction; `a` is the result of the first call.
    real a[NODES], along[NODES], across[NODES];
    contract<true, false>(rule.D, x, a);
    contract<true, false>(rule.N, a, along);
    contract<true, false>(rule.N, x, a);
    contract<true, false>(rule.D, a, across);
#pragma unroll
    for (int qy = 0; qy < LINE; qy++)
#pragma unroll
      for (int qx = 0; qx < LINE; qx++) {
        const int q = qy * LINE + qx;
        real T[3];
        quad_tensor(&map, rule.point[qx], rule.point[qy], rule.weight[qx] * rule.weight[qy], T);
        const real ux = along[q], uy = across[q];
        along[q] = T[0] * ux + T[1] * uy;
        across[q] = T[1] * ux + T[2] * uy;
      }
    contract<false, false>(rule.D, along, a);
    contract<false, false>(rule.N, a, y);
    contract<false, false>(rule.N, across, a);
    contract<false, true>(rule.D, a, y);
  }

  // Adds `factor` times the cell's mass matrix times x to y: x is interpolated to the Gauss points, multiplied by
  // weight and |det J|, and distributed to the nodes.
  static __device__ __forceinline__ void mass(const QuadView &v, int e, real factor, const real *x, real *y) {
    const QuadRule &rule = v.rule;
    const QuadMap map = quad_map_of(v, e);
    real a[NODES], u[NODES];
    contract<true, false>(rule.N, x, a);
    contract<true, false>(rule.N, a, u);
#pragma unroll
    for (int qy = 0; qy < LINE; qy++)
#pragma unroll
      for (int qx = 0; qx < LINE; qx++)
        u[qy * LINE + qx] *=
            factor * quad_area(&map, rule.point[qx], rule.point[qy], rule.weight[qx] * rule.weight[qy]);
    contract<false, false>(rule.N, u, a);
    contract<false, false>(rule.N, a, y);
  }

  static __device__ __forceinline__ void diagonal(const QuadView &v, const QuadFactors &f, int e, int slot, real *y) {
    real T[NODES][3];
    if (f.product == QUAD_DIAGONAL_MADE) quad_tensors<P>(v, quad_map_of(v, e), T);
#pragma unroll
    for (int i = 0; i < NODES; i++) {
      if (f.product == QUAD_DIAGONAL_MADE) {
        const QuadNode<P> node = quad_node<P>(v, i);
        y[i] = quad_sum<P>(T, node, node);
      } else {
        y[i] = f.values[quad_value(NODES * (NODES + 1) / 2, symmetric_index(NODES, i, i), slot)];
      }
    }
  }
};

static inline size_t quad_ring_bytes(const QuadCells *cells) {
#define RING_BYTES(degree) QuadRing<degree>::bytes(cells->colours.block)
  return QUAD_BY_DEGREE(cells->degree, RING_BYTES);
#undef RING_BYTES
}
