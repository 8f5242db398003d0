// The midpoint rule's arithmetic on the GPU: see midpoint.h; the twin of midpoint.c. Each sum is taken in two kernels:
// blocks leave partial sums in double, then one block adds them up in a fixed tree.
#include "sim/newton/midpoint.h"

#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/element/neo_hookean_tet.h"

enum { BLOCK = 256, BLOCKS_MAX = 512, SUMS = ENERGY_SUMS };  // scratch: [SUMS + 1][BLOCKS_MAX], the last row for J

static int blocks_for(int count) {
  return (count + BLOCK - 1) / BLOCK;
}

static int capped_blocks_for(int count) {
  return blocks_for(count) < BLOCKS_MAX ? blocks_for(count) : BLOCKS_MAX;
}

static size_t scratch_bytes(const Midpoint *) {
  return sizeof(double) * (SUMS + 1) * BLOCKS_MAX;
}

static __device__ double add(double a, double b) {
  return a + b;
}
static __device__ double smaller(double a, double b) {
  return a < b ? a : b;
}

// combines a value over the block's threads in a fixed tree; thread 0 gets it
template <double (*combine)(double, double)>
static __device__ double block_combine(double value) {
  __shared__ double warps[BLOCK / 32];
  __syncthreads();  // the last call's readers are through
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, step));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = warps[0];
  for (int w = 1; w < BLOCK / 32; w++) value = combine(value, warps[w]);
  return value;
}

static __global__ void try_kernel(int n, const real *__restrict__ u0, const real *__restrict__ u1,
                                  const real *__restrict__ du, const real *__restrict__ X, real theta, real factor,
                                  real *__restrict__ trial, real *__restrict__ middle, real *__restrict__ nodal) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const real u = factor == 0 ? u1[i] : u1[i] + factor * du[i];
  trial[i] = u;
  const real m = u0[i] + theta * (u - u0[i]);
  middle[i] = m;
  if (nodal) nodal[i] = X[i] + m;
}

static bool try_step(const Midpoint *m, const MidpointStep *step, double factor, Stream stream, Error *error) {
  try_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      m->n, (const real *)m->u0, (const real *)m->u1, (const real *)m->du, (const real *)m->X, (real)step->theta,
      (real)factor, (real *)m->trial, (real *)m->middle, m->nodal == m->middle ? NULL : (real *)m->nodal);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// The same pointers with their type, and a step's coefficients.
typedef struct View {
  int n;
  const real *X, *u0, *p0, *u1, *trial, *middle, *F, *load, *pull, *spring, *damper, *mass;
  const uint8_t *fixed;
  bool by_position;  // the element's nodal data are positions
  bool floor;        // there is one; see Floor
  real height, modulus, friction, creep;
  const real *contact, *grip;
} View;

static View view_of(const Midpoint *m) {
  View v = { m->n,
             (const real *)m->X,
             (const real *)m->u0,
             (const real *)m->p0,
             (const real *)m->u1,
             (const real *)m->trial,
             (const real *)m->middle,
             (const real *)m->F,
             (const real *)m->load,
             (const real *)m->pull,
             (const real *)m->spring,
             (const real *)m->damper,
             (const real *)m->mass,
             m->fixed,
             m->nodal != m->middle,
             m->floor.there,
             (real)m->floor.height,
             (real)m->floor.modulus,
             (real)m->floor.friction,
             (real)m->floor.creep,
             (const real *)m->contact,
             (const real *)m->grip };
  return v;
}

// MidpointStep in reals
typedef struct Coefficients {
  real inverse_dt, theta, impulse, keep, inertia, carry;
} Coefficients;

static Coefficients coefficients_of(const MidpointStep *step) {
  Coefficients c = { (real)(1 / step->dt), (real)step->theta,   (real)step->impulse,
                     (real)step->keep,     (real)step->inertia, (real)step->carry };
  return c;
}

// the stiffness of the floor against node a where its z displacement is u: 0 above it
static __device__ real floor_stiffness(const View &v, int a, real u) {
  return floor_depth(v.height, v.X[3 * a + 2], u) > 0 ? v.modulus * v.contact[a] : (real)0;
}

// the floor's force on unknown i, at displacement u and velocity w of it
static __device__ real floor_force(const View &v, int i, real u, real w) {
  if (i % 3 < 2) return -v.grip[i / 3] * w;
  return v.modulus * v.contact[i / 3] * floor_depth(v.height, v.X[i], u);
}

// the impulse of external forces on unknown i, if it moves by `moved` in this step
static __device__ real external_impulse(const View &v, const Coefficients &c, int i, real moved) {
  const real velocity = c.inverse_dt * moved;
  real force = v.load[i] + (v.pull[i] - v.spring[i / 3] * v.middle[i]) - v.damper[i / 3] * velocity;
  if (v.floor) force += floor_force(v, i, v.middle[i], velocity);
  return c.impulse * force;
}

static __global__ void begin_kernel(View v, const real *__restrict__ normal, real *__restrict__ grip) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= v.n / 3) return;
  const real m = v.mass[a];
  grip[a] = floor_grip(normal[a], v.p0[3 * a] / m, v.p0[3 * a + 1] / m, v.friction, v.creep);
}

static bool begin(const Midpoint *m, Stream stream, Error *error) {
  begin_kernel<<<blocks_for(m->node_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      view_of(m), (const real *)m->normal, (real *)m->grip);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// nodal displacements of one tet
static __device__ void gather(const int *tet, const real *u, int e, real nodal[ELEMENT_NODES * ELEMENT_NODE_DOF]) {
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = u[3 * tet[4 * e + a] + i];
}

// smallest J of displacements u, a block at a time
static __global__ void __launch_bounds__(BLOCK)
    smallest_J_kernel(int tet_count, const int *__restrict__ tet, const real *__restrict__ supplemental,
                      const real *__restrict__ u, double *__restrict__ partial) {
  double low = INFINITY;
  for (int e = blockIdx.x * BLOCK + threadIdx.x; e < tet_count; e += gridDim.x * BLOCK) {
    real nodal[ELEMENT_NODES * ELEMENT_NODE_DOF];
    gather(tet, u, e, nodal);
    const double J = element_J(nodal, supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL);
    low = smaller(low, J == J ? J : -INFINITY);
  }
  low = block_combine<smaller>(low);
  if (threadIdx.x == 0) partial[SUMS * BLOCKS_MAX + blockIdx.x] = low;
}

// partial [SUMS][BLOCKS_MAX]
static __global__ void __launch_bounds__(BLOCK)
    residual_kernel(View v, Coefficients c, const real *__restrict__ diagonal, real *__restrict__ r,
                    double *__restrict__ partial) {
  double sum[5] = { 0, 0, 0, 0, 0 };
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK) {
    if (v.fixed[i]) {
      r[i] = 0;
      continue;
    }
    const real u = v.trial[i], moved = u - v.u0[i], p = v.p0[i], F = v.F[i],
               external = external_impulse(v, c, i, moved);
    const real value = p - v.mass[i / 3] * c.inertia * moved - (F - external);
    const double rounding = (double)diagonal[i] * (v.by_position ? v.X[i] + u : u);
    r[i] = value;
    sum[0] += (double)value * value;
    sum[1] += (double)p * p;
    sum[2] += (double)F * F;
    sum[3] += (double)external * external;
    sum[4] += rounding * rounding;
  }
  for (int k = 0; k < 5; k++) {
    const double total = block_combine<add>(sum[k]);
    if (threadIdx.x == 0) partial[k * BLOCKS_MAX + blockIdx.x] = total;
  }
}

// combines [count] values in a fixed tree: each lane its own, then the lanes; every lane gets the result
template <double (*combine)(double, double), typename Value>
static __device__ double warp_combine(const Value *values, int count, double none) {
  double value = none;
#pragma unroll 8
  for (int k = threadIdx.x % 32; k < count; k += 32) value = combine(value, (double)values[k]);
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;
}

// one block; each sum has a warp of its own, so they wait for memory together
static __global__ void __launch_bounds__(BLOCK)
    residual_sums_kernel(int blocks, const double *__restrict__ partial, const real *__restrict__ min_J,
                         int min_J_count, int trial_blocks, ResidualSums *sums) {
  __shared__ double total[BLOCK / 32];
  const int warp = threadIdx.x / 32;
  double value;
  if (warp < 5)
    value = warp_combine<add>(partial + warp * BLOCKS_MAX, blocks, 0.0);
  else if (warp == 5)
    value = warp_combine<smaller>(partial + SUMS * BLOCKS_MAX, trial_blocks, INFINITY);
  else  // two warps share the longest row
    value = warp_combine<smaller>(min_J + (warp == 7 ? min_J_count / 2 : 0),
                                  warp == 7 ? min_J_count - min_J_count / 2 : min_J_count / 2, INFINITY);
  if (threadIdx.x % 32 == 0) total[warp] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  ResidualSums s = { total[0], total[1], total[2], total[3], total[4], smaller(total[5], smaller(total[6], total[7])) };
  *sums = s;
}

static bool residual(const Midpoint *m, const MidpointStep *step, const void *min_J, int min_J_count, bool check_trial,
                     Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  const int blocks = capped_blocks_for(m->n), trial_blocks = check_trial ? capped_blocks_for(m->tet_count) : 0;
  double *partial = (double *)m->scratch;
  residual_kernel<<<blocks, BLOCK, 0, s>>>(view_of(m), coefficients_of(step), (const real *)m->diagonal,
                                           (real *)m->residual, partial);
  CUDA_TRY(cudaGetLastError());
  if (check_trial) {
    smallest_J_kernel<<<trial_blocks, BLOCK, 0, s>>>(m->tet_count, m->tet, (const real *)m->supplemental,
                                                     (const real *)m->trial, partial);
    CUDA_TRY(cudaGetLastError());
  }
  residual_sums_kernel<<<1, BLOCK, 0, s>>>(blocks, partial, (const real *)min_J, min_J_count, trial_blocks, m->sums);
  CUDA_TRY(cudaGetLastError());
  return device_download(stream, m->sums_host, m->sums, sizeof *m->sums, error);
}

static __global__ void diagonal_shift_kernel(View v, Coefficients c, real *__restrict__ shift) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= v.n) return;
  const int a = i / 3;
  real spring = v.spring[a], damper = v.damper[a];
  if (v.floor && i % 3 == 2) spring += floor_stiffness(v, a, v.middle[i]);
  if (v.floor && i % 3 < 2) damper += v.grip[a];
  shift[i] = v.mass[a] * c.inertia + c.impulse * (c.theta * spring + c.inverse_dt * damper);
}

static bool diagonal_shift(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error) {
  diagonal_shift_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(view_of(m), coefficients_of(step),
                                                                                     (real *)m->shift);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// u0 and p0 are View's own, written here
static __global__ void finish_kernel(View v, Coefficients c, real *u0, real *p0, real *normal) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= v.n) return;
  const real u = v.u1[i], moved = u - u0[i], external = external_impulse(v, c, i, moved);
  p0[i] = v.fixed[i] ? (real)0 : v.mass[i / 3] * c.carry * moved - c.keep * (v.F[i] - external);
  u0[i] = u;
  if (v.floor && i % 3 == 2) normal[i / 3] = floor_force(v, i, v.middle[i], 0);
}

static bool finish(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error) {
  finish_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      view_of(m), coefficients_of(step), (real *)m->u0, (real *)m->p0, (real *)m->normal);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void set_springs_kernel(int count, const int *__restrict__ nodes, const double *__restrict__ values,
                                          real *__restrict__ spring, real *__restrict__ damper,
                                          real *__restrict__ pull) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= count) return;
  spring[nodes[k]] = (real)values[SPRING_VALUES * k];
  damper[nodes[k]] = (real)values[SPRING_VALUES * k + 1];
  for (int i = 0; i < 3; i++) pull[3 * nodes[k] + i] = (real)values[SPRING_VALUES * k + 2 + i];
}

static bool set_springs(const Midpoint *m, const int *nodes, const double *values, int count, Stream stream,
                        Error *error) {
  if (count == 0) return true;
  set_springs_kernel<<<blocks_for(count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      count, nodes, values, (real *)m->spring, (real *)m->damper, (real *)m->pull);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// partial [SUMS][BLOCKS_MAX]: kinetic, elastic, linear and angular momentum
static __global__ void __launch_bounds__(BLOCK)
    energy_kernel(View v, int tet_count, const int *__restrict__ tet, const real *__restrict__ supplemental,
                  const real *__restrict__ stiffness, ElementParameters parameters, double *__restrict__ partial) {
  double sum[SUMS] = { 0 };
  for (int a = blockIdx.x * BLOCK + threadIdx.x; a < v.n / 3; a += gridDim.x * BLOCK) {
    double x[3], q[3];
    for (int i = 0; i < 3; i++) {
      x[i] = (double)v.X[3 * a + i] + v.u0[3 * a + i];
      q[i] = v.p0[3 * a + i];
      sum[2 + i] += q[i];
      const double s = v.spring[a], u = v.u0[3 * a + i], away = s > 0 ? u - v.pull[3 * a + i] / s : 0;
      sum[8] += 0.5 * s * away * away - v.load[3 * a + i] * u;
    }
    const real z = v.u0[3 * a + 2];
    if (v.floor) sum[8] += 0.5 * floor_force(v, 3 * a + 2, z, 0) * floor_depth(v.height, v.X[3 * a + 2], z);
    sum[0] += (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) / (2 * (double)v.mass[a]);
    for (int i = 0; i < 3; i++) sum[5 + i] += x[(i + 1) % 3] * q[(i + 2) % 3] - x[(i + 2) % 3] * q[(i + 1) % 3];
  }
  for (int e = blockIdx.x * BLOCK + threadIdx.x; e < tet_count; e += gridDim.x * BLOCK) {
    real nodal[ELEMENT_NODES * ELEMENT_NODE_DOF];
    gather(tet, v.u0, e, nodal);
    sum[1] += (stiffness ? stiffness[e] : 1) *
              element_energy(nodal, supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL, &parameters);
  }
  for (int k = 0; k < SUMS; k++) {
    const double total = block_combine<add>(sum[k]);
    if (threadIdx.x == 0) partial[k * BLOCKS_MAX + blockIdx.x] = total;
  }
}

// one block; total [SUMS]
static __global__ void __launch_bounds__(BLOCK)
    energy_sums_kernel(int blocks, const double *__restrict__ partial, double *__restrict__ total) {
  for (int k = 0; k < SUMS; k++) {
    double value = 0;
    for (int b = threadIdx.x; b < blocks; b += BLOCK) value += partial[k * BLOCKS_MAX + b];
    value = block_combine<add>(value);
    if (threadIdx.x == 0) total[k] = value;
  }
}

static bool energy(const Midpoint *m, double mu, double lambda, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  const ElementParameters parameters = { (real)mu, (real)lambda, 1, 1 };
  const int blocks = capped_blocks_for(m->tet_count);
  energy_kernel<<<blocks, BLOCK, 0, s>>>(view_of(m), m->tet_count, m->tet, (const real *)m->supplemental,
                                         (const real *)m->stiffness, parameters, (double *)m->scratch);
  CUDA_TRY(cudaGetLastError());
  energy_sums_kernel<<<1, BLOCK, 0, s>>>(blocks, (const double *)m->scratch, m->energy);
  CUDA_TRY(cudaGetLastError());
  return device_download(stream, m->energy_host, m->energy, sizeof(double) * SUMS, error);
}

static __global__ void positions_kernel(View v, const int *__restrict__ user_node, float *__restrict__ out) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < v.n) out[3 * user_node[i / 3] + i % 3] = (float)(v.X[i] + v.u0[i]);
}

static bool positions(const Midpoint *m, float *out, Stream stream, Error *error) {
  positions_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(view_of(m), m->user_node, out);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const MidpointOperations REAL_NAME(midpoint_cuda);
const MidpointOperations REAL_NAME(midpoint_cuda) = {
  DEVICE_CUDA, REAL_PRECISION, scratch_bytes, element_supplementals, try_step, residual,
  begin,       diagonal_shift, finish,        set_springs,           energy,   positions,
};
}
