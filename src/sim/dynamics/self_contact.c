// Self-contact within a step on the CPU: self_contact.h explains contact pairs, friction anchors and the list of pairs.
// A pair has four nodes; their weights w define the nearest points of the pair (contact.h). A coupling is a pair's
// contribution to the tangent: the 3x3 block of its nodes j and k is w_j w_k B, with the stiffness B of the pair.
#include "sim/dynamics/self_contact.h"

#include <float.h>
#include <math.h>

#include "base/parallel.h"
#include "sim/contact/candidate.h"
#include "sim/dynamics/potential.h"

// Sizes of one task of a parallel loop: ROWS couplings or rows of the tangent, NODES unknowns.
enum { ROWS = 512, NODES = 2048 };

// Writes to `to` the positions of surface nodes if the body has the displacements u, and returns `to`. The positions
// are relative to the origin of displacements, since contact depends only on relative positions.
static const double (*positions(const Motion *m, const real *u, double (*to)[3]))[3] {
  const Skin *skin = &m->forces.self->skin;
  for (int k = 0; k < skin->vertex_count; k++) {
    const int a = skin->vertex[k];
    if (a >= m->body.node_count) break;  // nodes from here on belong to obstacles
    for (int i = 0; i < 3; i++) to[a][i] = (double)m->body.X[3 * a + i] + (double)u[3 * a + i];
  }
  contact_place_rigid(m->forces.self, m->body.origin, to);
  return (const double(*)[3])to;
}

static bool begin(const Motion *m, const TimeStep *step, const void *from, Stream stream, Error *error) {
  (void)stream;
  Contact *c = m->forces.self;
  const bool extrapolated = from != m->body.u, settled = c->settled;
  c->elapsed = extrapolated ? 0 : step->begins;
  c->settled = false;
  if (isfinite(step->duration)) c->last_duration = step->duration;
  if (!settled || contact_rubs(c)) positions(m, from, c->x);
  if ((!settled && !contact_settle(c, (const double(*)[3])c->x, error)) ||
      !contact_begin(c, (const double(*)[3])c->x, step->duration, error))
    return false;

  // friction springs measure sliding from c->start, which has the positions at the displacements `from` now
  if (!extrapolated || c->sticks) return true;

  // with BDF2, smoothed friction measures sliding from the extrapolated state, with obstacles at time step->begins
  c->elapsed = step->begins;
  positions(m, m->body.u, c->start);
  c->elapsed = 0;
  return true;
}

static bool begin_pass(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream;
  Contact *c = m->forces.self;
  const double(*x)[3] = positions(m, m->iterate.u1, c->x);
  return contact_settle(c, x, error) && contact_begin(c, x, step->duration, error);
}

static bool friction_limit(const Motion *m, double *limit, Stream stream, Error *error) {
  (void)stream, (void)error;
  *limit = contact_friction_limit(m->forces.self);
  return true;
}

static bool evaluate(const Motion *m, const void *u, bool listed, Stream stream, Error *error) {
  (void)stream;
  Contact *c = m->forces.self;
  if (!listed && !contact_settle(c, positions(m, u, c->x), error)) return false;
  c->now.count = 0;
  c->now.energy = c->friction_energy = 0;
  if (!contact_idle(c) && !contact_forces(c, listed ? positions(m, u, c->x) : (const double(*)[3])c->x, error))
    return false;
  c->energies = (ContactEnergies){ c->now.energy + c->friction_energy, 0, c->now.count > 0, false };
  if (contact_idle(c)) return true;
  for (int k = 0; k < c->skin.vertex_count; k++) {
    const int a = c->skin.vertex[k];
    if (a >= m->body.node_count) break;  // nodes from here on belong to obstacles
    for (int i = 0; i < 3; i++) m->iterate.contact_force[3 * a + i] += (real)c->force[a][i];
  }

  for (int64_t k = 0; k < c->now.count; k++)
    m->iterate.contact_energy[c->now.touch[k].node[pair_owner(c->now.touch[k].node, m->body.node_count)]] +=
        (real)c->now.touch[k].energy;
  for (int64_t k = 0; k < c->sliding_count && c->sticks; k++) {
    const Sliding *s = &c->sliding[k];
    double e[3];
    const double path = sliding_path(s, (const double(*)[3])c->start, (const double(*)[3])c->x, e);
    m->iterate.contact_energy[s->node[pair_owner(s->node, m->body.node_count)]] += (real)sliding_stored(s, path);
  }
  return true;
}

static bool stick(const Motion *m, Stream stream, Error *error) {
  (void)stream;
  Contact *c = m->forces.self;
  c->settled = c->nearby.found;
  if (contact_stores_anchors(c)) positions(m, m->iterate.u1, c->x);
  return contact_stick(c, (const double(*)[3])c->x, error);
}

static bool shift(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  (void)stream;
  Contact *c = m->forces.self;
  c->coupling_count = 0;
  if (contact_idle(c)) return true;
  if (!contact_tangent(c, positions(m, m->iterate.u1, c->x), step->impulse, step->slip_fraction, error)) return false;
  for (int64_t k = 0; k < c->coupling_count; k++) {
    const Coupling *t = &c->coupling[k];
    for (int j = 0; j < 4; j++) {
      const double own = t->weight[j] * t->weight[j];
      real *diagonal = m->iterate.shift + 3 * t->node[j], *cross = m->iterate.shift + m->body.n + 3 * t->node[j];
      for (int i = 0; i < 3; i++) {
        diagonal[i] += (real)(own * t->B[i]);
        cross[i] += (real)(own * t->B[3 + i]);
      }
    }
  }
  return true;
}

static bool bound(const Motion *m, const void *from_, const void *to_, double *fraction, Stream stream, Error *error) {
  (void)stream;
  const real *from = from_, *to = to_;
  Contact *c = m->forces.self;
  const double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  const double(*x)[3] = positions(m, from, c->x);

  // m, largest displacement at the start and at the end of the motion, which bounds rounding errors of displacements;
  // positions are computed from them in double
  double largest = 0;
  c->before = c->energies;
  for (int k = 0; k < c->skin.vertex_count; k++) {
    const int a = c->skin.vertex[k];
    for (int i = 0, at = 3 * a; i < 3 && a < m->body.node_count; i++, at++) {
      c->displacement[a][i] = to ? (double)to[at] - from[at] : (double)m->iterate.du[at];
      largest = fmax(largest, fmax(fabs((double)from[at]), fabs((double)from[at] + c->displacement[a][i])));
    }
  }
  for (int k = 0; k < c->skin.node_count - m->body.node_count; k++)
    for (int i = 0; i < 3; i++) c->displacement[m->body.node_count + k][i] = c->ahead * c->rigid_velocity[k][i];
  return contact_bound(c, x, c->displacement, 4 * epsilon * largest, fraction, error);
}

static bool touched(const Motion *m) {
  return m->forces.self->energies.touches || m->forces.self->before.touches;
}

// Computes of->cells, the elastic energy at displacements u, J. Does nothing if of->cells_known is true.
static bool elastic(const Motion *m, const double *material, const real *u, ContactEnergies *of, Error *error) {
  const double *part = m->iterate.scratch;
  if (of->cells_known) return true;
  if (!m->element->energy(&m->cells, u, material, m->iterate.scratch, (Stream){ 0 }, error)) return false;
  of->cells = 0;
  of->cells_known = true;
  for (int k = 0; k < m->element->parts(m->cells.count); k++) of->cells += part[k];
  return true;
}

// Arguments of the loop that computes Iterate.between: the displacements at which forces are evaluated (potential.h) if
// the step ends at u1.
typedef struct Between {
  const Motion *m;
  const TimeStep *step;
} Between;

static void move_between(const void *between, int first, int last) {
  const Between *b = between;
  const Iterate *it = &b->m->iterate;
  for (int i = first; i < last; i++) it->between[i] = acts_at(b->m, b->step, i, it->u1[i]);
}

static bool higher(const Motion *m, const TimeStep *step, const double *material, double *higher, Stream stream,
                   Error *error) {
  (void)stream;
  ContactEnergies *there = &m->forces.self->energies, *here = &m->forces.self->before;
  const Iterate *it = &m->iterate;
  const real *u = it->trial, *v = it->u1;
  double sum = 0;
  if (step->theta < 1) parallel_for_light(m->body.n, NODES, move_between, &(Between){ m, step });
  if (!elastic(m, material, step->theta < 1 ? it->u_theta : u, there, error) ||
      !elastic(m, material, step->theta < 1 ? it->between : v, here, error))
    return false;
  for (int a = 0; a < m->body.node_count; a++) sum += higher_at(m, step, a, u, v);
  *higher = sum + step->impulse * ((there->cells - here->cells) / step->theta + (there->pairs - here->pairs));
  return true;
}

static bool push_ahead(const Motion *m, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Contact *c = m->forces.self;
  for (int64_t k = 0; k < c->coupling_count; k++) {
    const Coupling *t = &c->coupling[k];
    double change[3];
    multiply6(t->B, t->led, change);
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) {
        const int at = 3 * t->node[j] + i;
        if (!m->body.held[at]) m->iterate.residual[at] -= (real)(c->ahead * t->weight[j] * change[i]);
      }
  }
  return true;
}

static bool slides(const Motion *m, bool *slides, Stream stream, Error *error) {
  (void)stream, (void)error;
  *slides = m->forces.self->sliding_count > 0;
  return true;
}

static bool touches(const Motion *m) {
  return m->forces.self->coupling_count > 0;
}

// Operands of the product y += T x. T has the off-diagonal 3x3 blocks of the contact tangent. The diagonal blocks of
// the contact tangent are part of the operator's matrix.
typedef struct Product {
  const Contact *c;
  const real *x;
  real *y;
} Product;

// A coupling is the contribution of one contact pair, with four nodes and their weights w_j, to the tangent. Computes
// Coupling.sum = sum of w_j x_j over the four nodes j, for the couplings `first` to `last` - 1.
static void sum_couplings(const void *product, int first, int last) {
  const Product *p = product;
  for (int k = first; k < last; k++) {
    Coupling *t = &p->c->coupling[k];
    for (int i = 0; i < 3; i++) {
      t->sum[i] = 0;
      for (int j = 0; j < 4; j++) t->sum[i] += t->weight[j] * p->x[3 * t->node[j] + i];
    }
  }
}

// Computes y += T x for rows `first` to `last` - 1 of T, the contact tangent without its diagonal blocks.
static void multiply_rows(const void *product, int first, int last) {
  const Product *p = product;
  const Contact *c = p->c;
  for (int r = first; r < last; r++) {
    const int a = c->row_node[r];
    double sum[3] = { 0, 0, 0 };
    for (int at = c->row_start[r]; at < c->row_start[r + 1]; at++) {
      const Coupling *t = &c->coupling[c->entry[at] / 4];
      const double w = t->weight[c->entry[at] % 4];
      double s[3];
      for (int i = 0; i < 3; i++) s[i] = w * (t->sum[i] - w * p->x[3 * a + i]);
      sum[0] += t->B[0] * s[0] + t->B[3] * s[1] + t->B[4] * s[2];
      sum[1] += t->B[3] * s[0] + t->B[1] * s[1] + t->B[5] * s[2];
      sum[2] += t->B[4] * s[0] + t->B[5] * s[1] + t->B[2] * s[2];
    }
    c->dot[r] = 0;
    for (int i = 0; i < 3; i++) {
      p->y[3 * a + i] += (real)sum[i];
      c->dot[r] += sum[i] * p->x[3 * a + i];
    }
  }
}

static bool apply(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                  Error *error) {
  (void)dot_count, (void)stream, (void)error;
  const Contact *c = term->context;
  const Product product = { c, x, y };
  if (c->coupling_count == 0) return true;
  parallel_for_light((int)c->coupling_count, ROWS, sum_couplings, &product);
  parallel_for_light(c->row_count, ROWS, multiply_rows, &product);
  double sum = 0;
  for (int r = 0; r < c->row_count; r++) sum += c->dot[r];
  if (dots) dots[0] += sum;
  return true;
}

static void entries(const OperatorTerm *term, OperatorTake take, void *user) {
  static const int of[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 };  // index into B of each element of a 3x3 block, by rows
  const Contact *c = term->context;
  for (int64_t t = 0; t < c->coupling_count; t++) {
    const Coupling *k = &c->coupling[t];
    for (int j = 0; j < 16; j++) {
      const int a = k->node[j / 4], b = k->node[j % 4];
      const double w = k->weight[j / 4] * k->weight[j % 4];
      double block[9];
      if (b >= a || w == 0) continue;
      for (int v = 0; v < 9; v++) block[v] = w * k->B[of[v]];
      take(user, a, b, block);
    }
  }
}

const SelfContactFunctions REAL_NAME(self_contact_cpu) = {
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
  .entries = entries,
};
