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
  double height;
  real modulus, friction;
  const real *contact, *anchor;
  const double *origin;
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
             m->floor.height,
             (real)m->floor.modulus,
             (real)m->floor.friction,
             (const real *)m->contact,
             (const real *)m->anchor,
             m->origin };
  return v;
}

// MidpointStep in reals
typedef struct Coefficients {
  real inverse_dt, theta, impulse, keep, inertia, carry, foresight;
} Coefficients;

static Coefficients coefficients_of(const MidpointStep *step) {
  Coefficients c = { (real)(1 / step->dt), (real)step->theta,   (real)step->impulse,
                     (real)step->keep,     (real)step->inertia, (real)step->carry,
                     (real)step->foresight };
  return c;
}

// the floor's force and stiffness at node a; u [n] are displacements at the end of the step
static __device__ FloorContact contact_of(const View &v, real foresight, int a, const real *u) {
  real ahead[3];
  floor_ahead(v.p0 + 3 * a, v.load + 3 * a, v.mass[a], foresight, ahead);
  return floor_contact(v.X + 3 * a, u + 3 * a, ahead, v.anchor + 2 * a, (real)(v.height - v.origin[2]),
                       v.modulus * v.contact[a], v.friction);
}

// the impulse of external forces on unknown i, where the step ends with displacements u1
static __device__ real external_impulse(const View &v, const Coefficients &c, int i, const real *u1) {
  const real velocity = c.inverse_dt * (u1[i] - v.u0[i]);
  const real u = (real)(v.middle[i] + v.origin[i % 3]);
  real force = v.load[i] + (v.pull[i] - v.spring[i / 3] * u) - v.damper[i / 3] * velocity;
  if (v.floor) force += contact_of(v, c.foresight, i / 3, u1).force[i % 3];
  return c.impulse * force;
}

static __global__ void extrapolate_kernel(int n, const uint8_t *__restrict__ fixed, const real *__restrict__ u_before,
                                          const real *__restrict__ p_before, real *__restrict__ u0,
                                          real *__restrict__ p0) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n || fixed[i]) return;
  u0[i] += (u0[i] - u_before[i]) / 3;
  p0[i] += (p0[i] - p_before[i]) / 3;
}

static bool extrapolate(const Midpoint *m, const void *u_before, const void *p_before, Stream stream, Error *error) {
  extrapolate_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      m->n, m->fixed, (const real *)u_before, (const real *)p_before, (real *)m->u0, (real *)m->p0);
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
               external = external_impulse(v, c, i, v.trial);
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
  real value = v.mass[a] * c.inertia + c.impulse * (c.theta * v.spring[a] + c.inverse_dt * v.damper[a]);
  if (v.floor) {
    const FloorContact contact = contact_of(v, c.foresight, a, v.u1);
    value += c.impulse * contact.tangent[i % 3];
    if (i % 3 == 0) shift[v.n + a] = c.impulse * contact.tangent_xy;
  }
  shift[i] = value;
}

static bool diagonal_shift(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error) {
  diagonal_shift_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(view_of(m), coefficients_of(step),
                                                                                     (real *)m->shift);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// anchor is View's own, written here, each node's by the thread that reads it
static __global__ void anchors_kernel(View v, bool anew, real *anchor) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= v.n / 3) return;
  const FloorContact contact = contact_of(v, 0, a, v.u0);
  anchor[2 * a] = anew ? v.u0[3 * a] : contact.anchor_x;
  anchor[2 * a + 1] = anew ? v.u0[3 * a + 1] : contact.anchor_y;
}

static bool set_anchors(const Midpoint *m, bool anew, Stream stream, Error *error) {
  anchors_kernel<<<blocks_for(m->node_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(view_of(m), anew,
                                                                                       (real *)m->anchor);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// `by` [3] is where all of u0 is to be taken from in the next kernel
static __global__ void move_origin_kernel(const real *__restrict__ u0, const real *__restrict__ start,
                                          double *__restrict__ origin, double *__restrict__ by) {
  const int i = threadIdx.x;
  by[i] = u0[i] + (u0[i] - start[i]);
  origin[i] += by[i];
}

static __global__ void recentre_kernel(int n, const double *__restrict__ by, real *__restrict__ u0,
                                       real *__restrict__ u_before, real *__restrict__ anchor) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const real moved = (real)by[i % 3];
  u0[i] -= moved;
  u_before[i] -= moved;
  if (i % 3 < 2) anchor[2 * (i / 3) + i % 3] -= moved;
}

static bool recentre(const Midpoint *m, const void *u_start, void *u_before, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  double *by = (double *)m->scratch;
  move_origin_kernel<<<1, 3, 0, s>>>((const real *)m->u0, (const real *)u_start, m->origin, by);
  CUDA_TRY(cudaGetLastError());
  recentre_kernel<<<blocks_for(m->n), BLOCK, 0, s>>>(m->n, by, (real *)m->u0, (real *)u_before, (real *)m->anchor);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// p0 and u0 are View's own, written here, each by the one thread that reads it: the floor asks for u1 alone
static __global__ void finish_kernel(View v, Coefficients c, real *u0, real *p0) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= v.n) return;
  const real u = v.u1[i], moved = u - u0[i], external = c.keep == 0 ? (real)0 : external_impulse(v, c, i, v.u1);
  const real kept = c.keep == 0 ? (real)0 : c.keep * (v.F[i] - external);
  p0[i] = v.fixed[i] ? (real)0 : v.mass[i / 3] * c.carry * moved - kept;
  u0[i] = u;
}

static bool finish(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error) {
  finish_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(view_of(m), coefficients_of(step),
                                                                             (real *)m->u0, (real *)m->p0);
  CUDA_TRY(cudaGetLastError());
  return !m->floor.there || set_anchors(m, false, stream, error);
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
      const double moved = v.u0[3 * a + i] + v.origin[i];
      x[i] = v.X[3 * a + i] + moved;
      q[i] = v.p0[3 * a + i];
      sum[2 + i] += q[i];
      const double s = v.spring[a], away = s > 0 ? moved - v.pull[3 * a + i] / s : 0;
      sum[8] += 0.5 * s * away * away - v.load[3 * a + i] * moved;
    }
    if (v.floor) sum[8] += contact_of(v, 0, a, v.u0).energy;
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
  if (i < v.n) out[3 * user_node[i / 3] + i % 3] = (float)((double)(v.X[i] + v.u0[i]) + v.origin[i % 3]);
}

static bool positions(const Midpoint *m, float *out, Stream stream, Error *error) {
  positions_kernel<<<blocks_for(m->n), BLOCK, 0, (cudaStream_t)stream.handle>>>(view_of(m), m->user_node, out);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const MidpointOperations REAL_NAME(midpoint_cuda);
const MidpointOperations REAL_NAME(midpoint_cuda) = {
  DEVICE_CUDA,    REAL_PRECISION, scratch_bytes, element_supplementals, try_step, residual, extrapolate,
  diagonal_shift, set_anchors,    recentre,      finish,                set_springs, energy, positions,
};
}
