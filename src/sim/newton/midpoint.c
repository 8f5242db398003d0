// The midpoint rule's arithmetic on the CPU: see midpoint.h. Sums go over chunks of fixed size, in double, and the
// chunks' sums in order: the same bits whatever the number of threads.
#include "sim/newton/midpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/real.h"
#include "sim/element/neo_hookean_tet.h"

enum { CHUNK = 2048, SUMS = ENERGY_SUMS };

// What a loop over the body works on; each takes what it needs.
typedef struct Task {
  const Midpoint *m;
  const MidpointStep *step;
  double factor;                        // of try_step
  const real *u;                        // of smallest_J
  const ElementParameters *parameters;  // of elastic energy
  float *positions;
  const void *u_before, *p_before;  // of extrapolate
  bool anew;                        // of set_anchors
  void *u_moved;                    // of recentre, with u0
  real by[3];
} Task;

static int chunks(int count) {
  return (count + CHUNK - 1) / CHUNK;
}

static size_t scratch_bytes(const Midpoint *m) {
  const int longest = m->n > m->tet_count ? m->n : m->tet_count;
  return sizeof(double) * SUMS * (size_t)chunks(longest);
}

// sums of `count` chunks in order
static void add_up(const double (*partial)[SUMS], int count, double total[SUMS]) {
  memset(total, 0, sizeof(double) * SUMS);
  for (int c = 0; c < count; c++)
    for (int k = 0; k < SUMS; k++) total[k] += partial[c][k];
}

static void try_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const double factor = ((const Task *)task)->factor;
  const real *u0 = m->u0, *u1 = m->u1, *du = m->du, s = (real)factor;
  const real theta = (real)((const Task *)task)->step->theta;
  const real *X = m->nodal == m->middle ? NULL : m->X;
  real *trial = m->trial, *middle = m->middle, *nodal = m->nodal;
  for (int i = first; i < last; i++) {
    trial[i] = factor == 0 ? u1[i] : u1[i] + s * du[i];
    middle[i] = u0[i] + theta * (trial[i] - u0[i]);
    if (X) nodal[i] = X[i] + middle[i];
  }
}

static bool try_step(const Midpoint *m, const MidpointStep *step, double factor, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(m->n, CHUNK, try_chunk, &(Task){ .m = m, .step = step, .factor = factor });
  return true;
}

// nodal displacements of one tet
static void gather(const Midpoint *m, const real *u, int e, real nodal[ELEMENT_NODES * ELEMENT_NODE_DOF]) {
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = u[3 * m->tet[4 * e + a] + i];
}

static double smaller_J(double low, double J) {
  return J >= low ? low : J == J ? J : -INFINITY;
}

static void smallest_J_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const real *S = m->supplemental, *u = ((const Task *)task)->u;
  double low = INFINITY, (*partial)[SUMS] = m->scratch;
  for (int e = first; e < last; e++) {
    real nodal[ELEMENT_NODES * ELEMENT_NODE_DOF];
    gather(m, u, e, nodal);
    low = smaller_J(low, element_J(nodal, S + (size_t)e * ELEMENT_SUPPLEMENTAL));
  }
  partial[first / CHUNK][0] = low;
}

static double smallest_J(const Midpoint *m, const real *u) {
  double(*partial)[SUMS] = m->scratch, low = INFINITY;
  parallel_for(m->tet_count, CHUNK, smallest_J_chunk, &(Task){ .m = m, .u = u });
  for (int c = 0; c < chunks(m->tet_count); c++) low = smaller_J(low, partial[c][0]);
  return low;
}

// the floor's force and stiffness at node a; u [n] are displacements at the end of the step
static FloorContact contact_of(const Midpoint *m, const MidpointStep *step, int a, const real *u) {
  const real *X = m->X, *contact = m->contact, *anchor = m->anchor;
  real ahead[3];
  floor_ahead((const real *)m->p0 + 3 * a, (const real *)m->load + 3 * a, ((const real *)m->mass)[a],
              (real)step->foresight, ahead);
  return floor_contact(X + 3 * a, u + 3 * a, ahead, anchor + 2 * a, (real)(m->floor.height - m->origin[2]),
                       (real)m->floor.modulus * contact[a], (real)m->floor.friction);
}

// the impulse of external forces on unknown i, where the step ends with displacements u1
static real external_impulse(const Midpoint *m, const MidpointStep *step, int i, const real *u1) {
  const real *load = m->load, *pull = m->pull, *spring = m->spring, *damper = m->damper, *middle = m->middle;
  const real *u0 = m->u0, v = (real)(1 / step->dt) * (u1[i] - u0[i]);
  const real u = (real)(middle[i] + m->origin[i % 3]);
  real force = load[i] + (pull[i] - spring[i / 3] * u) - damper[i / 3] * v;
  if (m->floor.there) force += contact_of(m, step, i / 3, u1).force[i % 3];
  return (real)step->impulse * force;
}

static void extrapolate_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const real *ub = ((const Task *)task)->u_before, *pb = ((const Task *)task)->p_before;
  real *u0 = m->u0, *p0 = m->p0;
  for (int i = first; i < last; i++) {
    if (m->fixed[i]) continue;
    u0[i] += (u0[i] - ub[i]) / 3;
    p0[i] += (p0[i] - pb[i]) / 3;
  }
}

static bool extrapolate(const Midpoint *m, const void *u_before, const void *p_before, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for_light(m->n, CHUNK, extrapolate_chunk, &(Task){ .m = m, .u_before = u_before, .p_before = p_before });
  return true;
}

static void residual_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const MidpointStep *step = ((const Task *)task)->step;
  const real *u0 = m->u0, *trial = m->trial, *p0 = m->p0, *F = m->F, *mass = m->mass;
  const real *diagonal = m->diagonal, inertia = (real)step->inertia;
  const real *X = m->nodal == m->middle ? NULL : m->X;  // positions are the element's nodal data
  real *r = m->residual;
  double sum[SUMS] = { 0 }, (*partial)[SUMS] = m->scratch;
  for (int i = first; i < last; i++) {
    if (m->fixed[i]) {
      r[i] = 0;
      continue;
    }
    const real moved = trial[i] - u0[i], external = external_impulse(m, step, i, trial);
    const real value = p0[i] - mass[i / 3] * inertia * moved - (F[i] - external);
    const double rounding = (double)diagonal[i] * (X ? X[i] + trial[i] : trial[i]);
    r[i] = value;
    sum[0] += (double)value * value;
    sum[1] += (double)p0[i] * p0[i];
    sum[2] += (double)F[i] * F[i];
    sum[3] += (double)external * external;
    sum[4] += rounding * rounding;
  }
  memcpy(partial[first / CHUNK], sum, sizeof sum);
}

static bool residual(const Midpoint *m, const MidpointStep *step, const void *min_J_, int min_J_count, bool check_trial,
                     Stream stream, Error *error) {
  (void)stream, (void)error;
  const real *min_J = min_J_;
  double total[SUMS];
  parallel_for(m->n, CHUNK, residual_chunk, &(Task){ .m = m, .step = step });
  add_up(m->scratch, chunks(m->n), total);
  double J = check_trial ? smallest_J(m, m->trial) : INFINITY;
  for (int k = 0; k < min_J_count; k++) J = smaller_J(J, min_J[k]);
  *m->sums_host = (ResidualSums){ total[0], total[1], total[2], total[3], total[4], J };
  return true;
}

static void shift_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const MidpointStep *step = ((const Task *)task)->step;
  const real *spring = m->spring, *damper = m->damper, *mass = m->mass, inertia = (real)step->inertia;
  const real on_spring = (real)(step->impulse * step->theta), on_damper = (real)(step->impulse / step->dt);
  const real impulse = (real)step->impulse;
  real *shift = m->shift, *cross = shift + m->n;
  for (int a = first; a < last; a++) {
    for (int i = 0; i < 3; i++) shift[3 * a + i] = mass[a] * inertia + on_spring * spring[a] + on_damper * damper[a];
    if (!m->floor.there) continue;
    const FloorContact contact = contact_of(m, step, a, m->u1);
    for (int i = 0; i < 3; i++) shift[3 * a + i] += impulse * contact.tangent[i];
    cross[a] = impulse * contact.tangent_xy;
  }
}

static bool diagonal_shift(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(m->node_count, CHUNK, shift_chunk, &(Task){ .m = m, .step = step });
  return true;
}

static void anchors_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const MidpointStep now = { 0 };
  const real *u0 = m->u0;
  real *anchor = m->anchor;
  for (int a = first; a < last; a++) {
    const FloorContact contact = contact_of(m, &now, a, u0);
    anchor[2 * a] = ((const Task *)task)->anew ? u0[3 * a] : contact.anchor_x;
    anchor[2 * a + 1] = ((const Task *)task)->anew ? u0[3 * a + 1] : contact.anchor_y;
  }
}

static bool set_anchors(const Midpoint *m, bool anew, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for_light(m->node_count, CHUNK, anchors_chunk, &(Task){ .m = m, .anew = anew });
  return true;
}

static void recentre_chunk(const void *task, int first, int last) {
  const Task *t = task;
  real *u0 = t->m->u0, *u_before = t->u_moved, *anchor = t->m->anchor;
  for (int a = first; a < last; a++)
    for (int i = 0; i < 3; i++) {
      u0[3 * a + i] -= t->by[i];
      u_before[3 * a + i] -= t->by[i];
      if (i < 2) anchor[2 * a + i] -= t->by[i];
    }
}

static bool recentre(const Midpoint *m, const void *u_start, void *u_before, Stream stream, Error *error) {
  (void)stream, (void)error;
  const real *u0 = m->u0, *start = u_start;
  Task task = { .m = m, .u_moved = u_before };
  for (int i = 0; i < 3; i++) {
    task.by[i] = u0[i] + (u0[i] - start[i]);
    m->origin[i] += task.by[i];
  }
  parallel_for_light(m->node_count, CHUNK, recentre_chunk, &task);
  return true;
}

static void finish_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const MidpointStep *step = ((const Task *)task)->step;
  const real *u1 = m->u1, *F = m->F, *mass = m->mass, carry = (real)step->carry, keep = (real)step->keep;
  real *u0 = m->u0, *p0 = m->p0;
  for (int i = first; i < last; i++) {
    const real moved = u1[i] - u0[i], external = keep == 0 ? 0 : external_impulse(m, step, i, u1);
    p0[i] = m->fixed[i] ? 0 : mass[i / 3] * carry * moved - (keep == 0 ? 0 : keep * (F[i] - external));
    u0[i] = u1[i];
  }
}

static bool finish(const Midpoint *m, const MidpointStep *step, Stream stream, Error *error) {
  parallel_for(m->n, CHUNK, finish_chunk, &(Task){ .m = m, .step = step });
  return !m->floor.there || set_anchors(m, false, stream, error);
}

static bool set_springs(const Midpoint *m, const int *nodes, const double *values, int count, Stream stream,
                        Error *error) {
  (void)stream, (void)error;
  real *spring = m->spring, *damper = m->damper, *pull = m->pull;
  for (int k = 0; k < count; k++) {
    spring[nodes[k]] = (real)values[SPRING_VALUES * k];
    damper[nodes[k]] = (real)values[SPRING_VALUES * k + 1];
    for (int i = 0; i < 3; i++) pull[3 * nodes[k] + i] = (real)values[SPRING_VALUES * k + 2 + i];
  }
  return true;
}

// energies and momenta of nodes
static void nodes_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const real *X = m->X, *u = m->u0, *p = m->p0, *mass = m->mass;
  const real *load = m->load, *pull = m->pull, *spring = m->spring;
  const MidpointStep now = { 0 };
  double sum[SUMS] = { 0 }, (*partial)[SUMS] = m->scratch;
  for (int a = first; a < last; a++) {
    double x[3], q[3];
    for (int i = 0; i < 3; i++) {
      const double moved = u[3 * a + i] + m->origin[i];
      x[i] = X[3 * a + i] + moved;
      q[i] = p[3 * a + i];
      sum[2 + i] += q[i];
      const double s = spring[a], away = s > 0 ? moved - pull[3 * a + i] / s : 0;
      sum[8] += 0.5 * s * away * away - load[3 * a + i] * moved;
    }
    if (m->floor.there) sum[8] += contact_of(m, &now, a, u).energy;
    sum[0] += (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) / (2 * (double)mass[a]);
    for (int i = 0; i < 3; i++) sum[5 + i] += x[(i + 1) % 3] * q[(i + 2) % 3] - x[(i + 2) % 3] * q[(i + 1) % 3];
  }
  memcpy(partial[first / CHUNK], sum, sizeof sum);
}

// elastic energy of tets
static void tets_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const real *u = m->u0, *S = m->supplemental, *stiffness = m->stiffness;
  double sum[SUMS] = { 0 }, (*partial)[SUMS] = m->scratch;
  for (int e = first; e < last; e++) {
    real nodal[ELEMENT_NODES * ELEMENT_NODE_DOF];
    gather(m, u, e, nodal);
    sum[0] += (stiffness ? stiffness[e] : 1) *
              element_energy(nodal, S + (size_t)e * ELEMENT_SUPPLEMENTAL, ((const Task *)task)->parameters);
  }
  memcpy(partial[first / CHUNK], sum, sizeof sum);
}

static bool energy(const Midpoint *m, double mu, double lambda, Stream stream, Error *error) {
  (void)stream, (void)error;
  const ElementParameters parameters = { (real)mu, (real)lambda, 1, 1 };
  double total[SUMS];
  parallel_for(m->node_count, CHUNK, nodes_chunk, &(Task){ .m = m });
  add_up(m->scratch, chunks(m->node_count), total);
  memcpy(m->energy_host, total, sizeof total);
  parallel_for(m->tet_count, CHUNK, tets_chunk, &(Task){ .m = m, .parameters = &parameters });
  add_up(m->scratch, chunks(m->tet_count), total);
  m->energy_host[1] = total[0];
  return true;
}

static void positions_chunk(const void *task, int first, int last) {
  const Midpoint *m = ((const Task *)task)->m;
  const real *X = m->X, *u = m->u0;
  float *out = ((const Task *)task)->positions;
  for (int i = first; i < last; i++)
    out[3 * m->user_node[i / 3] + i % 3] = (float)((double)(X[i] + u[i]) + m->origin[i % 3]);
}

static bool positions(const Midpoint *m, float *out, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(m->n, CHUNK, positions_chunk, &(Task){ .m = m, .positions = out });
  return true;
}

extern const MidpointOperations REAL_NAME(midpoint_cpu);
const MidpointOperations REAL_NAME(midpoint_cpu) = {
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .scratch_bytes = scratch_bytes,
  .supplemental = element_supplementals,
  .try_step = try_step,
  .residual = residual,
  .extrapolate = extrapolate,
  .diagonal_shift = diagonal_shift,
  .set_anchors = set_anchors,
  .recentre = recentre,
  .finish = finish,
  .set_springs = set_springs,
  .energy = energy,
  .positions = positions,
};
