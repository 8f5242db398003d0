// The coarse space on the GPU, the rigid motions of aggregates, connected groups of nodes (coarse.cuh). These motions
// are the columns of P, and B is the inverse of P^T A P. Every sum has a fixed order.
//
// Four kernels compute B. measure_kernel computes the position of each node relative to the centre of its aggregate.
// project_kernel computes P^T A P, with one thread block per pair of aggregates. Each launch of sweep_kernel eliminates
// COARSE_SWEEP rows. mirror_kernel writes minus the mean of both triangles, so that B is exactly symmetric.
//
// A sweep, one launch of sweep_kernel, reads one matrix and writes another. Each thread block updates one tile of
// TILE_ROWS x TILE_COLUMNS entries. It also computes the inverse that it needs, of the swept block, the diagonal block
// of the eliminated rows.
//
// solve_kernel computes y = B P^T r. Each thread block adds the contributions of all slices to P^T r; a slice is some
// nodes of one aggregate. Then each warp computes one row of the product with B.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/solver/multigrid/coarse.cuh"

enum {
  PROJECT_THREADS = 256,
  TILE_ROWS = 32,
  TILE_COLUMNS = 64,
  SLICES_USUAL = 400,
  // The coarse residual P^T r is summed slice by slice; a slice is some nodes of one aggregate. SLICES_USUAL: intended
  // number of slices. SLICE_LEAST: min length of a slice, in nodes; only the last slice of an aggregate may be shorter.
  // With 3 unknowns per node, a slice of this length has about one unknown per thread of a thread block.
  SLICE_LEAST = COARSE_BLOCK / 3,
};

// Returns the displacement of a node along axis i, m, from u [node_count][dof]; 0 if u is NULL.
static __device__ __forceinline__ double moved_by(const CoarseView &c, const real *u, size_t node, int i) {
  return u && i < c.dof ? (double)u[c.dof * node + i] : 0.0;
}

// Each thread block sets CoarseView.arm for the nodes of one aggregate: deformed position minus centre, m.
static __global__ void __launch_bounds__(COARSE_BLOCK) measure_kernel(CoarseView c, const real *u) {
  const int first = c.start[blockIdx.x], last = c.start[blockIdx.x + 1];
  __shared__ double middle[3];
  double sums[3] = {};
  for (int m = first + threadIdx.x; m < last; m += COARSE_BLOCK) {
    const size_t node = (size_t)c.member[m];
#pragma unroll
    for (int i = 0; i < 3; i++) sums[i] += c.X[3 * node + i] + moved_by(c, u, node, i);
  }
  const double sum = coarse_block_sums(sums);
  if (threadIdx.x < 3) middle[threadIdx.x] = sum / (last - first);
  __syncthreads();
  for (int m = first + threadIdx.x; m < last; m += COARSE_BLOCK) {
    const size_t node = (size_t)c.member[m];
#pragma unroll
    for (int i = 0; i < 3; i++) c.arm[3 * node + i] = (real)(c.X[3 * node + i] + moved_by(c, u, node, i) - middle[i]);
  }
}

// Computes one block of the coarse matrix P^T A P per thread block: the block of one pair of aggregates (groups of
// nodes). Writes this block and its transpose to c.matrix[0]. The columns of P are rigid motions of aggregates.
template <int DOF>
static __global__ void __launch_bounds__(PROJECT_THREADS)
    project_kernel(CoarseView c, const uint8_t *fixed, const real *values, const real *blocks) {
  enum { MODES = COARSE_MODES_OF(DOF), SIZE = MODES * MODES, WARPS = PROJECT_THREADS / 32 };
  __shared__ double warps[WARPS][SIZE];
  const AggregatePair pair = c.pair[blockIdx.x];

  // Each thread sums the contributions of some matrix blocks.
  double sums[SIZE] = {};
  for (int64_t k = c.item_start[blockIdx.x] + threadIdx.x; k < c.item_start[blockIdx.x + 1]; k += PROJECT_THREADS) {
    const AggregateItem item = c.item[k];
    double block[DOF * DOF];
    real row_arm[3], column_arm[3];
#pragma unroll
    for (int v = 0; v < DOF * DOF; v++) block[v] = coarse_entry(DOF, &item, v / DOF, v % DOF, fixed, values, blocks);
#pragma unroll
    for (int i = 0; i < 3; i++) {
      row_arm[i] = c.arm[(size_t)item.row * 3 + i];
      column_arm[i] = c.arm[(size_t)item.column * 3 + i];
    }
    coarse_add_block(DOF, block, row_arm, column_arm, sums);
  }

  // Sum over the threads of each warp.
#pragma unroll
  for (int v = 0; v < SIZE; v++) {
    double value = sums[v];
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][v] = value;
  }

  __syncthreads();

  // Sum over warps, and write the block and its transpose.
  const int i = threadIdx.x / MODES, k = threadIdx.x % MODES;
  if (threadIdx.x >= SIZE || (pair.row == pair.column && k < i)) return;
  double sum = 0;
  for (int w = 0; w < WARPS; w++) sum += warps[w][threadIdx.x];
  const size_t row = (size_t)pair.row * MODES + i, column = (size_t)pair.column * MODES + k;
  c.matrix[0][row * c.n + column] = c.matrix[0][column * c.n + row] = sum;
  if (row == column) c.rest[row] = sum;
}

// Returns 1 / a, accurate to one unit in the last place for usual magnitudes. The instruction `rcp` gives 20 bits,
// which two steps of Newton's method refine.
static __device__ __forceinline__ double quick_reciprocal(double a) {
  double x;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(x) : "d"(a));
  x = fma(x, fma(-a, x, 1.0), x);
  return fma(x, fma(-a, x, 1.0), x);
}

// Replaces `a`, the diagonal block of the rows that a sweep eliminates, by minus its inverse. Rows and columns of
// motions with too small a pivot (coarse_takes) become 0. One warp runs this function, with one thread per column.
// After each eliminated row, the entries of a column move up by one, the first to the end. So mine[0] always has the
// thread's entry of the next pivot row. `row` is work memory for two copies of the pivot row. `rest` are the diagonal
// entries of P^T A P in the rows of `a`.
typedef double SweptBlock[COARSE_SWEEP][COARSE_SWEEP + 1];
static __device__ __forceinline__ void sweep_block(SweptBlock a, const double rest[COARSE_SWEEP],
                                                   double row[2 * COARSE_SWEEP]) {
  static_assert(COARSE_SWEEP <= 32, "each column needs a lane of the warp");
  const int lane = threadIdx.x % 32;
  double mine[COARSE_SWEEP];
#pragma unroll
  for (int i = 0; i < COARSE_SWEEP; i++) mine[i] = lane < COARSE_SWEEP ? a[i][lane] : 0;
#pragma unroll 1
  for (int q = 0; q < COARSE_SWEEP; q++) {
    if (lane < COARSE_SWEEP) row[lane] = row[lane + COARSE_SWEEP] = mine[0];
    __syncwarp();
    const double pivot = row[q], inverse = coarse_takes(pivot, rest[q]) ? quick_reciprocal(pivot) : 0;
    const double turned = lane == q ? -inverse : inverse == 0 ? 0 : mine[0] * inverse;
    if (lane == q)
#pragma unroll
      for (int i = 1; i < COARSE_SWEEP; i++) mine[i] = 0;
#pragma unroll
    for (int i = 1; i < COARSE_SWEEP; i++) mine[i - 1] = mine[i] - row[q + i] * turned;  // `a` is symmetric
    mine[COARSE_SWEEP - 1] = turned;
    __syncwarp();
  }

  if (lane < COARSE_SWEEP)
#pragma unroll
    for (int i = 0; i < COARSE_SWEEP; i++) a[i][lane] = mine[i];
}

// Loads the data for one tile of an elimination sweep of COARSE_SWEEP rows from `first` on. The tile is the rectangle
// of the matrix `from` that begins at row `top` and column `left`. `pivot` gets the diagonal block of the swept
// (eliminated) rows. `panel` gets the entries of the swept rows in the tile's columns, `columns` the entries of the
// tile's rows in the swept columns.
static __device__ __forceinline__ void load_tile(int n, int first, int top, int left, const double *__restrict__ from,
                                                 SweptBlock &pivot, double (*columns)[TILE_ROWS + 1],
                                                 double (*panel)[TILE_COLUMNS]) {
  enum {
    PIVOTS = (COARSE_SWEEP * COARSE_SWEEP + COARSE_BLOCK - 1) / COARSE_BLOCK,
    PANELS = COARSE_SWEEP * TILE_COLUMNS / COARSE_BLOCK,
    COLUMNS = TILE_ROWS * COARSE_SWEEP / COARSE_BLOCK,
  };
  static_assert(PANELS * COARSE_BLOCK == COARSE_SWEEP * TILE_COLUMNS,
                "all threads must copy the same number of entries");
  static_assert(COLUMNS * COARSE_BLOCK == TILE_ROWS * COARSE_SWEEP, "all threads must copy the same number of entries");
  const int t = threadIdx.x;
  double pivots[PIVOTS], panels[PANELS], sides[COLUMNS];  // all loads are issued before the first store
#pragma unroll
  for (int e = 0; e < PIVOTS; e++) {
    const int k = t + e * COARSE_BLOCK;
    const size_t row = (size_t)(first + k / COARSE_SWEEP);
    pivots[e] = k < COARSE_SWEEP * COARSE_SWEEP ? from[row * n + first + k % COARSE_SWEEP] : 0.0;
  }
#pragma unroll
  for (int e = 0; e < COLUMNS; e++) {
    const int k = t + e * COARSE_BLOCK, row = top + k / COARSE_SWEEP;
    sides[e] = row < n ? from[(size_t)row * n + first + k % COARSE_SWEEP] : 0.0;
  }
#pragma unroll
  for (int e = 0; e < PANELS; e++) {
    const int k = t + e * COARSE_BLOCK, at = left + k % TILE_COLUMNS;
    panels[e] = at < n ? from[(size_t)(first + k / TILE_COLUMNS) * n + at] : 0.0;
  }
#pragma unroll
  for (int e = 0; e < PIVOTS; e++) {
    const int k = t + e * COARSE_BLOCK;
    if (k < COARSE_SWEEP * COARSE_SWEEP) pivot[k / COARSE_SWEEP][k % COARSE_SWEEP] = pivots[e];
  }
#pragma unroll
  for (int e = 0; e < COLUMNS; e++) {
    const int k = t + e * COARSE_BLOCK;
    columns[k % COARSE_SWEEP][k / COARSE_SWEEP] = sides[e];
  }
#pragma unroll
  for (int e = 0; e < PANELS; e++) {
    const int k = t + e * COARSE_BLOCK;
    panel[k / TILE_COLUMNS][k % TILE_COLUMNS] = panels[e];
  }
}

// Computes one tile (rectangle) of `to`, which is the matrix `from` after the elimination of the COARSE_SWEEP rows from
// `first` on. A thread updates several rows of one column.
static __global__ void __launch_bounds__(COARSE_BLOCK, 3)
    sweep_kernel(int n, int first, const double *rest, const double *__restrict__ from, double *__restrict__ to) {
  enum {
    SIDES = COARSE_BLOCK / TILE_COLUMNS,
    EACH = TILE_ROWS / SIDES,
    WARPS = COARSE_BLOCK / 32,
    WARP_ROWS = TILE_ROWS / WARPS,
  };
  static_assert(EACH % 2 == 0, "a thread must process an even number of rows");
  __shared__ SweptBlock pivot;
  __shared__ double panel[COARSE_SWEEP][TILE_COLUMNS];  // entries of the swept (eliminated) rows in the tile's columns
  __shared__ __align__(16) double factor[COARSE_SWEEP][TILE_ROWS];
  __shared__ double columns[COARSE_SWEEP][TILE_ROWS + 1];
  __shared__ double rests[COARSE_SWEEP], swept_row[2 * COARSE_SWEEP];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int top = blockIdx.y * TILE_ROWS, left = blockIdx.x * TILE_COLUMNS;
  const int column = left + t % TILE_COLUMNS, its_first = t / TILE_COLUMNS * EACH;
  const auto is_swept = [&](int unknown) { return unknown >= first && unknown < first + COARSE_SWEEP; };

  // Load the tile's data. One warp inverts the swept block, the diagonal block of the eliminated rows.
  load_tile(n, first, top, left, from, pivot, columns, panel);
  if (t < COARSE_SWEEP) rests[t] = rest[first + t];
  __syncthreads();
  if (warp == 0) sweep_block(pivot, rests, swept_row);
  __syncthreads();

  double before[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int row = top + its_first + e;
    before[e] = row < n && column < n && !is_swept(row) ? from[(size_t)row * n + column] : 0.0;
  }

  // Compute the factors: entries of the tile's rows in the swept columns, times the inverse of the swept block.
  if (lane < COARSE_SWEEP) {
    double sums[WARP_ROWS] = {};
#pragma unroll 4
    for (int p = 0; p < COARSE_SWEEP; p++) {
      const double entry = pivot[p][lane];
#pragma unroll
      for (int r = 0; r < WARP_ROWS; r++) sums[r] -= columns[p][warp * WARP_ROWS + r] * entry;
    }
#pragma unroll
    for (int r = 0; r < WARP_ROWS; r++) {
      const int row = top + warp * WARP_ROWS + r;
      factor[lane][warp * WARP_ROWS + r] = is_swept(row) ? pivot[row - first][lane] : sums[r];
    }
  }

  __syncthreads();

  // Multiply the factors by the entries of the swept (eliminated) rows in the tile's columns.
  double sums[EACH] = {};
#pragma unroll 4
  for (int q = 0; q < COARSE_SWEEP; q++) {
    const double entry = panel[q][t % TILE_COLUMNS];
    const double2 *two = (const double2 *)&factor[q][its_first];
#pragma unroll
    for (int e = 0; e < EACH / 2; e++) {
      sums[2 * e] += two[e].x * entry;
      sums[2 * e + 1] += two[e].y * entry;
    }
  }

  if (column >= n) return;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int i = its_first + e, row = top + i;
    if (row < n) to[(size_t)row * n + column] = is_swept(column) ? factor[column - first][i] : before[e] - sums[e];
  }
}

// Sets `to` to B, the inverse of P^T A P: minus the mean of `from`, the result of the elimination, and its transpose.
// The mean makes B exactly symmetric.
static __global__ void __launch_bounds__(COARSE_BLOCK)
    mirror_kernel(int n, const double *__restrict__ from, double *__restrict__ to) {
  const size_t at = (size_t)blockIdx.x * COARSE_BLOCK + threadIdx.x;
  if (at >= (size_t)n * n) return;
  to[at] = -(from[at] + from[at % n * n + at / n]) / 2;
}

static __global__ void __launch_bounds__(COARSE_BLOCK) restrict_kernel(CoarseView c, const real *r) {
  for (int slice = blockIdx.x; slice < c.slice_count; slice += gridDim.x) coarse_restrict_slice(c, slice, r);
}

// Computes y = B P^T r, with the inverse B of P^T A P, one row per warp. Each thread block sums part of r.P y.
static __global__ void __launch_bounds__(COARSE_BLOCK) solve_kernel(CoarseView c, const double *B, const int *done) {
  extern __shared__ double residual[];  // [n], the coarse residual P^T r
  __shared__ double dots[COARSE_BLOCK / 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (done && *done) return;

  // Compute P^T r. For each aggregate, add the contributions of its slices (some of its nodes each).
  for (int k = threadIdx.x; k < c.n; k += COARSE_BLOCK) {
    const int aggregate = k / c.modes, mode = k % c.modes;
    double sum = 0;
    if (aggregate < c.count)
      for (int s = c.slice_start[aggregate]; s < c.slice_start[aggregate + 1]; s++)
        sum += c.shares[(size_t)s * c.modes + mode];
    residual[k] = sum;
  }

  __syncthreads();

  // Compute one row of B P^T r per warp.
  const int row = blockIdx.x * (COARSE_BLOCK / 32) + warp;
  double sum = 0;
  if (row < c.n)
    for (int k = lane; k < c.n; k += 32) sum += B[(size_t)row * c.n + k] * residual[k];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (lane == 0) dots[warp] = row < c.n ? sum * residual[row] : 0;
  if (lane == 0 && row < c.n) c.y[row] = sum;
  __syncthreads();

  if (threadIdx.x != 0) return;
  double dot = 0;
  for (int w = 0; w < COARSE_BLOCK / 32; w++) dot += dots[w];
  c.dots[blockIdx.x] = dot;
}

static void *own(CoarseCuda *c, void *memory) {
  return memory ? c->owned[c->owned_count++] = memory : NULL;
}

static void *clone(CoarseCuda *c, const void *host, size_t bytes, Error *error) {
  return own(c, device_clone(DEVICE_CUDA, host, bytes, error));
}

static void *buffer(CoarseCuda *c, size_t bytes, Error *error) {
  return own(c, device_alloc(DEVICE_CUDA, bytes, error));
}

// Divides the nodes of each aggregate, and the nodes without an aggregate, into slices of consecutive nodes.
static bool make_slices(CoarseCuda *c, const Aggregates *g, Error *error) {
  CoarseView &v = c->view;
  const int usual = g->node_count / SLICES_USUAL, length = usual > SLICE_LEAST ? usual : SLICE_LEAST;
  const int maximum = g->node_count / length + g->count + 1;
  int *start = (int *)array_new((int64_t)g->count + 1, sizeof *start, "coarse space", error);
  int *slice = (int *)array_new((int64_t)maximum + 1, sizeof *slice, "coarse space", error);
  bool ok = start && slice;
  for (int k = 0; ok && k <= g->count; k++) {
    const int first = g->start[k], last = k < g->count ? g->start[k + 1] : g->node_count;
    start[k] = v.slice_count;
    for (int m = first; m < last; m += length) slice[v.slice_count++] = m;
  }
  if (ok) slice[v.slice_count] = g->node_count;
  ok = ok && (v.slice_start = (int *)clone(c, start, sizeof *start * ((size_t)g->count + 1), error)) &&
       (v.slice = (int *)clone(c, slice, sizeof *slice * ((size_t)v.slice_count + 1), error));
  free(start);
  free(slice);
  return ok;
}

bool REAL_NAME(coarse_cuda_create)(CoarseCuda *c, const Aggregates *aggregates, const Operator *A, Error *error) {
  const Aggregates &g = *aggregates;
  CoarseView &v = c->view;
  const size_t nodes = (size_t)g.node_count, count = (size_t)g.count, pairs = (size_t)g.pair_count;
  const size_t items = pairs ? (size_t)g.item_start[pairs] : 0;
  v.dof = A->space->node_dof;
  v.modes = coarse_modes(v.dof);
  v.count = g.count;
  v.pair_count = g.pair_count;
  v.n = coarse_unknowns(g.count, v.dof);
  v.product_blocks = (v.n + COARSE_BLOCK / 32 - 1) / (COARSE_BLOCK / 32);
  const size_t n = (size_t)v.n;
  bool ok = make_slices(c, &g, error);
  ok = ok && (v.of = (int *)clone(c, g.of, sizeof *g.of * nodes, error));
  ok = ok && (v.start = (int *)clone(c, g.start, sizeof *g.start * (count + 1), error));
  ok = ok && (v.member = (int *)clone(c, g.member, sizeof *g.member * nodes, error));
  ok = ok && (v.arm = (real *)buffer(c, sizeof *v.arm * 3 * nodes, error));
  ok = ok && (v.rest = (double *)buffer(c, sizeof *v.rest * n, error));
  ok = ok && (v.matrix[0] = (double *)buffer(c, sizeof(double) * n * n, error));
  ok = ok && (v.matrix[1] = (double *)buffer(c, sizeof(double) * n * n, error));
  ok = ok && (v.shares = (double *)buffer(c, sizeof(double) * (size_t)v.slice_count * (size_t)v.modes, error));
  ok = ok && (v.y = (double *)buffer(c, sizeof *v.y * n, error));
  ok = ok && (v.dots = (double *)buffer(c, sizeof *v.dots * (size_t)v.product_blocks, error));
  if (ok && v.dof > 1) ok = (v.X = (double *)clone(c, A->space->X, sizeof(double) * 3 * nodes, error));
  if (ok && pairs)
    ok = (v.pair = (AggregatePair *)clone(c, g.pair, sizeof *g.pair * pairs, error)) &&
         (v.item_start = (int64_t *)clone(c, g.item_start, sizeof *g.item_start * (pairs + 1), error)) &&
         (v.item = (AggregateItem *)clone(c, g.item, sizeof *g.item * items, error));

  // Each elimination sweep, and mirror_kernel after all sweeps, reads one of the two matrices and writes the other. So
  // their number determines which one finally has B.
  c->B = v.matrix[(v.n / COARSE_SWEEP + 1) % 2];
  return ok;
}

void REAL_NAME(coarse_cuda_destroy)(CoarseCuda *c) {
  for (int k = 0; k < c->owned_count; k++) device_free(DEVICE_CUDA, c->owned[k]);
  *c = CoarseCuda{};
}

bool REAL_NAME(coarse_cuda_make)(const CoarseCuda *c, const SolverSystem *system, cudaStream_t stream, Error *error) {
  const CoarseView &v = c->view;
  const Operator *A = system->A;
  const real *values = (const real *)A->values, *blocks = (const real *)A->blocks;
  if (v.n == 0) return true;

  CUDA_TRY(cudaMemsetAsync(v.matrix[0], 0, sizeof(double) * (size_t)v.n * (size_t)v.n, stream));
  if (v.dof > 1) measure_kernel<<<v.count, COARSE_BLOCK, 0, stream>>>(v, (const real *)system->u);
  CUDA_TRY(cudaGetLastError());
  if (v.pair_count) {
    (v.dof == 3   ? project_kernel<3>
     : v.dof == 2 ? project_kernel<2>
                  : project_kernel<1>)<<<v.pair_count, PROJECT_THREADS, 0, stream>>>(v, system->fixed, values, blocks);
    CUDA_TRY(cudaGetLastError());
  }

  // Eliminate all rows of P^T A P, COARSE_SWEEP per sweep, from one copy of the matrix to the other.
  const dim3 tiles((unsigned)((v.n + TILE_COLUMNS - 1) / TILE_COLUMNS), (unsigned)((v.n + TILE_ROWS - 1) / TILE_ROWS));
  const int sweeps = v.n / COARSE_SWEEP;
  for (int k = 0; k < sweeps; k++) {
    sweep_kernel<<<tiles, COARSE_BLOCK, 0, stream>>>(v.n, k * COARSE_SWEEP, v.rest, v.matrix[k % 2],
                                                     v.matrix[(k + 1) % 2]);
    CUDA_TRY(cudaGetLastError());
  }

  // Compute B: minus the mean of the result and its transpose, so that B is exactly symmetric.
  const size_t entries = (size_t)v.n * (size_t)v.n;
  mirror_kernel<<<(unsigned)((entries + COARSE_BLOCK - 1) / COARSE_BLOCK), COARSE_BLOCK, 0, stream>>>(
      v.n, v.matrix[sweeps % 2], v.matrix[(sweeps + 1) % 2]);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(coarse_cuda_restrict)(const CoarseCuda *c, const real *r, cudaStream_t stream, Error *error) {
  if (c->view.slice_count == 0) return true;
  restrict_kernel<<<c->view.slice_count, COARSE_BLOCK, 0, stream>>>(c->view, r);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(coarse_cuda_solve)(const CoarseCuda *c, const int *done, cudaStream_t stream, Error *error) {
  const CoarseView &v = c->view;
  if (v.n == 0) return true;
  solve_kernel<<<v.product_blocks, COARSE_BLOCK, sizeof(double) * (size_t)v.n, stream>>>(v, c->B, done);
  CUDA_TRY(cudaGetLastError());
  return true;
}
