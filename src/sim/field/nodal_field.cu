// Computes fields for display, with one value per node, on the GPU (nodal_field.h); the CUDA version of nodal_field.c.
#include "sim/field/nodal_field.h"

#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/dynamics/integrator.h"
#include "sim/field/field_extra.h"

namespace nodal_field {

enum { BLOCK = 256, SPREAD_BLOCK = 1024 };

static __global__ void node_kernel(int node_count, const int64_t *__restrict__ start, const int *__restrict__ around,
                                   const real *__restrict__ value, const int *__restrict__ user_node,
                                   float *__restrict__ out) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= node_count) return;
  real sum = 0, volume = 0;
  for (int64_t k = start[a]; k < start[a + 1]; k++) {
    sum += value[2 * (size_t)around[k]];
    volume += value[2 * (size_t)around[k] + 1];
  }
  out[user_node[a]] = volume > 0 ? (float)(sum / volume) : 0.0f;
}

// Statistics of the values of a field at some nodes: smallest and largest value, sum of the values, and sum of their
// squares.
typedef struct Spread {
  float low, high;
  double sum, squares;
} Spread;

static __device__ void add_spread(Spread *spread, const Spread *more) {
  spread->low = fminf(spread->low, more->low);
  spread->high = fmaxf(spread->high, more->high);
  spread->sum += more->sum;
  spread->squares += more->squares;
}

// Computes statistics of out [count], such as the mean (field_extra.h), and stores them after these values, from
// out[count] on. The kernel runs with one thread block.
static __global__ void __launch_bounds__(SPREAD_BLOCK) spread_kernel(int count, float *out) {
  Spread spread = { INFINITY, -INFINITY, 0, 0 };
  for (int k = threadIdx.x; k < count; k += SPREAD_BLOCK) {
    const Spread one = { out[k], out[k], out[k], (double)out[k] * out[k] };
    add_spread(&spread, &one);
  }
  spread = block_combine<SPREAD_BLOCK, Spread, add_spread>(spread);
  if (threadIdx.x == 0) field_extra(spread.low, spread.high, spread.sum, spread.squares, count, out + count);
}

static int blocks_for(int count) {
  return (count + BLOCK - 1) / BLOCK;
}

static bool run(const NodalField *field, const Motion *m, FieldKind kind, const double *material, float *out,
                Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  const int count = m->body.node_count;
  if (!m->element->field(&m->cells, m->body.u, kind, material, field->cell, stream, error)) return false;
  node_kernel<<<blocks_for(count), BLOCK, 0, s>>>(count, field->start, field->around, (const real *)field->cell,
                                                  m->body.user_node, out);
  CUDA_TRY(cudaGetLastError());
  spread_kernel<<<1, SPREAD_BLOCK, 0, s>>>(count, out);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void __launch_bounds__(BLOCK)
    widen_kernel(int n, const real *__restrict__ u, const double *__restrict__ origin, double *__restrict__ wide) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) wide[i] = u[i] + origin[i % 3];
}

static bool state(const Motion *m, double (*u)[3], const int **cell, Stream stream, Error *error) {
  *cell = m->cells.cell;
  widen_kernel<<<blocks_for(m->body.n), BLOCK, 0, (cudaStream_t)stream.handle>>>(m->body.n, m->body.u, m->body.origin,
                                                                                 &u[0][0]);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const FieldOperations REAL_NAME(nodal_field_cuda);
const FieldOperations REAL_NAME(nodal_field_cuda) = {
  .stage = { .kind = STAGE_FIELD,
             .name = "field",
             .summary = "computes nodal values, which the window draws as colours",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .preferred = true },
  .run = run,
  .state = state,
};
}

}  // namespace nodal_field
