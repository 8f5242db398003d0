// Self-contact within a step on the GPU: the CUDA version of self_contact.c. self_contact.h explains contact pairs,
// friction anchors and recorded steps. Kernels convert between the body's arrays of reals and the arrays of doubles at
// surface nodes in sim/contact.
#include <float.h>

#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/contact/contact_cuda.h"
#include "sim/dynamics/decision.h"
#include "sim/dynamics/potential.h"
#include "sim/dynamics/self_contact.h"

namespace self_contact {

enum { BLOCK = 128, PRODUCT_BLOCK = 256, LANES = 16, ROWS = PRODUCT_BLOCK / LANES };

static int blocks_for(int count) {
  return (count + BLOCK - 1) / BLOCK;
}

static int parts_for(int count) {
  return blocks_for(count) < CONTACT_PARTS ? blocks_for(count) : CONTACT_PARTS;
}

static ContactCuda *contact_of(const Motion *m) {
  return m->forces.self->cuda;
}

// Data from which the positions of obstacles' nodes follow. The indices of these nodes begin at body_nodes.
typedef struct Rigid {
  int body_nodes;
  const double (*at)[3], (*velocity)[3];  // positions at the start of the step, m, and velocities, m/s
  const double *origin;                   // m, origin of the body's displacements
  double elapsed, ahead;                  // s. elapsed: time since the start of the step; ahead: duration of the motion
                                          // that is tested next
  const double *times;                    // [2] on the GPU, in steps recorded in a graph: values that replace
                                          // `elapsed` and `ahead`; else NULL
} Rigid;

static Rigid rigid_of(const Motion *m) {
  const ContactCuda *c = contact_of(m);
  const Contact *host = m->forces.self;
  const Rigid rigid = { c->body_nodes,
                        (const double(*)[3])c->rigid,
                        (const double(*)[3])c->rigid_velocity,
                        m->body.origin,
                        host->elapsed,
                        host->ahead,
                        host->times };
  return rigid;
}

// Computes the positions x of surface nodes at displacements u of the body. If DISPLACEMENTS is true, also computes the
// displacements whose collisions are tested: `to` - u, or du if `to` is NULL.
//
// In recorded steps, `wanted` is not NULL. The kernel then does nothing if *wanted is 0. Else it also computes `trial`,
// the positions after the displacements, rounded to real like Newton's trial state.
template <bool DISPLACEMENTS>
static __global__ void __launch_bounds__(BLOCK)
    positions_kernel(int count, const int *vertex, const real *X, const real *u, const real *to, const real *du,
                     Rigid rigid, double (*x)[3], double (*displacement)[3], double (*trial)[3], const int *wanted) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= 3 * count || (wanted && !*wanted)) return;
  const int a = vertex[k / 3], i = k % 3, at = 3 * a + i;
  if (a >= rigid.body_nodes) {
    const double velocity = rigid.velocity[a - rigid.body_nodes][i], at = rigid.at[a - rigid.body_nodes][i];
    const double elapsed = rigid.times ? rigid.times[0] : rigid.elapsed;
    const double ahead = rigid.times ? rigid.times[1] : rigid.ahead;
    x[a][i] = at + elapsed * velocity - rigid.origin[i];
    if (DISPLACEMENTS) displacement[a][i] = ahead * velocity;
    if (DISPLACEMENTS && wanted) trial[a][i] = at + (elapsed + ahead) * velocity - rigid.origin[i];
    return;
  }
  x[a][i] = (double)X[at] + (double)u[at];
  if (DISPLACEMENTS) displacement[a][i] = to ? (double)to[at] - u[at] : (double)du[at];
  if (DISPLACEMENTS && wanted) trial[a][i] = (double)X[at] + (double)(to ? to[at] : u[at] + du[at]);
}

static bool find_positions(const Motion *m, const void *u, double (*x)[3], Stream stream, Error *error) {
  ContactCuda *c = contact_of(m);
  positions_kernel<false><<<blocks_for(3 * c->vertex_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      c->vertex_count, c->vertex, m->body.X, (const real *)u, NULL, NULL, rigid_of(m), x, NULL, NULL, NULL);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool update_positions(const Motion *m, const void *u, Stream stream, Error *error) {
  return find_positions(m, u, contact_of(m)->x, stream, error);
}

static bool begin(const Motion *m, const TimeStep *step, const void *from, Stream stream, Error *error) {
  Contact *c = m->forces.self;
  const bool extrapolated = from != m->body.u, settled = c->settled;
  c->elapsed = extrapolated ? 0 : step->begins;
  c->settled = false;
  if (isfinite(step->duration)) c->last_duration = step->duration;
  if (!update_positions(m, from, stream, error) || (!settled && !contact_cuda_settle(c->cuda, stream, error)) ||
      !contact_cuda_begin(c->cuda, step->duration, stream, error))
    return false;

  // friction springs measure sliding from c->start, which has the positions at the displacements `from` now
  if (!extrapolated || c->sticks) return true;

  // with BDF2, smoothed friction measures sliding from the extrapolated state, with obstacles at time step->begins
  c->elapsed = step->begins;
  const bool ok = find_positions(m, m->body.u, c->cuda->start, stream, error);
  c->elapsed = 0;
  return ok;
}

static bool begin_pass(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  ContactCuda *c = contact_of(m);
  return update_positions(m, m->iterate.u1, stream, error) && contact_cuda_settle(c, stream, error) &&
         contact_cuda_begin(c, step->duration, stream, error);
}

static bool friction_limit(const Motion *m, double *limit, Stream stream, Error *error) {
  Contact *host = m->forces.self;
  const bool ok = contact_cuda_report_sliding(host->cuda, host, stream, error);
  *limit = ok ? contact_friction_limit(host) : 0;
  return ok;
}

// Copies contact forces and energies of surface vertices to the body's nodes. If `adds` is true, the nodes already have
// forces of obstacles and pressure, to which the values are added. If it is false, the values of the nodes are
// overwritten.
static __global__ void __launch_bounds__(BLOCK)
    add_forces_kernel(int count, const int *vertex, int body_nodes, const double (*from)[3], const double *energy,
                      bool adds, real *force, real *node_energy) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  if (v >= count) return;
  const int a = vertex[v];
  if (a >= body_nodes) return;  // a node of an obstacle
  for (int i = 0; i < 3; i++) force[3 * a + i] = (adds ? force[3 * a + i] : (real)0) + (real)from[v][i];
  node_energy[a] = (adds ? node_energy[a] : (real)0) + (real)energy[v];
}

static bool add_forces(const Motion *m, Stream stream, Error *error) {
  const ContactCuda *c = contact_of(m);
  add_forces_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      c->vertex_count, c->vertex, c->body_nodes, c->force, c->energy, has_separate_loop(&m->forces),
      m->iterate.contact_force, m->iterate.contact_energy);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool evaluate(const Motion *m, const void *u, bool listed, Stream stream, Error *error) {
  ContactCuda *c = contact_of(m);
  const Iterate *it = &m->iterate;
  const bool adds = has_separate_loop(&m->forces);
  m->forces.self->energies.cells_known = false;
  if (!listed && (!update_positions(m, u, stream, error) || !contact_cuda_settle(c, stream, error))) return false;
  if (contact_cuda_idle(c)) {
    const ContactSums none = {};

    // the host may write *on_host, because it has already waited for the GPU's last copy to on_host
    *c->on_host = none;
    return adds || (device_zero(stream, it->contact_force, sizeof(real) * (size_t)m->body.n, error) &&
                    device_zero(stream, it->contact_energy, sizeof(real) * (size_t)m->body.node_count, error));
  }
  return (!listed || update_positions(m, u, stream, error)) && contact_cuda_forces(c, stream, error) &&
         add_forces(m, stream, error);
}

static bool stick(const Motion *m, Stream stream, Error *error) {
  Contact *host = m->forces.self;
  host->settled = host->cuda->found;
  return (!contact_stores_anchors(host) || update_positions(m, m->iterate.u1, stream, error)) &&
         contact_cuda_stick(host->cuda, &host->anchors, stream, error);
}

static __global__ void __launch_bounds__(BLOCK)
    add_diagonal_kernel(int count, const int *vertex, int body_nodes, const double (*blocks)[6], real *diagonal,
                        real *cross) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  if (v >= count) return;
  const int a = vertex[v];
  if (a >= body_nodes) return;
  for (int i = 0; i < 3; i++) {
    diagonal[3 * a + i] += (real)blocks[v][i];
    cross[3 * a + i] += (real)blocks[v][3 + i];
  }
}

static bool add_diagonal(const Motion *m, Stream stream, Error *error) {
  const ContactCuda *c = contact_of(m);
  add_diagonal_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      c->vertex_count, c->vertex, c->body_nodes, c->diagonal_blocks, m->iterate.shift, m->iterate.shift + m->body.n);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool shift(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  ContactCuda *c = contact_of(m);
  const bool idle = contact_cuda_idle(c);
  if ((!idle && !update_positions(m, m->iterate.u1, stream, error)) ||
      !contact_cuda_tangent(c, step->impulse, step->slip_fraction, stream, error))
    return false;
  return idle || add_diagonal(m, stream, error);
}

// Returns a bound on the relative rounding error of displacements of type real.
static double rounding(void) {
  return 4 * (sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON);
}

// Copies the energy of contact pairs in the last evaluated state to the members `energies` and `before` of Contact.
static void note_energies(const Motion *m) {
  const ContactSums *on_host = contact_of(m)->on_host;
  ContactEnergies *now = &m->forces.self->energies;
  now->pairs = on_host->energy + on_host->friction_energy;
  now->touches = on_host->count > 0;
  m->forces.self->before = *now;
}

static bool bound(const Motion *m, const void *from, const void *to, double *fraction, Stream stream, Error *error) {
  ContactCuda *c = contact_of(m);
  note_energies(m);
  positions_kernel<true><<<blocks_for(3 * c->vertex_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      c->vertex_count, c->vertex, m->body.X, (const real *)from, (const real *)to, m->iterate.du, rigid_of(m), c->x,
      c->displacement, NULL, NULL);
  CUDA_TRY(cudaGetLastError());
  return contact_cuda_bound(c, rounding(), fraction, stream, error);
}

// Computes the change of the step's potential (potential.h) if the displacements at the step's end change from v to u.
// Cells and contact pairs are not included. Stores one partial sum per thread block.
static __global__ void __launch_bounds__(BLOCK)
    higher_kernel(const __grid_constant__ Motion m, TimeStep step, const real *u, const real *v, double *part) {
  double sum = 0;
  for (int a = blockIdx.x * BLOCK + threadIdx.x; a < m.body.node_count; a += gridDim.x * BLOCK)
    sum += higher_at(&m, &step, a, u, v);
  sum = block_combine<BLOCK, double, add>(sum);
  if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

// Three lists of partial sums. part[0]: of the potential's change, kg m^2/s. part[1]: of the elastic energy at the
// trial, J. part[2]: of the elastic energy at u1, J. count: lengths of the lists.
typedef struct EnergyLists {
  const double *part[3];
  int count[3];
} EnergyLists;

// Thread block k sums list k in a fixed order into sums[k].
static __global__ void __launch_bounds__(BLOCK) energies_kernel(const EnergyLists lists, double *sums) {
  const double *from = lists.part[blockIdx.x];
  double sum = 0;
  for (int k = threadIdx.x; k < lists.count[blockIdx.x]; k += BLOCK) sum += from[k];
  sum = block_combine<BLOCK, double, add>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

static bool touched(const Motion *m) {
  return contact_of(m)->on_host->count > 0 || m->forces.self->before.touches;
}

// Computes Iterate.between: displacements at which forces are evaluated (acts_at) if the step ends at u1.
static __global__ void __launch_bounds__(BLOCK) between_kernel(const __grid_constant__ Motion m, TimeStep step) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < m.body.n) m.iterate.between[i] = acts_at(&m, &step, i, m.iterate.u1[i]);
}

// Queues the computation of the elastic energy at displacements u, as *count partial sums in `part`. If of->cells_known
// is true, queues nothing, and *count is 0.
static bool elastic(const Motion *m, const double *material, const real *u, const ContactEnergies *of, double *part,
                    int *count, Stream stream, Error *error) {
  *count = of->cells_known ? 0 : m->element->parts(m->cells.count);
  return of->cells_known || m->element->energy(&m->cells, u, material, part, stream, error);
}

// Queues three sums: the change of the step's potential without cells and contact pairs, and the elastic energies at
// the trial and at u1. The elastic energy at the trial is already known if there->cells_known is true, and at u1 if
// here->cells_known is true. A known energy is not computed again.
static bool queue_energies(const Motion *m, const TimeStep *step, const double *material, const ContactEnergies *there,
                           const ContactEnergies *here, Stream stream, Error *error) {
  const ContactCuda *c = contact_of(m);
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const real *u = m->iterate.trial, *v = m->iterate.u1;
  const int nodes = parts_for(m->body.node_count);
  double *of_u = c->partial + CONTACT_PARTS, *of_v = of_u + ELEMENT_PARTS_MAX;
  EnergyLists lists = { { c->partial, of_u, of_v }, { nodes, 0, 0 } };
  static_assert((int)ELEMENT_PARTS_MAX <= (int)CONTACT_PARTS,
                "the array c->partial is too short for the sums of all parts");
  higher_kernel<<<nodes, BLOCK, 0, s>>>(*m, *step, u, v, c->partial);
  const real *u_acts = u, *v_acts = v;
  if (step->theta < 1) {
    between_kernel<<<blocks_for(m->body.n), BLOCK, 0, s>>>(*m, *step);
    u_acts = m->iterate.u_theta;
    v_acts = m->iterate.between;
  }

  CUDA_TRY(cudaGetLastError());
  if (!elastic(m, material, u_acts, there, of_u, &lists.count[1], stream, error) ||
      !elastic(m, material, v_acts, here, of_v, &lists.count[2], stream, error))
    return false;
  energies_kernel<<<3, BLOCK, 0, s>>>(lists, c->energies);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool higher(const Motion *m, const TimeStep *step, const double *material, double *higher, Stream stream,
                   Error *error) {
  ContactCuda *c = contact_of(m);
  ContactEnergies *there = &m->forces.self->energies, *here = &m->forces.self->before;
  if (!queue_energies(m, step, material, there, here, stream, error) ||
      !device_download(stream, c->energies_host, c->energies, 3 * sizeof *c->energies, error) ||
      !stream_sync(stream, error))
    return false;
  const double *sum = c->energies_host;
  there->pairs = c->on_host->energy + c->on_host->friction_energy;
  if (!there->cells_known) there->cells = sum[1];
  if (!here->cells_known) here->cells = sum[2];
  there->cells_known = here->cells_known = true;
  *higher = newton_higher(sum[0], step->impulse, step->theta, there->cells, here->cells, there->pairs, here->pairs);
  return true;
}

static __device__ __forceinline__ void add_led(const PairTangent *tangent, const double (*led)[3], int entry,
                                               double sum[3]) {
  const PairTangent *t = &tangent[entry / 4];
  double change[3];
  multiply6(t->B, led[entry / 4], change);
  for (int i = 0; i < 3; i++) sum[i] += t->weight[entry % 4] * change[i];
}

// Adds to the residual the change of contact forces that the obstacles' motion in the time `ahead`, s, causes.
// One thread computes one surface node (vertex). It adds the contributions of this node's contact pairs in a fixed
// order: touching pairs, then sliding pairs.
static __global__ void __launch_bounds__(BLOCK)
    push_ahead_kernel(ContactCuda c, double ahead, const double *times, const uint8_t *held, real *residual) {
  const int v = blockIdx.x * BLOCK + threadIdx.x, a = v < c.vertex_count ? c.vertex[v] : c.body_nodes;
  if (a >= c.body_nodes) return;
  if (times) ahead = times[1];
  double sum[3] = { 0, 0, 0 };
  for (int k = c.list.start[v]; k < c.list.start[v + 1]; k++)
    if (c.in_tangent[k]) add_led(c.tangent, (const double(*)[3])c.led, c.list.entry[k], sum);
  for (int k = 0; k < c.tangent_slides[v]; k++)
    add_led(c.sliding_tangent, (const double(*)[3])c.sliding_led, c.sliding_rows.entry[c.sliding_rows.start[v] + k],
            sum);
  for (int i = 0; i < 3; i++)
    if (!held[3 * a + i]) residual[3 * a + i] -= (real)(ahead * sum[i]);
}

static bool recorded_push_ahead(const Motion *m, Stream stream, Error *error) {
  const ContactCuda *c = contact_of(m);
  push_ahead_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      *c, m->forces.self->ahead, m->forces.self->times, m->body.held, m->iterate.residual);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool push_ahead(const Motion *m, Stream stream, Error *error) {
  return contact_of(m)->empty || recorded_push_ahead(m, stream, error);
}

static bool slides(const Motion *m, bool *slides, Stream stream, Error *error) {
  const ContactCuda *c = contact_of(m);
  *slides = false;
  if (c->sliding_count == 0) return true;
  if (!stream_sync(stream, error)) return false;
  *slides = *c->slide_host > 0;
  return true;
}

static bool touches(const Motion *m) {
  return contact_cuda_touches(contact_of(m));
}

// Computes y += T x, with T the off-diagonal 3x3 blocks of the contact tangent. LANES threads of a warp process one
// row. Each thread block adds the part of x.(T x) from its rows, which conjugate gradients need, to dots[blockIdx.x].
// An entry of a row stores its node indices, weights and stiffness. If the entry stored only an index of these data, a
// thread would need two loads, one after the other.
static __global__ void __launch_bounds__(PRODUCT_BLOCK)
    product_kernel(const TermRows *__restrict__ rows, const real *__restrict__ x, real *__restrict__ y, double *dots) {
  const int busy = rows->count, lane = threadIdx.x % LANES;
  if (blockIdx.x * ROWS >= busy) return;
  double dot = 0;
  for (int first = blockIdx.x * ROWS; first < busy; first += gridDim.x * ROWS) {
    const int at = first + threadIdx.x / LANES;
    const TermRow row = at < busy ? rows->row[at] : TermRow{ 0, { 0, 0 }, { 0, 0 } };
    double sum[3] = { 0, 0, 0 };
#pragma unroll
    for (int list = 0; list < 2; list++)
      for (int k = lane; k < row.count[list]; k += LANES) {
        const TermEntry t = rows->entry[list][row.start[list] + k];
        double s[3] = { 0, 0, 0 };
#pragma unroll
        for (int j = 0; j < 3; j++)
#pragma unroll
          for (int i = 0; i < 3; i++) s[i] += t.weight[j] * x[3 * t.node[j] + i];
        sum[0] += t.B[0] * s[0] + t.B[3] * s[1] + t.B[4] * s[2];
        sum[1] += t.B[3] * s[0] + t.B[1] * s[1] + t.B[5] * s[2];
        sum[2] += t.B[4] * s[0] + t.B[5] * s[1] + t.B[2] * s[2];
      }
#pragma unroll
    for (int i = 0; i < 3; i++)
      for (int step = LANES / 2; step > 0; step /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], step);
    if (lane != 0 || at >= busy) continue;
    for (int i = 0; i < 3; i++) {
      y[3 * row.node + i] += (real)sum[i];
      dot += sum[i] * x[3 * row.node + i];
    }
  }

  dot = block_combine<PRODUCT_BLOCK, double, add>(dot);
  if (threadIdx.x == 0 && dots) dots[blockIdx.x] += dot;
}

static bool apply(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                  Error *error) {
  const ContactCuda *c = ((const Contact *)term->context)->cuda;
  const int all = (c->vertex_count + ROWS - 1) / ROWS, blocks = all < dot_count ? all : dot_count;
  product_kernel<<<blocks, PRODUCT_BLOCK, 0, (cudaStream_t)stream.handle>>>(c->rows, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool recorded_is_usable(const Motion *m, bool *touches) {
  const Contact *c = m->forces.self;
  *touches = c->cuda->on_host->count > 0;
  return c->settled;
}

static void recorded_key(const Motion *m, double *key) {
  const Contact *host = m->forces.self;
  const ContactCuda *c = host->cuda;
  const double all[SELF_CONTACT_KEYS] = {
    (double)c->pair_capacity,  (double)c->candidate_capacity, (double)c->active_nodes, host->nearby.reach,
    host->nearby.slack,        (double)c->sliding_capacity,   host->modulus,           c->still,
    host->moved > 0 ? 1.0 : 0, (double)c->active_planes
  };
  for (int k = 0; k < SELF_CONTACT_KEYS; k++) key[k] = all[k];
}

// Sets `cross` to 0: the off-diagonal entries of the nodes' 3x3 blocks in Iterate.shift. If `adds` is false, also sets
// the nodes' contact forces, `force`, and contact energies, `energy`, to 0. If `adds` is true, these two arrays already
// contain the values of obstacles and pressure, and do not change.
static __global__ void __launch_bounds__(BLOCK)
    clear_kernel(int nodes, bool adds, real *force, real *energy, real *cross) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= 3 * nodes) return;
  cross[i] = 0;
  if (adds) return;
  force[i] = 0;
  if (i < nodes) energy[i] = 0;
}

static bool recorded_begin(const Motion *m, int **free, Stream stream, Error *error) {
  ContactCuda *c = contact_of(m);
  const Iterate *it = &m->iterate;
  const int nodes = m->body.node_count;
  clear_kernel<<<blocks_for(3 * nodes), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      nodes, has_separate_loop(&m->forces), it->contact_force, it->contact_energy, it->shift + m->body.n);
  CUDA_TRY(cudaGetLastError());
  return update_positions(m, m->body.u, stream, error) && contact_cuda_queue_begin(c, free, stream, error);
}

static ContactQuery query_of(const SelfContactQuery *of) {
  const ContactQuery query = { rounding(), of->wanted, of->fraction, of->touches };
  return query;
}

static bool recorded_bound(const Motion *m, const SelfContactQuery *of, uint64_t search, Stream stream, Error *error) {
  const Iterate *it = &m->iterate;
  const ContactQuery query = query_of(of);
  ContactCuda *c = contact_of(m);
  const real *from = of->guessed || of->stands ? m->body.u : it->trial;
  const real *to = of->stands ? m->body.u : of->guessed ? it->trial : NULL;
  positions_kernel<true><<<blocks_for(3 * c->vertex_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      c->vertex_count, c->vertex, m->body.X, from, to, it->du, rigid_of(m), c->x, c->displacement, c->trial,
      of->wanted);
  CUDA_TRY(cudaGetLastError());
  return contact_cuda_queue_bound(c, &query, search, stream, error);
}

static bool recorded_search(const Motion *m, const SelfContactQuery *of, uint64_t again, Stream stream, Error *error) {
  const ContactQuery query = query_of(of);
  return contact_cuda_queue_search(contact_of(m), &query, again, stream, error);
}

static bool recorded_received(const Motion *m, Error *error) {
  Contact *c = m->forces.self;
  const ContactEnergies none = {};
  c->settled = false;
  c->energies = c->before = none;
  return contact_cuda_received(c->cuda, true, error);
}

static bool recorded_prepare(const Motion *m, Stream stream, Error *error) {
  return contact_cuda_prepare(contact_of(m), stream, error);
}

static bool recorded_evaluate(const Motion *m, const void *u, const int *sliding, Stream stream, Error *error) {
  return update_positions(m, u, stream, error) && contact_cuda_queue_forces(contact_of(m), sliding, stream, error) &&
         add_forces(m, stream, error);
}

static bool recorded_shift(const Motion *m, const TimeStep *step, const int *sliding, const double *slip_fraction,
                           Stream stream, Error *error) {
  return update_positions(m, m->iterate.trial, stream, error) &&
         contact_cuda_queue_tangent(contact_of(m), sliding, step->impulse, slip_fraction, stream, error) &&
         add_diagonal(m, stream, error);
}

static bool recorded_energies(const Motion *m, const TimeStep *step, const double *material, const double **energies,
                              Stream stream, Error *error) {
  const ContactEnergies unknown = {};
  *energies = contact_of(m)->energies;
  return queue_energies(m, step, material, &unknown, &unknown, stream, error);
}

static __global__ void decide_kernel(NewtonProgress *progress, const int *slides, bool goes) {
  newton_decide_motion(progress, newton_slides(progress, slides), goes);
}

static bool recorded_decision(const StepDecision *decision, bool goes, Stream stream, Error *error) {
  decide_kernel<<<1, 1, 0, (cudaStream_t)stream.handle>>>(decision->progress, decision->slides, goes);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Moves obstacles by the collision-free fraction of their motion. Does nothing if the GPU could not test this motion
// for collisions (progress->solves is 0).
static __global__ void led_kernel(NewtonProgress *progress) {
  if (progress->solves) newton_move_on(progress, progress->fraction);
}

static bool recorded_led(NewtonProgress *progress, Stream stream, Error *error) {
  led_kernel<<<1, 1, 0, (cudaStream_t)stream.handle>>>(progress);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static void recorded_connect(const Motion *m, StepDecision *decision) {
  const ContactCuda *c = contact_of(m);
  decision->sums = contact_cuda_sums(c);
  decision->slides = c->slide_count;
}

static bool recorded_ask(const Motion *m, NewtonProgress *progress) {
  ContactCuda *c = contact_of(m);
  progress->here = *c->on_host;
  progress->sliding = c->sliding_count;
  c->empty = false;
  return c->found;
}

static bool recorded_answer(const Motion *m, const NewtonProgress *n, Error *error) {
  Contact *c = m->forces.self;
  // note_energies reads on_host, first with the contact sums of u1. If the host continues with a line search, on_host
  // must then have the sums of the last trial.
  *c->cuda->on_host = n->here;
  note_energies(m);
  if (n->next == NEXT_LINE_SEARCH) *c->cuda->on_host = n->there;
  c->energies.cells_known = c->before.cells_known = false;
  return contact_cuda_received(c->cuda, false, error);
}

static const SelfContactRecorded recorded = {
  .is_usable = recorded_is_usable,
  .key = recorded_key,
  .begin = recorded_begin,
  .bound = recorded_bound,
  .search = recorded_search,
  .received = recorded_received,
  .prepare = recorded_prepare,
  .evaluate = recorded_evaluate,
  .shift = recorded_shift,
  .energies = recorded_energies,
  .displacement = recorded_decision,
  .led = recorded_led,
  .push_ahead = recorded_push_ahead,
  .connect = recorded_connect,
  .ask = recorded_ask,
  .answer = recorded_answer,
};

extern "C" {
extern const SelfContactFunctions REAL_NAME(self_contact_cuda);
const SelfContactFunctions REAL_NAME(self_contact_cuda) = {
  .begin = begin,
  .begin_pass = begin_pass,
  .friction_limit = friction_limit,
  .evaluate = evaluate,
  .stick = stick,
  .shift = shift,
  .bound = bound,
  .touched = touched,
  .higher = higher,
  .push_ahead = push_ahead,
  .slides = slides,
  .touches = touches,
  .apply = apply,
  .recorded = &recorded,
};
}

}  // namespace self_contact
