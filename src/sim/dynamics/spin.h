// Angular momentum in steps of backward Euler. A step with forces at its end, x1 = x0 + dt v1 and p1 - p0 = dt f(x1),
// changes the angular momentum of a piece of the body about its centre by the torque of the forces and by
//   D = sum of (x1 - x0) x p0,   with both vectors relative to the piece's centre,
// which no force explains: a free body loses its rotation. Two other errors change both momenta: the residual q that
// Newton's method leaves, p1 - p0 = dt f(x1) - q, and the rounding of internal forces, whose sums are 0.
//
// After such a step each piece without held nodes gets velocities without these errors. Its velocity v1 is that of the
// chord from x0 to x1, so it belongs to the middle of the step: relative to the centre it is rotated by half of the
// step's rotation. Then a rigid motion is added that makes both momenta those that follow from the forces. A piece that
// did not move in the step gets no change, and a piece that nearly rests keeps q, so bodies come to rest to the bit.
//
// The sum of (X1 - X0) x P0 over pieces, with their centres X and momenta P, is such an error too. It concerns pieces
// that touch: their forces have one line of action at x1, but momenta change as if they acted at x0. A cluster of
// touching pieces that touches no obstacle and no held piece gets a rigid rotation about its centre without this error.
// The torque that friction exerts on it is removed too: lagged points of a pair are not exactly opposite each other.
// The rotation changes neither distances between pieces nor their sliding. Floor and solid obstacles act on single
// nodes, and with them clusters are not known.
//
// The arithmetic here is for one node or one piece; spin.c and spin.cu have the loops. Built for each precision.
#pragma once
#include <math.h>

#include "sim/contact/nearest.h"
#include "sim/dynamics/integrator.h"

// Sums over the nodes of a piece. M is the mass matrix, s a row sum of it, and r the position from the reference node.
typedef struct SpinSums {
  double mass;        // kg, sum of s
  double centre[3];   // kg m, sum of M r
  double moved[3];    // kg m, sum of s (x1 - x0)
  double before[3];   // kg m/s, sum of p0
  double linear[3];   // kg m/s, sum of p1
  double left[3];     // kg m/s, sum of the residual q and of the internal impulses
  double twist[3];    // kg m^2/s, sum of r x (q + internal impulse)
  double lever[3];    // kg m^2/s, sum of (x1 - x0) x p0
  double turning[9];  // kg m^2/s, sum of r p1^T, by rows
  double second[6];   // kg m^2, sum of r (M r)^T: xx, yy, zz, yz, xz, xy
  double contact[3];  // kg m^2/s, sum of r x impulse of contact between pieces
  double push[3];     // kg m/s, sum of these impulses
  double motion;      // m^2, sum of |x1 - x0|^2
  double held;        // number of held unknowns
} SpinSums;
enum { SPIN_SUMS = sizeof(SpinSums) / sizeof(double) };

// The change of a piece's velocities, v += (R - 1) (v - velocity) + rate x (r - centre) + more. All are 0 if nothing
// changes.
typedef struct SpinChange {
  double turn[9];                          // R - 1 by rows, R: rotation by half of the step's rotation
  double velocity[3], rate[3], centre[3];  // m/s, 1/s, m from the reference node
  double more[3];                          // m/s
} SpinChange;

// A run of nodes of one piece: entries first to last - 1 of the list of nodes.
typedef struct SpinChunk {
  int piece, first, last;
} SpinChunk;

// Pieces of a body, with arrays on its device.
struct SpinPieces {
  int count, chunk_count;
  SpinChunk *chunk;    // [chunk_count], by piece
  int *first_chunk;    // [count + 1]
  int *node;           // [node_count], nodes by piece; the first node of a piece is its reference
  SpinSums *sums;      // [chunk_count]
  SpinSums *piece;     // [count], sums of pieces
  int *root;           // [count + 1], see contact/clusters.h
  SpinChange *change;  // [count]
};

// Inputs of a correction: a step of duration dt, s, from displacements u0 and momenta p0 to the body's state, which
// left this residual and these internal impulses.
typedef struct SpinStep {
  Body body;
  SpinPieces pieces;
  const real *u0, *p0, *residual, *internal;
  const real *contact;  // [n] N, forces of contact between pieces; NULL: there are none
  double dt;
} SpinStep;

/// Returns the reference node of the piece of a chunk.
HOST_DEVICE int spin_reference(const SpinStep *step, const SpinChunk *chunk) {
  const SpinPieces *p = &step->pieces;
  return p->node[p->chunk[p->first_chunk[chunk->piece]].first];
}

// Writes the position of node a relative to the reference node.
HOST_DEVICE void spin_position(const Body *body, int a, int reference, double r[3]) {
  for (int i = 0; i < 3; i++)
    r[i] = ((double)body->X[3 * a + i] - body->X[3 * reference + i]) +
           ((double)body->u[3 * a + i] - body->u[3 * reference + i]);
}

// Writes the row of the mass matrix at node a times positions r, and returns its sum.
HOST_DEVICE double spin_weigh(const Body *body, int a, int reference, const double r[3], double weighed[3]) {
  const MassRows *rows = &body->rows;
  double sum = body->diagonal_mass[a];
  for (int i = 0; i < 3; i++) weighed[i] = sum * r[i];
  for (int64_t k = rows->value ? rows->start[a] : 0; rows->value && k < rows->start[a + 1]; k++) {
    double other[3];
    spin_position(body, rows->neighbour[k], reference, other);
    sum += rows->value[k];
    for (int i = 0; i < 3; i++) weighed[i] += rows->value[k] * other[i];
  }
  return sum;
}

// Adds node a to the sums of its piece.
HOST_DEVICE void spin_add_node(const SpinStep *step, int a, int reference, SpinSums *sums) {
  const Body *body = &step->body;
  double r[3], weighed[3], moved[3], p0[3], p1[3], left[3], push[3];
  spin_position(body, a, reference, r);
  const double mass = spin_weigh(body, a, reference, r, weighed);
  for (int i = 0; i < 3; i++) {
    moved[i] = (double)body->u[3 * a + i] - step->u0[3 * a + i];
    p0[i] = step->p0[3 * a + i], p1[i] = body->p[3 * a + i],
    left[i] = (double)step->residual[3 * a + i] + step->internal[3 * a + i];
    push[i] = step->contact ? step->dt * step->contact[3 * a + i] : 0;
    sums->motion += moved[i] * moved[i];
    sums->held += body->held[3 * a + i] != 0;
  }

  sums->mass += mass;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sums->centre[i] += weighed[i];
    sums->moved[i] += mass * moved[i];
    sums->before[i] += p0[i];
    sums->linear[i] += p1[i];
    sums->left[i] += left[i];
    sums->push[i] += push[i];
    sums->contact[i] += r[j] * push[k] - r[k] * push[j];
    sums->lever[i] += moved[j] * p0[k] - moved[k] * p0[j];
    sums->twist[i] += r[j] * left[k] - r[k] * left[j];
    sums->second[i] += r[i] * weighed[i];
    sums->second[3 + i] += r[j] * weighed[k];
    for (int c = 0; c < 3; c++) sums->turning[3 * i + c] += r[i] * p1[c];
  }
}

HOST_DEVICE void spin_add(SpinSums *sums, const SpinSums *more) {
  for (int k = 0; k < SPIN_SUMS; k++) ((double *)sums)[k] += ((const double *)more)[k];
}

// Writes the axial vector of sum of r p^T, by rows: the sum of r x p.
HOST_DEVICE void spin_axial(const double t[9], double out[3]) {
  out[0] = t[5] - t[7];
  out[1] = t[6] - t[2];
  out[2] = t[1] - t[3];
}

// Solves I x = b for an inertia I that belongs to second moments C: I = tr(C) 1 - C. Returns false if I is singular.
HOST_DEVICE bool spin_solve(const double C[6], const double b[3], double x[3]) {
  const double xx = C[1] + C[2], yy = C[0] + C[2], zz = C[0] + C[1], yz = -C[3], xz = -C[4], xy = -C[5];
  const double adjugate[6] = { yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy,
                               xz * xy - xx * yz, xy * yz - yy * xz, yz * xz - zz * xy };
  const double det = xx * adjugate[0] + xy * adjugate[5] + xz * adjugate[4], trace = xx + yy + zz;
  if (!(det > 1e-9 * trace * trace * trace)) return false;
  x[0] = (adjugate[0] * b[0] + adjugate[5] * b[1] + adjugate[4] * b[2]) / det;
  x[1] = (adjugate[5] * b[0] + adjugate[1] * b[1] + adjugate[3] * b[2]) / det;
  x[2] = (adjugate[4] * b[0] + adjugate[3] * b[1] + adjugate[2] * b[2]) / det;
  return true;
}

// Writes R - 1 for half of the rotation whose chord velocity has the angular rate w: sin(angle) = dt |w|. Only square
// roots are used, which have the same bits with every library.
HOST_DEVICE void spin_half_turn(const double w[3], double dt, double turn[9]) {
  const double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), sine = dt * rate < 1 ? dt * rate : 1;
  const double half_cosine = sqrt((1 + sqrt(1 - sine * sine)) / 2), half_sine = sine / (2 * half_cosine);
  const double s = rate > 0 ? half_sine / rate : 0;
  const double c = rate > 0 ? half_sine * half_sine / (1 + half_cosine) / (rate * rate) : 0;
  const double cross[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double square = w[i] * w[j] - (i == j ? rate * rate : 0);  // the cross product's matrix, squared
      turn[3 * i + j] = s * cross[3 * i + j] + c * square;
    }
}

// Shifts the sums of a piece from its reference node to its centre, and subtracts the motion of the centre.
HOST_DEVICE void spin_centre(SpinSums *s) {
  const double *P0 = s->before, *q = s->left;
  double c[3], moved[3];
  for (int i = 0; i < 3; i++) c[i] = s->centre[i] / s->mass, moved[i] = s->moved[i] / s->mass;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    s->lever[i] -= moved[j] * P0[k] - moved[k] * P0[j];
    s->twist[i] -= c[j] * q[k] - c[k] * q[j];
    s->second[i] -= s->mass * c[i] * c[i];
    s->second[3 + i] -= s->mass * c[j] * c[k];
    for (int n = 0; n < 3; n++) s->turning[3 * i + n] -= c[i] * s->linear[n];
  }
}

// Adds what the residual left of a piece's momenta to `missing` and `more`, unless the piece nearly rests: its kinetic
// energy must be 100 times that of the addition. Otherwise residuals would keep a body in motion that is at rest within
// Newton's tolerance. `s` is about the centre; `spin` and `rate` are the piece's angular momentum and rate.
HOST_DEVICE void spin_add_left(const SpinSums *s, const double spin[3], const double rate[3], double missing[3],
                               double more[3]) {
  double turned[3];
  if (!spin_solve(s->second, s->twist, turned)) return;
  const double left = dot3(s->left, s->left) / s->mass + dot3(s->twist, turned);
  const double kinetic = dot3(s->linear, s->linear) / s->mass + dot3(spin, rate);
  if (!(kinetic > 100 * left)) return;
  for (int i = 0; i < 3; i++) missing[i] += s->twist[i], more[i] = s->left[i] / s->mass;
}

/// Computes the change of a piece's velocities from its sums in a step of duration dt.
HOST_DEVICE void spin_find(const SpinSums *all, double dt, SpinChange *change) {
  const SpinChange none = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
  SpinSums s = *all;
  double chord[3], rate[3], turned[9], after[3], missing[3];
  *change = none;
  if (s.held > 0 || s.motion == 0 || !(s.mass > 0)) return;
  spin_centre(&s);
  spin_axial(s.turning, chord);
  if (!spin_solve(s.second, chord, rate)) return;

  // turning becomes turning R^T
  spin_half_turn(rate, dt, change->turn);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = s.turning[3 * i + j];
      for (int k = 0; k < 3; k++) sum += s.turning[3 * i + k] * change->turn[3 * j + k];
      turned[3 * i + j] = sum;
    }

  spin_axial(turned, after);
  for (int i = 0; i < 3; i++) {
    missing[i] = chord[i] - s.lever[i] - after[i];
    change->velocity[i] = s.linear[i] / s.mass;
    change->centre[i] = s.centre[i] / s.mass;
  }
  spin_add_left(&s, chord, rate, missing, change->more);
  if (!spin_solve(s.second, missing, change->rate)) *change = none;
}

// Sums over the pieces of a cluster.
typedef struct ClusterSums {
  double mass, centre[3], moved[3], before[3];  // kg, kg m, kg m, kg m/s
  double lever[3];                              // kg m^2/s, sum of (X1 - X0) x P0 and of contact's torques
  double second[6];                             // kg m^2, about the first piece's reference node
  int pieces;
} ClusterSums;

// Writes the position of a piece's reference node relative to that of another piece.
HOST_DEVICE void spin_between(const SpinStep *step, int piece, int other, double out[3]) {
  const SpinPieces *p = &step->pieces;
  spin_position(&step->body, p->node[p->chunk[p->first_chunk[piece]].first],
                p->node[p->chunk[p->first_chunk[other]].first], out);
}

// Adds piece k, whose reference node is at `from`, to a cluster.
HOST_DEVICE void spin_add_piece(const SpinSums *s, const double from[3], ClusterSums *all) {
  double c[3], moved[3], lever[3], torque[3];
  for (int i = 0; i < 3; i++) c[i] = s->centre[i] / s->mass, moved[i] = s->moved[i] / s->mass;
  cross3(moved, s->before, lever);
  cross3(from, s->push, torque);
  all->mass += s->mass;
  all->pieces++;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    all->centre[i] += s->mass * (from[i] + c[i]);
    all->moved[i] += s->moved[i];
    all->before[i] += s->before[i];
    all->lever[i] += lever[i] + s->contact[i] + torque[i];
    // s->second is about the piece's reference node
    all->second[i] += s->second[i] + s->mass * from[i] * (2 * c[i] + from[i]);
    all->second[3 + i] += s->second[3 + i] + s->mass * (from[j] * c[k] + from[k] * c[j] + from[j] * from[k]);
  }
}

// Computes the angular rate, 1/s, that removes the error of a cluster's angular momentum, and the cluster's centre.
HOST_DEVICE bool spin_cluster_rate(const ClusterSums *all, double rate[3], double centre[3]) {
  double second[6], lever[3], moved[3];
  for (int i = 0; i < 3; i++) centre[i] = all->centre[i] / all->mass, moved[i] = all->moved[i] / all->mass;
  cross3(moved, all->before, lever);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    second[i] = all->second[i] - all->mass * centre[i] * centre[i];
    second[3 + i] = all->second[3 + i] - all->mass * centre[j] * centre[k];
    lever[i] -= all->lever[i];
  }
  return spin_solve(second, lever, rate);
}

/// Adds the rotation of a cluster to the changes of its pieces, if `piece` is its root. The cluster must be free.
HOST_DEVICE void spin_join(const SpinStep *step, int piece) {
  const SpinPieces *p = &step->pieces;
  ClusterSums all = { 0, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, 0 };
  double from[3], rate[3], centre[3], arm[3], more[3];
  if (p->root[piece] != piece || p->root[p->count] == piece) return;
  for (int k = piece; k < p->count; k++) {
    if (p->root[k] != piece) continue;
    if (p->piece[k].held > 0 || !(p->piece[k].mass > 0)) return;
    spin_between(step, k, piece, from);
    spin_add_piece(&p->piece[k], from, &all);
  }
  if (all.pieces < 2 || !spin_cluster_rate(&all, rate, centre)) return;

  for (int k = piece; k < p->count; k++) {
    if (p->root[k] != piece) continue;
    SpinChange *change = &p->change[k];
    spin_between(step, k, piece, from);
    for (int i = 0; i < 3; i++) {
      change->centre[i] = p->piece[k].centre[i] / p->piece[k].mass;
      arm[i] = from[i] + change->centre[i] - centre[i];
    }
    cross3(rate, arm, more);
    for (int i = 0; i < 3; i++) change->rate[i] += rate[i], change->more[i] += more[i];
  }
}

/// Tests if clusters of pieces are known: see above. Pressures add to the forces of contact.
static inline bool spin_knows_clusters(const Motion *m) {
  return m->forces.self && !has_contact(&m->forces) && !pressure_acts(&m->forces) && m->pieces->count > 1;
}

static inline SpinStep spin_step(const Motion *m, double dt, const void *u0, const void *p0) {
  const SpinStep step = { m->body,
                          *m->pieces,
                          (const real *)u0,
                          (const real *)p0,
                          m->iterate.residual,
                          m->iterate.internal,
                          spin_knows_clusters(m) ? m->iterate.contact_force : NULL,
                          dt };
  return step;
}

/// Applies the change of node a's piece to its momentum.
HOST_DEVICE void spin_change_node(const SpinStep *step, int a, int reference, const SpinChange *change) {
  const Body *body = &step->body;
  double r[3], weighed[3], arm[3], relative[3];
  spin_position(body, a, reference, r);
  const double mass = spin_weigh(body, a, reference, r, weighed), *w = change->rate;
  for (int i = 0; i < 3; i++) {
    relative[i] = body->p[3 * a + i] - mass * change->velocity[i];
    arm[i] = weighed[i] - mass * change->centre[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    double more = mass * change->more[i] + w[j] * arm[k] - w[k] * arm[j];
    for (int c = 0; c < 3; c++) more += change->turn[3 * i + c] * relative[c];
    body->p[3 * a + i] += (real)more;
  }
}

/// Finds the pieces of a body unless they are known. `space` has the body's nodes and cells. Waits.
bool REAL_NAME(spin_find_pieces)(Motion *motion, const Space *space, Stream stream, Error *error);

/// Forgets the pieces, after a change of cells.
void REAL_NAME(spin_forget_pieces)(Motion *motion);

/// Implement MotionMethod.keep_spin.
bool REAL_NAME(spin_keep_cpu)(const Motion *motion, double dt, const void *u0, const void *p0, Stream stream,
                              Error *error);
#ifdef __cplusplus
extern "C"
#endif
    bool REAL_NAME(spin_keep_cuda)(const Motion *motion, double dt, const void *u0, const void *p0, Stream stream,
                                   Error *error);
