// Computes products y = K x over quadrilaterals without a global matrix, on the GPU, with one thread per cell; the CUDA
// version of quad_product.c. Results of cells are summed by atomics, or colour by colour, where cells of one colour
// share no node. Products that sum by strips of cells are in quad_strip_product.cu.
#include "device/cuda_try.h"
#include "lab/quad/quad_product.cuh"

namespace quad_product {

enum { BLOCK = 256 };  // threads of a block in kernels with one thread per node

// Computes y = shift x, where `shift` is the diagonal matrix that is added to K. The cells add K_e x_e to y afterwards.
static __global__ void __launch_bounds__(BLOCK) begin_kernel(int n, QuadFactors f) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  double dot = 0;
  if (a < n) {
    const real own = f.shifted && *f.shifted ? f.shift[a] * f.x[a] : (real)0;
    f.y[a] = own;
    if (f.dots && own != 0) dot = (double)f.x[a] * own;
  }
  if (f.dots) block_dot(dot, f.dots + blockIdx.x);
}

// Computes K_e x_e of each cell e and adds it to y, by atomics or colour by colour (cells of one colour share no node).
// The constant PRODUCT selects the method (QuadProduct); QUAD_DIAGONAL_KEPT stands for both methods that compute the
// diagonal of K. QUAD_KEPT and QUAD_POINTS add by colours only; their versions with atomics are in
// quad_strip_product.cu.
template <int P, int PRODUCT>
static __global__ void __launch_bounds__(QUAD_THREADS_MAX, P == 4 && PRODUCT == QUAD_KEPT && sizeof(real) == 4 ? 2 : 1)
    cell_kernel(const __grid_constant__ QuadView v, const __grid_constant__ QuadFactors f) {
  constexpr int NODES = (P + 1) * (P + 1);
  extern __shared__ __align__(128) unsigned char shared[];
  const bool coloured = PRODUCT == QUAD_KEPT || PRODUCT == QUAD_POINTS || f.summation == QUAD_COLOURED;
  const int e = quad_cell(v, coloured);

  // no thread returns early, because all threads of a block must reach __syncthreads
  const bool inside = e < v.cell_count;
  const size_t cells = (size_t)v.cell_count;
  int node[NODES];
  real x[NODES], y[NODES];
  double dot = 0;
  const int tile = e / QUAD_TILE * QUAD_TILE;
  const bool among = tile < v.cell_count;  // true in all threads of a warp if at least one of them has a cell
  QuadRing<P> ring;
  if (PRODUCT == QUAD_KEPT && among) ring.begin(shared, f.values + quad_value(QuadRing<P>::ENTRIES, 0, tile), 1);
#pragma unroll
  for (int i = 0; i < NODES; i++) {
    node[i] = inside ? v.node[i * cells + e] : 0;
    y[i] = 0;
  }
#pragma unroll
  for (int i = 0; i < NODES; i++)
    x[i] = inside && PRODUCT != QUAD_DIAGONAL_KEPT ? f.x[PRODUCT == QUAD_MASS ? (size_t)node[i] * f.x_step : node[i]]
                                                   : (real)0;
  if (PRODUCT == QUAD_KEPT && among) Product<P>::kept(ring, x, y);
  if (inside) {
    if (PRODUCT == QUAD_RECOMPUTED) Product<P>::recomputed(v, quad_map_of(v, e), x, y);
    if (PRODUCT == QUAD_POINTS) Product<P>::points(v, e, x, y);
    if (PRODUCT == QUAD_DIAGONAL_KEPT) Product<P>::diagonal(v, f, e, e, y);
    if (PRODUCT == QUAD_MASS) Product<P>::mass(v, e, f.factor, x, y);
  }
#pragma unroll
  for (int i = 0; i < NODES; i++) dot += (double)x[i] * y[i];
  if (coloured) {
    const int mine = inside ? v.turn[e] : -1;
    for (int turn = 0; turn < v.turns; turn++) {
      if (mine == turn)
#pragma unroll
        for (int i = 0; i < NODES; i++) f.y[node[i]] += y[i];
      __syncthreads();
    }
  } else if (inside) {
#pragma unroll
    for (int i = 0; i < NODES; i++) atomicAdd(f.y + node[i], y[i]);
  }
  if (f.dots) block_dot(dot, f.dots + e / (int)blockDim.x);
}

typedef void (*Kernel)(const QuadView v, const QuadFactors f);

static Kernel kernel_of(int degree, QuadProduct product) {
#define PRODUCTS(P)                                                                                       \
  {                                                                                                       \
    cell_kernel<P, QUAD_KEPT>, cell_kernel<P, QUAD_RECOMPUTED>, cell_kernel<P, QUAD_POINTS>,              \
        cell_kernel<P, QUAD_DIAGONAL_KEPT>, cell_kernel<P, QUAD_DIAGONAL_KEPT>, cell_kernel<P, QUAD_MASS> \
  }
  static const Kernel kernels[][QUAD_PRODUCTS] = { PRODUCTS(1), PRODUCTS(2), PRODUCTS(3), PRODUCTS(4) };
#undef PRODUCTS
  return kernels[degree - 1][product];
}

static int node_blocks(const QuadCells *cells) {
  return cells->node_count / BLOCK + (cells->node_count % BLOCK > 0);
}

static bool by_strips(QuadSum summation) {
  return summation == QUAD_GATHERED || summation == QUAD_STRIPS;
}

extern "C" int REAL_NAME(quad_dots_cuda)(const QuadCells *cells, QuadSum summation) {
  return by_strips(summation) ? REAL_NAME(quad_strip_dots_cuda)(cells)
                              : node_blocks(cells) + cells->colours.block_count;
}

extern "C" bool REAL_NAME(quad_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream,
                                             Error *error) {
  const CellColours *colours = &cells->colours;
  cudaStream_t s = (cudaStream_t)stream.handle;
  QuadFactors f = *factors;
  if (!f.x_step) f.x_step = 1;
  if (by_strips(f.summation)) return REAL_NAME(quad_strip_product_cuda)(cells, &f, stream, error);
  const Kernel kernel = kernel_of(cells->degree, f.product);
  const size_t shared = f.product == QUAD_KEPT ? quad_ring_bytes(cells) : 0;
  QuadView v = quad_view(cells);
  CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  begin_kernel<<<node_blocks(cells), BLOCK, 0, s>>>(cells->node_count, f);
  CUDA_TRY(cudaGetLastError());
  if (f.dots) f.dots += node_blocks(cells);
  for (int colour = 0; colour < (f.summation == QUAD_COLOURED ? colours->count : 1); colour++) {
    v.first_block = f.summation == QUAD_COLOURED ? colours->start[colour] : 0;
    const int blocks = f.summation == QUAD_COLOURED ? colours->start[colour + 1] - v.first_block : colours->block_count;
    kernel<<<blocks, colours->block, shared, s>>>(v, f);
    CUDA_TRY(cudaGetLastError());
  }
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

// Sets *shifted to 1 if any entry of `kept` is not 0. `kept` is the sum of all diagonal matrices that were added to the
// operator. shift_kernel cannot set *shifted itself, because its threads read *shifted.
static __global__ void __launch_bounds__(BLOCK)
    mark_kernel(int n, const real *__restrict__ kept, int *shifted, const int *wanted) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a < n && !(wanted && !*wanted) && kept[a] != 0) *shifted = 1;  // several threads may write, but all write 1
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

}  // namespace quad_product
