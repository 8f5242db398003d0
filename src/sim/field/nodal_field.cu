// Nodal fields on the GPU: see nodal_field.h; the twin of nodal_field.c.
#include "sim/field/nodal_field.h"

#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/field/tet_value.h"

enum { BLOCK = 256, RANGE_BLOCK = 1024 };

static __global__ void tet_kernel(int tet_count, FieldKind kind, const int *__restrict__ tet,
                                  const real *__restrict__ u, const real *__restrict__ supplemental,
                                  const real *__restrict__ stiffness, real mu, real lambda, real *__restrict__ value) {
  const int e = blockIdx.x * BLOCK + threadIdx.x;
  if (e >= tet_count) return;
  const real factor = stiffness ? stiffness[e] : (real)1;
  tet_value(kind, tet + 4 * e, u, supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL, factor * mu, factor * lambda,
            value + 2 * (size_t)e);
}

static __global__ void node_kernel(int node_count, const int *__restrict__ start, const int *__restrict__ around,
                                   const real *__restrict__ value, const int *__restrict__ user_node,
                                   float *__restrict__ out) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= node_count) return;
  real sum = 0, volume = 0;
  for (int k = start[a]; k < start[a + 1]; k++) {
    sum += value[2 * (size_t)around[k]];
    volume += value[2 * (size_t)around[k] + 1];
  }
  out[user_node[a]] = volume > 0 ? (float)(sum / volume) : 0.0f;
}

// one block: FieldExtra of [count] values, after them
static __global__ void __launch_bounds__(RANGE_BLOCK) range_kernel(int count, float *out) {
  enum { WARPS = RANGE_BLOCK / 32 };
  __shared__ float lows[WARPS], highs[WARPS];
  __shared__ double sums[WARPS], squares[WARPS];
  float low = INFINITY, high = -INFINITY;
  double sum = 0, square = 0;
  for (int k = threadIdx.x; k < count; k += RANGE_BLOCK) {
    const float value = out[k];
    low = fminf(low, value), high = fmaxf(high, value);
    sum += value, square += (double)value * value;
  }
  for (int step = 16; step > 0; step /= 2) {
    low = fminf(low, __shfl_xor_sync(0xffffffff, low, step));
    high = fmaxf(high, __shfl_xor_sync(0xffffffff, high, step));
    sum += __shfl_xor_sync(0xffffffff, sum, step);
    square += __shfl_xor_sync(0xffffffff, square, step);
  }
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) lows[warp] = low, highs[warp] = high, sums[warp] = sum, squares[warp] = square;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < WARPS; w++) {
    low = fminf(low, lows[w]), high = fmaxf(high, highs[w]);
    sum += sums[w], square += squares[w];
  }
  field_extra(low, high, sum, square, count, out + count);
}

static int blocks_for(int count) {
  return (count + BLOCK - 1) / BLOCK;
}

static bool run(const NodalField *field, const Midpoint *m, FieldKind kind, double mu, double lambda, float *out,
                Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  tet_kernel<<<blocks_for(m->tet_count), BLOCK, 0, s>>>(m->tet_count, kind, m->tet, (const real *)m->u0,
                                                        (const real *)m->supplemental, (const real *)m->stiffness,
                                                        (real)mu, (real)lambda, (real *)field->tet);
  CUDA_TRY(cudaGetLastError());
  node_kernel<<<blocks_for(m->node_count), BLOCK, 0, s>>>(m->node_count, field->start, field->around,
                                                          (const real *)field->tet, m->user_node, out);
  CUDA_TRY(cudaGetLastError());
  range_kernel<<<1, RANGE_BLOCK, 0, s>>>(m->node_count, out);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const FieldOperations REAL_NAME(field_cuda);
const FieldOperations REAL_NAME(field_cuda) = { DEVICE_CUDA, REAL_PRECISION, run };
}
