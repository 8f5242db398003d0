// Products y = K x over quadrilaterals by strips of cells, on the GPU (quad_strips.h): a warp moves up its columns. A
// step uses the listed nodes of its row of cells and prefetches those of the next row. The other values of a cell's x
// come from the cell below, in registers, and from the lane to the left.
#include <type_traits>

#include "device/cuda_try.h"
#include "lab/quad/quad_product.cuh"

enum { BLOCK = 256 };  // threads of a block over edges

// Description of a lane's column.
template <int P>
struct Lane {
  bool active, is_left, is_right;  // the lane has a column, which begins or ends a group
  const int *node, *side;          // nodes of its row, and up its left edge
  int left, right, below, above;   // slots
  int height;                      // number of cells

  __device__ __forceinline__ Lane(const QuadStrips &s, const QuadStrip &own) {
    const int lane = threadIdx.x % QUAD_STRIP, groups = __popc(own.left), length = own.rows * P + 1;
    const unsigned before = (1u << lane) - 1;
    active = own.active >> lane & 1, is_left = own.left >> lane & 1, is_right = own.right >> lane & 1;
    node = s.node + (size_t)own.tile * (P * P * QUAD_STRIP) + lane;
    side = s.side + own.side + __popc(own.left & before) * length;
    left = own.slot + __popc(own.left & before) * length;
    right = own.slot + (groups + __popc(own.right & before)) * length;
    below = own.slot + 2 * groups * length + lane, above = below + P * QUAD_STRIP;
    height = own.rows;
  }
};

// Maps of a lane's cells, each prefetched while the cell below is processed.
struct MapsAhead {
  const int *cell;  // cell of the row after the next
  int left;         // rows from there on
  int next;         // cell of the next row, and its map
  QuadMap map;

  __device__ __forceinline__ MapsAhead(const QuadView &v, const int *cells, int rows) : cell(cells), left(rows) {
    next = rows > 0 ? *cell : 0;
    advance(v);
  }

  __device__ __forceinline__ void advance(const QuadView &v) {
    if (left <= 0) return;
    map = quad_map_of(v, next);
    cell += QUAD_STRIP;
    if (--left > 0) next = *cell;
  }

  __device__ __forceinline__ QuadMap take(const QuadView &v) {
    const QuadMap own = map;
    advance(v);
    return own;
  }
};

struct MapsAtOnce {
  __device__ __forceinline__ MapsAtOnce(const QuadView &, const int *, int) {
  }
};

// If element matrices are recomputed, few warps are resident to hide latency. In float, degrees 2 and 3 run faster with
// half of the registers and twice as many warps. In double, and at degree 4, no registers are left for prefetched maps;
// degree 1 would be 17 % faster, but with other last bits. Other kernels must have no bound: even a minimum of one
// block makes the compiler save registers, at a cost.
template <int P, int PRODUCT>
struct Plan {
  static constexpr bool AHEAD = PRODUCT == QUAD_RECOMPUTED && sizeof(real) == 4 && (P == 2 || P == 3);
  enum { BLOCKS = AHEAD ? 2 : 0 };  // minimum of resident blocks; 0: no bound
  using Maps = std::conditional_t<AHEAD, MapsAhead, MapsAtOnce>;
};

// PRODUCT: as for cell_kernel.
template <int P, int PRODUCT>
static __global__ void __launch_bounds__(QUAD_THREADS_MAX, Plan<P, PRODUCT>::BLOCKS)
    strip_kernel(const __grid_constant__ QuadView v, const __grid_constant__ QuadStrips strips,
                 const __grid_constant__ QuadFactors f, real *__restrict__ slots) {
  constexpr int LINE = P + 1, NODES = LINE * LINE, OWN = P * P;
  constexpr bool READS_X = PRODUCT != QUAD_OWN_KEPT, KEPT = PRODUCT == QUAD_KEPT, CELLS = !KEPT;
  const unsigned all = 0xffffffff;
  extern __shared__ __align__(128) unsigned char shared[];
  const int s = (blockIdx.x * blockDim.x + threadIdx.x) / QUAD_STRIP;
  const bool shifted = f.shifted && *f.shifted, atomic = f.way == QUAD_STRIPS;
  double dot = 0;
  if (s < strips.strip_count) {
    const QuadStrip strip = strips.strip[s];
    QuadRing<P> ring;
    if (KEPT) ring.begin(shared, f.values + quad_value(QuadRing<P>::ENTRIES, 0, strip.tile * QUAD_TILE), strip.rows);
    const Lane<P> lane(strips, strip);
    const int *node = lane.node;

    // values of a cell's nodes that are not on its left side; the left ones are `side` if a group begins. Arrays for
    // the lower side, for this row, and for the next
    int below[P], next[OWN], next_side[P], side_below = 0;
    real x_below[LINE], y_below[LINE], x_next[OWN], x_side[P], x_corner = 0;
#pragma unroll
    for (int i = 0; i < P; i++)
      below[i] = strips.bottom[((size_t)s * P + i) * QUAD_STRIP + threadIdx.x % QUAD_STRIP], next_side[i] = 0,
      x_side[i] = 0;
#pragma unroll
    for (int q = 0; q < OWN; q++) next[q] = node[q * QUAD_STRIP];
    if (lane.is_left) {
      side_below = lane.side[0];
#pragma unroll
      for (int i = 0; i < P; i++) next_side[i] = lane.side[1 + i];
    }
#pragma unroll
    for (int i = 0; i < P; i++) x_below[1 + i] = READS_X ? f.x[below[i]] : (real)0;
#pragma unroll
    for (int q = 0; q < OWN; q++) x_next[q] = READS_X ? f.x[next[q]] : (real)0;
    if (READS_X && lane.is_left) {
      x_corner = f.x[side_below];
#pragma unroll
      for (int i = 0; i < P; i++) x_side[i] = f.x[next_side[i]];
    }
    x_below[0] = __shfl_up_sync(all, x_below[P], 1);
    if (lane.is_left) x_below[0] = x_corner;
#pragma unroll
    for (int i = 0; i < LINE; i++) y_below[i] = 0;
    typename Plan<P, PRODUCT>::Maps maps(v, strips.cell + (size_t)strip.tile * QUAD_STRIP + threadIdx.x % QUAD_STRIP,
                                         lane.height);

    for (int k = 0; k < lane.height; k++) {
      const bool more = k + 1 < lane.height;
      int own[OWN], side[P];
      real x[NODES], y[NODES];
#pragma unroll
      for (int q = 0; q < OWN; q++) own[q] = next[q];
#pragma unroll
      for (int i = 0; i < P; i++) side[i] = next_side[i];
      node += OWN * QUAD_STRIP;
      if (more) {
#pragma unroll
        for (int q = 0; q < OWN; q++) next[q] = node[q * QUAD_STRIP];
        if (lane.is_left)
#pragma unroll
          for (int i = 0; i < P; i++) next_side[i] = lane.side[(k + 1) * P + 1 + i];
      }
#pragma unroll
      for (int i = 0; i < LINE; i++) x[i] = x_below[i];
#pragma unroll
      for (int row = 1; row <= P; row++) {
#pragma unroll
        for (int i = 1; i <= P; i++) x[row * LINE + i] = x_next[(row - 1) * P + i - 1];
        x[row * LINE] = __shfl_up_sync(all, x[row * LINE + P], 1);
        if (lane.is_left) x[row * LINE] = x_side[row - 1];
      }
#pragma unroll
      for (int i = 0; i < NODES; i++) y[i] = KEPT && i < LINE ? y_below[i] : (real)0;
      if (KEPT) Product<P>::kept(ring, x, y);
      if constexpr (Plan<P, PRODUCT>::AHEAD) {
        Product<P>::recomputed(v, maps.take(v), x, y);
      } else if (CELLS) {
        const int slot = (strip.tile + k) * QUAD_STRIP + threadIdx.x % QUAD_STRIP, e = strips.cell[slot];
        if (PRODUCT == QUAD_RECOMPUTED) Product<P>::recomputed(v, quad_map_of(v, e), x, y);
        if (PRODUCT == QUAD_POINTS) Product<P>::points(v, e, x, y);
        if (PRODUCT == QUAD_OWN_KEPT) Product<P>::diagonal(v, f, e, slot, y);
      }
      if (CELLS)
#pragma unroll
        for (int i = 0; i < LINE; i++) y[i] += y_below[i];
      // rows that no cell above adds to, before lanes exchange values: below the top, x is not needed after this
      if (f.dots && lane.active)
#pragma unroll
        for (int i = 0; i < NODES; i++)
          if (i < P * LINE || !more) dot += (double)x[i] * y[i];
      if (more && READS_X) {
#pragma unroll
        for (int q = 0; q < OWN; q++) x_next[q] = f.x[next[q]];
        if (lane.is_left)
#pragma unroll
          for (int i = 0; i < P; i++) x_side[i] = f.x[next_side[i]];
      }
      // rows of nodes that are complete: all but the upper one, to which the next cells add
#pragma unroll
      for (int row = 0; row <= P; row++) {
        if (row == P && more) break;
        const real share = __shfl_down_sync(all, y[row * LINE], 1);
        if (!lane.is_right) y[row * LINE + P] += share;
        const bool end = (row == 0 && k == 0) || row == P;
        if (lane.is_left) {
          const real sum = y[row * LINE];
          if (atomic)
            atomicAdd(f.y + (row ? side[row - 1] : side_below), sum);
          else
            slots[lane.left + k * P + row] = sum;
        }
#pragma unroll
        for (int i = 1; i <= P; i++) {
          const int a = row ? own[(row - 1) * P + i - 1] : below[i - 1];
          real sum = y[row * LINE + i];
          const bool side_node = i == P && lane.is_right;
          if (!lane.active) continue;
          if (!end && !side_node) {
            if (shifted) {
              const real own_x = f.x[a], own_y = f.shift[a] * own_x;
              dot += (double)own_x * own_y, sum += own_y;
            }
            f.y[a] = sum;
          } else if (atomic) {
            atomicAdd(f.y + a, sum);
          } else {
            slots[side_node ? lane.right + k * P + row : (row ? lane.above : lane.below) + (i - 1) * QUAD_STRIP] = sum;
          }
        }
      }
      side_below = side[P - 1];
#pragma unroll
      for (int i = 0; i < P; i++) below[i] = own[(P - 1) * P + i];
#pragma unroll
      for (int i = 0; i < LINE; i++) x_below[i] = x[P * LINE + i], y_below[i] = y[P * LINE + i];
    }
  }
  if (f.dots) block_dot(dot, f.dots + blockIdx.x);
}

// Nodes on edges: shift x plus the slots that strips have stored; `slots` NULL: strips add theirs afterwards. x.y of
// strips is complete but for the shift's term.
static __global__ void __launch_bounds__(BLOCK)
    edge_kernel(const __grid_constant__ QuadStrips s, const __grid_constant__ QuadFactors f,
                const real *__restrict__ slots) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  double dot = 0;
  if (k < s.edge_count) {
    const int a = s.edge_node[k], last = slots ? s.edge_start[k + 1] : 0;
    const real own = f.shifted && *f.shifted ? f.shift[a] * f.x[a] : (real)0;
    real sum = 0;
    for (int i = slots ? s.edge_start[k] : 0; i < last; i++) sum += slots[s.edge_slot[i]];
    f.y[a] = sum + own;
    if (f.dots && own != 0) dot = (double)f.x[a] * own;
  }
  if (f.dots) block_dot(dot, f.dots + blockIdx.x);
}

typedef void (*Kernel)(const QuadView v, const QuadStrips strips, const QuadFactors f, real *slots);

static Kernel kernel_of(int degree, QuadProduct product) {
#define PRODUCTS(P)                                                                             \
  {                                                                                             \
    strip_kernel<P, QUAD_KEPT>, strip_kernel<P, QUAD_RECOMPUTED>, strip_kernel<P, QUAD_POINTS>, \
        strip_kernel<P, QUAD_OWN_KEPT>, strip_kernel<P, QUAD_OWN_KEPT>, NULL                    \
  }
  static const Kernel kernels[][QUAD_PRODUCTS] = { PRODUCTS(1), PRODUCTS(2), PRODUCTS(3), PRODUCTS(4) };
#undef PRODUCTS
  return kernels[degree - 1][product];
}

static int edge_blocks(const QuadCells *cells) {
  return cells->strips.edge_count / BLOCK + 1;
}

extern "C" int REAL_NAME(quad_strip_dots_cuda)(const QuadCells *cells) {
  return edge_blocks(cells) + cells->colours.block_count;
}

extern "C" bool REAL_NAME(quad_strip_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream,
                                                   Error *error) {
  const Kernel kernel = kernel_of(cells->degree, factors->product);
  const size_t shared = factors->product == QUAD_KEPT ? quad_ring_bytes(cells) : 0;
  cudaStream_t s = (cudaStream_t)stream.handle;
  QuadFactors edges = *factors, whole = *factors;
  if (factors->dots) whole.dots += edge_blocks(cells);
  const bool gathers = factors->way == QUAD_GATHERED;
  CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  if (!gathers) edge_kernel<<<edge_blocks(cells), BLOCK, 0, s>>>(cells->strips, edges, NULL);
  CUDA_TRY(cudaGetLastError());
  kernel<<<cells->colours.block_count, cells->colours.block, shared, s>>>(quad_view(cells), cells->strips, whole,
                                                                          cells->vectors);
  CUDA_TRY(cudaGetLastError());
  if (gathers) edge_kernel<<<edge_blocks(cells), BLOCK, 0, s>>>(cells->strips, edges, cells->vectors);
  CUDA_TRY(cudaGetLastError());
  return true;
}
