// The formats "parts" and "parts16" on the GPU (CUDA version of parts.c). One warp processes a tile, a group of rows.
// Each lane (thread) multiplies a chunk, some blocks of one row, by x. Loads of neighbouring lanes are coalesced.
// Shuffles sum the chunks of a row in a fixed order.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/parts/part_halves.cuh"

// ROUND_BLOCK: threads of a thread block of round_kernel. ROUND_TILES: tiles of a thread block, one per warp. A tile is
// the rows that one warp multiplies.
enum { ROUND_BLOCK = 128, ROUND_TILES = ROUND_BLOCK / PART_LANES };
static_assert(PART_GRAIN * PART_LANES == APPLY_BLOCK, "a thread block computes PART_GRAIN tiles, one per warp");

// The values of the vector x at one node.
template <int DOF>
struct Other {
  real v[DOF];
};

// Computes y = A x, one warp per tile (rows for one warp). In each step of a tile, each thread of the warp multiplies
// one block. values [steps of all tiles][DOF][DOF][PART_LANES], diagonal [nodes][DOF][DOF], x and y [nodes * DOF]. dots
// gets a partial sum of x.y per thread block, or is NULL. HALVES: reads blocks rounded to 16 bits, for parts16.
template <int DOF, bool HALVES>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int nodes, PartLayout l, const real *__restrict__ values, const real *__restrict__ diagonal,
                 const real *__restrict__ x, real *__restrict__ y, double *__restrict__ dots) {
  enum { SIZE = DOF * DOF };
  const int tile = blockIdx.x * PART_GRAIN + threadIdx.x / PART_LANES, lane = threadIdx.x % PART_LANES;
  const bool inside = tile < l.tile_count;  // no thread returns early: the shuffles below need full warps
  const unsigned does = inside ? l.lane[tile * PART_LANES + lane] : 0;
  const int *__restrict__ column = l.column, *__restrict__ node_of =
                                                 HALVES && inside ? l.node + l.tile_node[tile] : NULL;
  const int last = inside ? l.step_start[tile + 1] : 0;
  real sum[DOF] = {};
  if (HALVES && inside) {
    multiply_tile<DOF>(load_tile<DOF>(l, tile, lane), sum, [&](int, int local) {
      Other<DOF> other;
      const int node = node_of[local];
#pragma unroll
      for (int k = 0; k < DOF; k++) other.v[k] = x[(size_t)DOF * node + k];
      return other;
    });
  }
#pragma unroll 4
  for (int step = inside && !HALVES ? l.step_start[tile] : last; step < last; step++) {
    const real *__restrict__ block = values + (size_t)step * SIZE * PART_LANES + lane;
    const real *__restrict__ other = x + DOF * column[step * PART_LANES + lane];
#pragma unroll
    for (int i = 0; i < DOF; i++)
#pragma unroll
      for (int k = 0; k < DOF; k++) sum[i] += block[(i * DOF + k) * PART_LANES] * other[k];
  }

  for (int step = 1; step <= l.after_max; step *= 2)
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      const real behind = __shfl_down_sync(0xffffffff, sum[i], step);
      if (lane_after(does) >= step) sum[i] += behind;
    }
  double dot = 0;
  if (lane_first(does)) {
    const int node = l.lane_node[tile * PART_LANES + lane];
#pragma unroll
    for (int i = 0; i < DOF; i++) {
#pragma unroll
      for (int k = 0; k < DOF; k++) sum[i] += diagonal[((size_t)node * DOF + i) * DOF + k] * x[node * DOF + k];
      y[node * DOF + i] = sum[i];
      dot += (double)x[node * DOF + i] * sum[i];
    }
  }
  apply_dot(dot, dots);
}

// Rounds the blocks to 16 bits for parts16, one warp per tile (rows for one warp). Then adds the rounding errors of a
// row's blocks to the diagonal block of the row. A thread loads all its blocks into registers at once, so that the
// loads overlap.
template <int DOF>
static __global__ void __launch_bounds__(ROUND_BLOCK)
    round_kernel(PartLayout l, const real *__restrict__ values, real *__restrict__ diagonal) {
  enum { SIZE = DOF * DOF, MAX = SIZE * PART_GROUP };
  const int tile = blockIdx.x * ROUND_TILES + threadIdx.x / PART_LANES, lane = threadIdx.x % PART_LANES;
  if (tile >= l.tile_count) return;
  const int first = l.step_start[tile], steps = l.step_start[tile + 1] - first;
  real lost[6] = {};
  if (steps > PART_GROUP) {  // the tile has a row of more than 256 blocks
    round_lane(&l, values, tile, lane, DOF, lost);
  } else {
    const real *__restrict__ from = values + (size_t)first * SIZE * PART_LANES + lane;
    real entry[MAX];
    SizeBits maximum = 0;
#pragma unroll
    for (int e = 0; e < MAX; e++) entry[e] = e < steps * SIZE ? from[e * PART_LANES] : (real)0;
#pragma unroll
    for (int e = 0; e < MAX; e++) maximum = max(maximum, size_bits(entry[e]));
    round_steps<DOF, 0>(l, tile, lane, maximum, lost, [&](int step, real *block) {
#pragma unroll
      for (int e = 0; e < SIZE; e++) block[e] = entry[step * SIZE + e];
    });
  }
  add_lost_of_tile<DOF>(l, tile, lane, lost, diagonal);
}

extern "C" {
extern const OperatorMethod REAL_NAME(parts_cpu), REAL_NAME(parts_cuda);
extern const OperatorMethod REAL_NAME(parts16_cpu), REAL_NAME(parts16_cuda);
}

// Returns the address of the diagonal blocks [node_count][dof][dof], which are at the end of `values`.
static real *diagonal_blocks(const Operator *A) {
  const int entries = A->space->node_dof * A->space->node_dof;
  return (real *)A->values + A->value_count - (int64_t)A->space->node_count * entries;
}

static bool create(Operator *A, Error *error) {
  return REAL_NAME(parts_cpu).create(A, error);
}

static bool create16(Operator *A, Error *error) {
  return REAL_NAME(parts16_cpu).create(A, error);
}

typedef void (*Kernel)(int nodes, PartLayout l, const real *values, const real *diagonal, const real *x, real *y,
                       double *dots);

template <int DOF>
static Kernel kernel_of(bool halves) {
  return halves ? apply_kernel<DOF, true> : apply_kernel<DOF, false>;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const PartLayout *l = A->parts;
  const int nodes = A->space->node_count;
  const auto kernel = BY_NODE_DOF(A->space->node_dof, kernel_of)(l->halves.unit);
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      nodes, *l, (const real *)A->values, diagonal_blocks(A), (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool settle16(Operator *A, Stream stream, Error *error) {
  const int blocks = (A->parts->tile_count + ROUND_TILES - 1) / ROUND_TILES;
  const auto kernel = BY_NODE_DOF(A->space->node_dof, round_kernel);
  kernel<<<blocks, ROUND_BLOCK, 0, (cudaStream_t)stream.handle>>>(*A->parts, (const real *)A->values,
                                                                  diagonal_blocks(A));
  CUDA_TRY(cudaGetLastError());
  return true;
}

static int count_dots(const Operator *A) {
  return REAL_NAME(parts_cpu).count_dots(A);
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(parts_cpu).stage.bytes(stage, size);
}

static StageBytes bytes16(const Stage *stage, const StageSize *size) {
  return REAL_NAME(parts16_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(parts_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "parts",
             .summary = "rows of blocks, divided into one part for each multiprocessor of a GPU",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = part_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
extern "C" const OperatorMethod REAL_NAME(parts16_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "parts16",
             .summary = "as matrix \"parts\", but products read off-diagonal values in 16 bits",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes16 },
  .create = create16,
  .destroy_layout = part_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .settle = settle16,
};
