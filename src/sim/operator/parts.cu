// y = A x for a matrix in parts on the GPU, the twin of parts.c, which makes the layout. A warp takes a tile, a lane a
// chunk: what neighbouring lanes read is side by side. The chunks of a row are added up by shuffles, in a fixed order.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/apply.cuh"
#include "sim/operator/part_layout.h"

enum { TILES = APPLY_BLOCK / PART_LANES };  // of a block of threads; parts.c has it too

// own [DOF][DOF][nodes], x and y [nodes * DOF], dots [blocks] or NULL
template <int DOF>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int nodes, PartLayout l, const real *__restrict__ values, const real *__restrict__ own,
                 const real *__restrict__ x, real *__restrict__ y, double *__restrict__ dots) {
  enum { SIZE = DOF * DOF };
  const int tile = blockIdx.x * TILES + threadIdx.x / PART_LANES, lane = threadIdx.x % PART_LANES;
  const bool inside = tile < l.tile_count;  // nobody leaves: the shuffles below stay full
  const unsigned does = inside ? l.lane[tile * PART_LANES + lane] : 0;
  const int *__restrict__ column = l.column;
  const int last = inside ? l.step_start[tile + 1] : 0;
  real sum[DOF] = {};
#pragma unroll 4
  for (int step = inside ? l.step_start[tile] : 0; step < last; step++) {
    const real *__restrict__ block = values + (size_t)step * SIZE * PART_LANES + lane;
    const real *__restrict__ other = x + DOF * column[step * PART_LANES + lane];
#pragma unroll
    for (int i = 0; i < DOF; i++)
#pragma unroll
      for (int k = 0; k < DOF; k++) sum[i] += block[(i * DOF + k) * PART_LANES] * other[k];
  }
  for (int step = 1; step <= l.behind_most; step *= 2)
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      const real behind = __shfl_down_sync(0xffffffff, sum[i], step);
      if (lane_behind(does) >= step) sum[i] += behind;
    }
  double dot = 0;
  if (lane_first(does)) {
    const int node = l.lane_node[tile * PART_LANES + lane];
#pragma unroll
    for (int i = 0; i < DOF; i++) {
#pragma unroll
      for (int k = 0; k < DOF; k++) sum[i] += own[(size_t)(i * DOF + k) * nodes + node] * x[node * DOF + k];
      y[node * DOF + i] = sum[i];
      dot += (double)x[node * DOF + i] * sum[i];
    }
  }
  apply_dot(dot, dots);
}

extern "C" {
extern const OperatorMethod REAL_NAME(parts_cpu), REAL_NAME(parts_cuda);
}

static bool create(Operator *A, Error *error) {
  return REAL_NAME(parts_cpu).create(A, error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const PartLayout *l = A->parts;
  const int dof = A->space->node_dof, nodes = A->space->node_count;
  const auto kernel = dof == 3 ? apply_kernel<3> : apply_kernel<1>;
  const real *values = (const real *)A->values;
  const size_t own = (size_t)A->value_count - (size_t)nodes * (size_t)(dof * dof);
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(nodes, *l, values, values + own,
                                                                        (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(parts_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(parts_cuda) = {
  { STAGE_OPERATOR, "parts", "blocks in parts, a part for each multiprocessor", NULL, DEVICE_CUDA, REAL_PRECISION,
    false, bytes },
  false,
  create,
  part_layout_destroy,
  apply,
  NULL,
  NULL,
};
