// Products y = K x over quadrilaterals without a matrix of the whole, on the GPU, the twin of quad_product.c: a thread
// a cell. What is kept of element matrices is read once and serves both of its entries; all loops are unrolled, so a
// cell's x and y stay in registers, but where element matrices of degree 3 and 4 are made anew.
#include <cuda_pipeline.h>

#include "device/cuda_try.h"
#include "sim/element/symmetric.h"
#include "sim/quad/quad.cuh"

enum { BLOCK = 256 };  // threads of a block over nodes

template <typename Real>
static __device__ __forceinline__ Real *shared_reals() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return (Real *)shared_bytes;
}

// the block's sum of x.y into *dot, added up in a fixed tree; every thread must call it
static __device__ __forceinline__ void block_dot(double value, double *__restrict__ dot) {
  __shared__ double warps[32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < (int)blockDim.x / 32; w++) value += warps[w];
  *dot = value;
}

// y = shift x, with what the cells left where that is gathered: an empty list stands for a sum that is there already
static __global__ void __launch_bounds__(BLOCK)
    node_kernel(int n, const int *__restrict__ start, const int *__restrict__ corner, const real *__restrict__ vectors,
                QuadFactors f) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  const bool shifted = f.shifted && *f.shifted;
  double dot = 0;
  if (a < n) {
    const int first = start ? start[a] : 0, last = start ? start[a + 1] : 0;
    const bool whole = start && first == last;
    if (!whole || shifted || f.dots) {
      real sum = shifted ? f.shift[a] * f.x[a] : (real)0;
      for (int k = first; k < last; k++) sum += vectors[corner[k]];
      if (whole) sum += f.y[a];
      if (!whole || shifted) f.y[a] = sum;
      if (f.dots && (start || shifted)) dot = (double)f.x[a] * sum;
    }
  }
  if (f.dots) block_dot(dot, f.dots + blockIdx.x);
}

template <int P>
struct Product {
  enum { LINE = P + 1, NODES = LINE * LINE, UNROLL = P <= 2 ? NODES : 1 };
  // Entries on their way, GROUP by GROUP, into a ring that each warp has in shared memory: as many as it takes to keep
  // memory busy, which registers have no room for. Groups divide the triangle; what a warp takes of its cells is one
  // run (quad_value), which its lanes copy 16 bytes at a time.
  enum {
    ENTRIES = NODES * (NODES + 1) / 2,
    SINGLE = sizeof(real) == 4,
    GROUP = P == 1   ? 10
            : P == 2 ? (SINGLE ? 9 : 5)
            : P == 3 ? (SINGLE ? 8 : 4)
            : SINGLE ? 13
                     : 5,
    GROUPS = ENTRIES / GROUP,
    STAGES = P == 1             ? 1
             : P == 4 && SINGLE ? 2
                                : 3,
    PIECE = GROUP * QUAD_TILE * sizeof(real),
    COPY = 16
  };
  static_assert(ENTRIES % GROUP == 0 && STAGES <= GROUPS && QUAD_TILE == 32, "groups divide what a warp has");

  // of a block's warps
  static size_t ring_bytes(int threads) {
    return (size_t)threads / QUAD_TILE * STAGES * PIECE;
  }

  static __device__ __forceinline__ char *ring_of_warp() {
    return shared_reals<char>() + threadIdx.x / QUAD_TILE * (STAGES * PIECE);
  }

  // `values`: of the warp's first cell
  static __device__ __forceinline__ void fetch(const real *values, int group) {
    char *to = ring_of_warp() + group % STAGES * PIECE;
    const char *from = (const char *)values + (size_t)group * PIECE;
#pragma unroll
    for (int k = 0; k < PIECE; k += QUAD_TILE * COPY) {
      const int at = k + (int)threadIdx.x % QUAD_TILE * COPY;
      if (at < PIECE) __pipeline_memcpy_async(to + at, from + at, COPY);
    }
  }

  static __device__ __forceinline__ void fetch_first(const real *values) {
#pragma unroll
    for (int group = 0; group < STAGES; group++) {
      fetch(values, group);
      __pipeline_commit();
    }
  }

  // after fetch_first; by whole warps
  static __device__ __forceinline__ void kept(const real *values, const real *x, real *y) {
    const real *ring = (const real *)ring_of_warp() + threadIdx.x % QUAD_TILE;
#pragma unroll
    for (int i = 0; i < NODES; i++)
#pragma unroll
      for (int j = i; j < NODES; j++) {
        const int at = i * (2 * NODES - 1 - i) / 2 + j, group = at / GROUP;
        if (at % GROUP == 0) {
          if (group > 0) {
            __syncwarp();  // all have read what is overwritten
            if (group - 1 + STAGES < GROUPS) fetch(values, group - 1 + STAGES);
            __pipeline_commit();
          }
          __pipeline_wait_prior(STAGES - 1);
          __syncwarp();  // other lanes' copies are there, too
        }
        const real K = ring[(group % STAGES * GROUP + at % GROUP) * QUAD_TILE];
        y[i] += K * x[j];
        if (j > i) y[j] += K * x[i];
      }
  }

  // Where cells stand in rows, a lane's right nodes are the next lane's left ones, which adds both shares. By whole
  // warps; returns in which rows the next lane took this one's.
  static __device__ __forceinline__ unsigned join_columns(int e, bool inside, const int *node, real *y) {
    unsigned taken = 0;
#pragma unroll
    for (int row = 0; row < LINE; row++) {
      const int left = row * LINE, right = left + P;
      const int before = __shfl_up_sync(0xffffffff, node[right], 1);
      const real share = __shfl_up_sync(0xffffffff, y[right], 1);
      const bool joins = inside && quad_joins(e, before, node[left]);
      if (joins) y[left] += share;
      taken |= (__ballot_sync(0xffffffff, joins) >> threadIdx.x % 32 >> 1 & 1) << row;
    }
    return taken;
  }

  static __device__ __forceinline__ void recomputed(const QuadView &v, int e, const real *x, real *y) {
    constexpr int U = UNROLL;
    real T[NODES][3];
    quad_tensors<P>(v, quad_map_of(v, e), T);
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

  // sums over a line; it turns the grid as it goes: from [rows][line], to [line][rows]
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
    real a[NODES], along[NODES], across[NODES];  // derivatives along x and y at points
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
        along[q] = T[0] * ux + T[1] * uy, across[q] = T[1] * ux + T[2] * uy;
      }
    contract<false, false>(rule.D, along, a);
    contract<false, false>(rule.N, a, y);
    contract<false, false>(rule.N, across, a);
    contract<false, true>(rule.D, a, y);
  }

  // as points(), without derivatives
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

  static __device__ __forceinline__ void diagonal(const QuadView &v, const QuadFactors &f, int e, real *y) {
    real T[NODES][3];
    if (f.product == QUAD_OWN_MADE) quad_tensors<P>(v, quad_map_of(v, e), T);
#pragma unroll
    for (int i = 0; i < NODES; i++) {
      if (f.product == QUAD_OWN_MADE) {
        const QuadNode<P> node = quad_node<P>(v, i);
        y[i] = quad_sum<P>(T, node, node);
      } else {
        y[i] = f.values[quad_value(ENTRIES, symmetric_index(NODES, i, i), e)];
      }
    }
  }
};

// PRODUCT: one of QuadProduct; QUAD_OWN_KEPT stands for both diagonals
template <int P, int PRODUCT>
static __global__ void __launch_bounds__(QUAD_THREADS_MAX, P == 4 && PRODUCT == QUAD_KEPT && sizeof(real) == 4 ? 2 : 1)
    cell_kernel(const __grid_constant__ QuadView v, const __grid_constant__ QuadFactors f, real *__restrict__ vectors) {
  constexpr int NODES = (P + 1) * (P + 1);
  const bool coloured = f.way == QUAD_COLOURED;
  const int e = quad_cell(v, coloured);
  const bool inside = e < v.cell_count;  // nobody leaves: blocks wait for each other's turns
  const size_t cells = (size_t)v.cell_count;
  int node[NODES];
  real x[NODES], y[NODES];
  double dot = 0;
  // of warps that have a cell
  const bool among = e / QUAD_TILE * QUAD_TILE < v.cell_count;
  const real *kept =
      PRODUCT == QUAD_KEPT ? f.values + quad_value(Product<P>::ENTRIES, 0, e / QUAD_TILE * QUAD_TILE) : NULL;
  if (PRODUCT == QUAD_KEPT && among) Product<P>::fetch_first(kept);
#pragma unroll
  for (int i = 0; i < NODES; i++) {
    node[i] = inside ? v.node[i * cells + e] : 0;
    y[i] = 0;
  }
#pragma unroll
  for (int i = 0; i < NODES; i++)
    x[i] =
        inside && PRODUCT != QUAD_OWN_KEPT ? f.x[PRODUCT == QUAD_MASS ? (size_t)node[i] * f.x_step : node[i]] : (real)0;
  if (PRODUCT == QUAD_KEPT && among) Product<P>::kept(kept, x, y);
  if (inside) {
    if (PRODUCT == QUAD_RECOMPUTED) Product<P>::recomputed(v, e, x, y);
    if (PRODUCT == QUAD_POINTS) Product<P>::points(v, e, x, y);
    if (PRODUCT == QUAD_OWN_KEPT) Product<P>::diagonal(v, f, e, y);
    if (PRODUCT == QUAD_MASS) Product<P>::mass(v, e, f.factor, x, y);
  }
#pragma unroll
  for (int i = 0; i < NODES; i++) dot += (double)x[i] * y[i];
  if (f.way != QUAD_COLOURED) {
    const unsigned taken = Product<P>::join_columns(e, inside, node, y);
    const bool gathered = f.way == QUAD_GATHERED;
    const unsigned whole = gathered && inside ? v.whole[e] : 0;
#pragma unroll
    for (int i = 0; i < NODES; i++) {
      if (!inside || (i % (P + 1) == P && taken >> i / (P + 1) & 1)) continue;
      if (whole >> i & 1)
        f.y[node[i]] = y[i];
      else if (gathered)
        vectors[i * cells + e] = y[i];
      else
        atomicAdd(f.y + node[i], y[i]);
    }
    if (gathered) return;
  } else {
    const int mine = inside ? v.turn[e] : -1;
    for (int turn = 0; turn < v.turns; turn++) {
      if (mine == turn)
#pragma unroll
        for (int i = 0; i < NODES; i++) f.y[node[i]] += y[i];
      __syncthreads();
    }
  }
  if (f.dots) block_dot(dot, f.dots + e / (int)blockDim.x);
}

typedef void (*Kernel)(const QuadView v, const QuadFactors f, real *vectors);

static Kernel kernel_of(int degree, QuadProduct product) {
#define PRODUCTS(P)                                                                             \
  {                                                                                             \
    cell_kernel<P, QUAD_KEPT>, cell_kernel<P, QUAD_RECOMPUTED>, cell_kernel<P, QUAD_POINTS>,    \
        cell_kernel<P, QUAD_OWN_KEPT>, cell_kernel<P, QUAD_OWN_KEPT>, cell_kernel<P, QUAD_MASS> \
  }
  static const Kernel kernels[][QUAD_PRODUCTS] = { PRODUCTS(1), PRODUCTS(2), PRODUCTS(3), PRODUCTS(4) };
#undef PRODUCTS
  return kernels[degree - 1][product];
}

static size_t ring_bytes(const QuadCells *cells) {
#define RING_BYTES(degree) Product<degree>::ring_bytes(cells->colours.block)
  return QUAD_BY_DEGREE(cells->degree, RING_BYTES);
#undef RING_BYTES
}

static int node_blocks(const QuadCells *cells) {
  return cells->node_count / BLOCK + (cells->node_count % BLOCK > 0);
}

extern "C" int REAL_NAME(quad_dots_cuda)(const QuadCells *cells, QuadWay way) {
  return node_blocks(cells) + (way == QUAD_GATHERED ? 0 : cells->colours.block_count);
}

extern "C" bool REAL_NAME(quad_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream,
                                             Error *error) {
  const CellColours *colours = &cells->colours;
  const Kernel kernel = kernel_of(cells->degree, factors->product);
  const bool gathers = factors->way == QUAD_GATHERED;
  const size_t shared = factors->product == QUAD_KEPT ? ring_bytes(cells) : 0;
  cudaStream_t s = (cudaStream_t)stream.handle;
  QuadFactors f = *factors;
  if (!f.x_step) f.x_step = 1;
  QuadView v = quad_view(cells);
  if (!gathers) node_kernel<<<node_blocks(cells), BLOCK, 0, s>>>(cells->node_count, NULL, NULL, NULL, f);
  CUDA_TRY(cudaGetLastError());
  if (f.dots) f.dots += gathers ? 0 : node_blocks(cells);
  for (int colour = 0; colour < (f.way == QUAD_COLOURED ? colours->count : 1); colour++) {
    v.first_block = f.way == QUAD_COLOURED ? colours->start[colour] : 0;
    const int blocks = f.way == QUAD_COLOURED ? colours->start[colour + 1] - v.first_block : colours->block_count;
    kernel<<<blocks, colours->block, shared, s>>>(v, f, cells->vectors);
    CUDA_TRY(cudaGetLastError());
  }
  if (gathers)
    node_kernel<<<node_blocks(cells), BLOCK, 0, s>>>(cells->node_count, cells->start, cells->corner, cells->vectors,
                                                     factors[0]);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void __launch_bounds__(BLOCK)
    shift_kernel(int n, const real *__restrict__ shift, real *__restrict__ kept, const int *shifted,
                 real *__restrict__ blocks, real *__restrict__ diagonal, const int *wanted) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= n || (wanted && !*wanted)) return;
  const real value = (*shifted ? kept[a] : (real)0) + shift[a];
  kept[a] = value;
  blocks[a] += value;
  if (diagonal) diagonal[a] = blocks[a];
}

// by itself, since threads of the kernel before read it
static __global__ void __launch_bounds__(BLOCK)
    mark_kernel(int n, const real *__restrict__ kept, int *shifted, const int *wanted) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a < n && !(wanted && !*wanted) && kept[a] != 0) *shifted = 1;  // whoever writes writes the same
}

extern "C" bool REAL_NAME(quad_shift_cuda)(int n, const real *shift, real *kept, int *shifted, real *blocks,
                                           real *diagonal, const int *wanted, Stream stream, Error *error) {
  const int count = n / BLOCK + (n % BLOCK > 0);
  cudaStream_t s = (cudaStream_t)stream.handle;
  shift_kernel<<<count, BLOCK, 0, s>>>(n, shift, kept, shifted, blocks, diagonal, wanted);
  CUDA_TRY(cudaGetLastError());
  mark_kernel<<<count, BLOCK, 0, s>>>(n, kept, shifted, wanted);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void set_kernel(real *to, real value) {
  *to = value;
}

extern "C" bool REAL_NAME(quad_set_cuda)(real *to, real value, Stream stream, Error *error) {
  set_kernel<<<1, 1, 0, (cudaStream_t)stream.handle>>>(to, value);
  CUDA_TRY(cudaGetLastError());
  return true;
}
