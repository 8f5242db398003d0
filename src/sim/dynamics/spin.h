// Corrections of linear and angular momentum at the end of a time step. Positions x, velocities v, momenta p and forces
// f have the index 0 at the start and 1 at the end of the step. A piece is a connected part of the body.
//
// Errors of the solution, with every integrator: Newton's method ends at a residual q that is not 0. The momentum of a
// piece then changes by the impulse of the forces minus the sum of q. Rounding of internal forces is the other error of
// this kind: their sum and torque are not exactly 0. A rigid motion that is added to the velocities of the piece
// removes both errors. The piece is also displaced, without rotation, by the distance by which its centre has lagged
// behind, so that the motion of the centre agrees with the momenta. The displacement is left out if springs act on the
// piece, because it would change their forces, and in scenes with contact, because it might cause a collision.
//
// Error of backward Euler: a step is x1 = x0 + dt v1 and p1 - p0 = dt f(x1). It changes the angular momentum of a piece
// about its centre by the torque of the forces, and also by
//   D = sum of (x1 - x0) x p0,   with both vectors relative to the piece's centre.
// Because of the error D, a free body loses its rotation. In steps that turn velocities back at their start (integrator
// euler_spin, turn_back.h), the velocities of each piece without held nodes are corrected in two stages. First,
// velocities relative to the centre are rotated by half the angle by which the piece turns in the step. Reason: v1
// points along the chord from x0 to x1, which is the direction of motion at the middle of the step. Second, a rigid
// motion is added, which removes D and the errors of the solution.
//
// Pieces with held nodes are not changed. A piece on which forces of contact act is changed only in steps that turn
// velocities back, and not if it did not move. If it nearly rests, the errors of the solution are not corrected, so
// that bodies come to rest.
//
// A cluster of touching pieces has a similar error: the sum of (X1 - X0) x P0 over the pieces, with their centres X and
// momenta P. A rigid rotation of the cluster about its centre removes this error, and also the angular momentum that
// friction between the pieces wrongly adds to the whole cluster. The rotation changes neither the distances between
// pieces nor their sliding. Clusters that touch an obstacle or have a held node are not rotated. Clusters are found
// only with self-contact, and only if no pressures act and no floor or obstacle acts on single nodes.
// docs/explanation/integrators.md gives the reasons.
//
// This header has the arithmetic for one node or piece, for each precision; spin.c and spin.cu have the loops.
#pragma once
#include <math.h>

#include "sim/contact/nearest.h"
#include "sim/dynamics/integrator.h"

// Sums over the nodes of a piece (connected part of the body). x0, x1: positions at the start and the end of the step;
// p0, p1: momenta. M: mass matrix. s: sum of a node's row in M, kg. r: a node's position relative to the piece's
// reference node, m. q: Newton's residual, kg m/s.
typedef struct SpinSums {
  double mass;        // kg, sum of s, the mass of the piece
  double centre[3];   // kg m, sum of M r
  double moved[3];    // kg m, sum of s (x1 - x0), mass times displacement of the centre
  double before[3];   // kg m/s, sum of p0
  double linear[3];   // kg m/s, sum of p1
  double left[3];     // kg m/s, sum of q and of the impulses of internal forces in the integrator's equation. Without
                      // rounding errors, the sum of these impulses would be 0
  double lost[3];     // kg m/s, error of the linear momentum: `left` or, with the midpoint rule, sum of q and of twice
                      // the impulses of internal forces
  double twist[3];    // kg m^2/s, error of the angular momentum
  double lever[3];    // kg m^2/s, sum of (x1 - x0) x p0, from which the error D follows
  double turning[9];  // kg m^2/s, sum of the matrices r p1^T, stored by rows
  double second[6];   // kg m^2, sum of r (M r)^T: xx, yy, zz, yz, xz, xy
  double contact[3];  // kg m^2/s, sum of r x (impulse of contact between pieces)
  double push[3];     // kg m/s, sum of the impulses of contact between pieces
  double motion;      // m^2, sum of |x1 - x0|^2
  double held;        // number of held unknowns
  double touching;    // number of nodes on which forces of contact act
  double sprung;      // number of nodes on which springs or dampers act
} SpinSums;
enum { SPIN_SUMS = sizeof(SpinSums) / sizeof(double) };

// The correction of a piece's velocities. The velocity v of a node at r, relative to the piece's reference node,
// becomes v + (R - 1) (v - velocity) + rate x (r - centre) + more. R is the rotation by half the angle by which the
// piece turns in the step. `rate` and `more` are the angular and linear velocity of the added rigid motion. `shift` is
// the displacement of the piece. Without a correction, all members are 0.
typedef struct SpinChange {
  double turn[9];                          // R - 1, by rows
  double velocity[3], rate[3], centre[3];  // velocity: m/s, of the piece's centre; rate: 1/s; centre: m, relative to
                                           // the piece's reference node
  double more[3];                          // m/s, linear velocity of the added rigid motion
  double shift[3];                         // m
} SpinChange;

// Range of nodes of one piece over which sums are computed: SpinPieces.node[first] to node[last - 1].
typedef struct SpinChunk {
  int piece, first, last;
} SpinChunk;

// Pieces of a body (its connected parts), with arrays on its device.
struct SpinPieces {
  int count, chunk_count;  // number of pieces, and of chunks
  // True if pieces are divided among processes (Motion.halo). The lists below then have only nodes that this process
  // owns, and positions are relative to the origin, since the processes may have no common node of a piece. False on
  // the GPU.
  bool divided;
  SpinChunk *chunk;    // [chunk_count], sorted by piece
  int *first_chunk;    // [count + 1], index in `chunk` of the first chunk of each piece
  int *node;           // [node_count], nodes sorted by piece; the first node of a piece is its reference node
  SpinSums *sums;      // [chunk_count], sums over the nodes of each chunk
  SpinSums *piece;     // [count], sums over the nodes of each piece
  int *root;           // [count + 1], first piece of each piece's cluster; the last element is for all obstacles
                       // together, which count as one piece (contact/clusters.h)
  SpinChange *change;  // [count], correction of each piece's velocities
  struct RigidSums *rigid_sums;        // [chunk_count], sums over the nodes of each chunk, for the rigid motions of
                                       // pieces
  struct RigidShift *rigid;            // [count], rigid motion of each piece in the first guess
  double size;                         // m, estimate of the size of a cell: cube root of the mean volume of the cells
  struct RigidRates *rates;            // [count], for energy_keep.h: mean rigid motion of each piece in the step
  struct EnergySums *energy_sums;      // [chunk_count], for energy_keep.h: sums over the nodes of each chunk
  double *cell_energy;                 // [ElementRow.parts], J, partial sums of the cells' strain energy
  struct EnergyFactor *energy_factor;  // for energy_keep.h: factor of the correction, and remaining gain of energy
  double *strain;                      // [2] J, strain energies at the start and the end of the step
};

// Inputs of the correction of momenta after a step. u0, p0: displacements and momenta at the start of the step. dt:
// duration of the step, s. residual, internal: kg m/s, one number for each unknown: the residual and the impulses of
// internal forces at the end of Newton's method.
typedef struct SpinStep {
  Body body;  // the state at the end of the step. body.u is Iterate.u1, so that displaced nodes do not change the
              // positions from which corrections are computed
  SpinPieces pieces;
  Forces forces;
  TimeStep step;
  const real *u0, *p0, *residual;
  real *internal, *u;   // u: displacements of the body's state, which receive the displacements of pieces
  const real *back;     // kg m/s, one number for each unknown: change of p0 at the start of the step (turn_back.h)
  const real *pushes;   // N, one number for each unknown: Iterate.contact_force
  const real *contact;  // N, one number for each unknown: forces of contact between pieces; NULL: there are none
  bool apart;           // true: the scene has no contact
  double dt;
} SpinStep;

/// Returns the reference node of a chunk's piece (connected part of the body): its first node, to which positions in
/// the piece are relative. Returns -1 if pieces are divided among processes; positions are relative to the origin then.
HOST_DEVICE int spin_reference(const SpinPieces *p, const SpinChunk *chunk) {
#ifndef __CUDA_ARCH__
  if (p->divided) return -1;
#endif
  return p->node[p->chunk[p->first_chunk[chunk->piece]].first];
}

// Computes r, m: the position of node a relative to node `reference`, or to the origin if `reference` is -1.
HOST_DEVICE void spin_position(const Body *body, int a, int reference, double r[3]) {
#ifndef __CUDA_ARCH__
  for (int i = 0; reference < 0 && i < 3; i++) r[i] = (double)body->X[3 * a + i] + body->u[3 * a + i];
  if (reference < 0) return;
#endif
  for (int i = 0; i < 3; i++)
    r[i] = ((double)body->X[3 * a + i] - body->X[3 * reference + i]) +
           ((double)body->u[3 * a + i] - body->u[3 * reference + i]);
}

// Computes weighed = sum over b of M_ab r_b, kg m, with the mass matrix M and the positions r_b of nodes relative to
// node `reference`. r is the position r_a. Returns the sum of M_ab over b, kg.
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

// Returns true if a force of contact acts on node a at the end of the step. In a scene with contact, a force of a
// pressure on a face counts too, because Iterate.contact_force has the sum of both.
HOST_DEVICE bool spin_touches(const SpinStep *step, int a) {
  const Forces *f = &step->forces;
  NodeForces on;
  bool touches = false;
  if (step->apart) return false;
  for (int i = 0; step->pushes && i < 3; i++) touches = touches || step->pushes[3 * a + i] != 0;
  if (touches || !acts_on_nodes(f)) return touches;

  find_node_forces(f, &step->body, a, step->body.u, 0, 0, &on);
  for (int i = 0; i < 3; i++) {
    real force = NO_FORCE;
    add_node_force(f, &on, i, &force);
    touches = touches || force != 0;
  }
  return touches;
}

// Adds node a to the sums of its piece (connected part of the body).
//
// `left` is the error of the integrator's equation: u1 is its exact solution for internal forces without a resultant
// and momenta p0 that are smaller by `left`. If forces act at the end of the step, p1 is too small by `left` as well.
// With the midpoint rule, p1 - p0 has twice the impulse of internal forces, and the angular momentum changes by
//   sum of (x1 - x0) x (p0 + p1)/2 + (x0 + x1)/2 x (p1 - p0),   with p0 + p1 = 2 M (x1 - x0)/dt + q.
HOST_DEVICE void spin_add_node(const SpinStep *step, int a, int reference, SpinSums *sums) {
  const Body *body = &step->body;
  const bool middle = step->step.impulse_at_end;
  double r[3], weighed[3], moved[3], p0[3], p1[3], back[3], left[3], lost[3], push[3];
  spin_position(body, a, reference, r);
  const double mass = spin_weigh(body, a, reference, r, weighed);
  for (int i = 0; i < 3; i++) {
    moved[i] = (double)body->u[3 * a + i] - step->u0[3 * a + i];
    p0[i] = step->p0[3 * a + i];
    p1[i] = body->p[3 * a + i];
    back[i] = step->back[3 * a + i];
    left[i] = (double)step->residual[3 * a + i] + step->internal[3 * a + i];
    lost[i] = middle ? left[i] + step->internal[3 * a + i] : left[i];
    push[i] = step->contact ? step->dt * step->contact[3 * a + i] : 0;
    sums->motion += moved[i] * moved[i];
    sums->held += body->held[3 * a + i] != 0;
  }

  sums->mass += mass;
  sums->touching += spin_touches(step, a);
  sums->sprung += step->forces.spring[a] != 0 || step->forces.damper[a] != 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sums->centre[i] += weighed[i];
    sums->moved[i] += mass * moved[i];
    sums->before[i] += p0[i];
    sums->linear[i] += p1[i];
    sums->left[i] += left[i];
    sums->lost[i] += lost[i];
    sums->push[i] += push[i];
    sums->contact[i] += r[j] * push[k] - r[k] * push[j];
    sums->lever[i] += moved[j] * p0[k] - moved[k] * p0[j] + r[j] * back[k] - r[k] * back[j];
    sums->twist[i] += r[j] * lost[k] - r[k] * lost[j];
    if (middle) sums->twist[i] -= moved[j] * left[k] - moved[k] * left[j];
    sums->second[i] += r[i] * weighed[i];
    sums->second[3 + i] += r[j] * weighed[k];
    for (int c = 0; c < 3; c++) sums->turning[3 * i + c] += r[i] * p1[c];
  }
}

HOST_DEVICE void spin_add(SpinSums *sums, const SpinSums *more) {
  for (int k = 0; k < SPIN_SUMS; k++) ((double *)sums)[k] += ((const double *)more)[k];
}

// Computes out = sum of r x p over nodes, from t, the sum of the matrices r p^T, by rows.
HOST_DEVICE void spin_axial(const double t[9], double out[3]) {
  out[0] = t[5] - t[7];
  out[1] = t[6] - t[2];
  out[2] = t[1] - t[3];
}

// Solves I x = b with the inertia tensor I = tr(C) 1 - C and the second moments C: xx, yy, zz, yz, xz, xy. Returns
// false if I is singular.
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

// Computes turn = R - 1, by rows. R rotates about the vector w by a/2, with a the angle by which the piece has turned
// in the step. w is the angular rate of the velocities (x1 - x0)/dt, so sin(a) = dt |w|. Square roots replace
// trigonometric functions, so that results are bit-identical with every C library.
HOST_DEVICE void spin_half_turn(const double w[3], double dt, double turn[9]) {
  const double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), sine = dt * rate < 1 ? dt * rate : 1;
  const double half_cosine = sqrt((1 + sqrt(1 - sine * sine)) / 2), half_sine = sine / (2 * half_cosine);
  const double s = rate > 0 ? half_sine / rate : 0;
  const double c = rate > 0 ? half_sine * half_sine / (1 + half_cosine) / (rate * rate) : 0;
  const double cross[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      // element (i, j) of W^2, where W is the matrix with W r = w x r
      const double square = w[i] * w[j] - (i == j ? rate * rate : 0);
      turn[3 * i + j] = s * cross[3 * i + j] + c * square;
    }
}

// Computes out = sum of r x (R p) over nodes, from t, the sum of the matrices r p^T, and turn = R - 1, both by rows.
HOST_DEVICE void spin_turned(const double t[9], const double turn[9], double out[3]) {
  double turned[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = t[3 * i + j];
      for (int k = 0; k < 3; k++) sum += t[3 * i + k] * turn[3 * j + k];
      turned[3 * i + j] = sum;
    }
  spin_axial(turned, out);
}

// Converts the sums of a piece, so that positions are relative to the piece's centre instead of its reference node, and
// displacements relative to the displacement of the centre. `middle` is true after a step of the midpoint rule.
HOST_DEVICE void spin_centre(SpinSums *s, bool middle) {
  const double *P0 = s->before, *q = s->lost, *left = s->left;
  double c[3], moved[3];
  for (int i = 0; i < 3; i++) {
    c[i] = s->centre[i] / s->mass;
    moved[i] = s->moved[i] / s->mass;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    s->lever[i] -= moved[j] * P0[k] - moved[k] * P0[j];
    s->twist[i] -= c[j] * q[k] - c[k] * q[j];
    if (middle) s->twist[i] += moved[j] * left[k] - moved[k] * left[j];
    s->second[i] -= s->mass * c[i] * c[i];
    s->second[3 + i] -= s->mass * c[j] * c[k];
    for (int n = 0; n < 3; n++) s->turning[3 * i + n] -= c[i] * s->linear[n];
  }
}

// Corrects two errors that Newton's residual q and rounding cause. Adds the error of the angular momentum to `missing`,
// and sets `more` to the error of the centre's velocity. Positions in `s` are relative to the piece's centre; `spin`
// and `rate` are its angular momentum and angular rate. If `floats` is false, does nothing if the piece's kinetic
// energy is at most 100 times that of this correction; residuals would otherwise keep a resting piece in motion.
HOST_DEVICE void spin_add_left(const SpinSums *s, const double spin[3], const double rate[3], bool floats,
                               double missing[3], double more[3]) {
  double turned[3];
  if (!spin_solve(s->second, s->twist, turned)) return;
  const double lost = dot3(s->lost, s->lost) / s->mass + dot3(s->twist, turned);
  const double kinetic = dot3(s->linear, s->linear) / s->mass + dot3(spin, rate);
  if (!floats && !(kinetic > 100 * lost)) return;
  for (int i = 0; i < 3; i++) {
    missing[i] += s->twist[i];
    more[i] = s->lost[i] / s->mass;
  }
}

// Adds the displacement of a piece on which no springs act, in a scene without contact. It solves the integrator's
// equation for the motion of the centre: inertia * mass * shift = left. A damping force also acts along this
// displacement, and changes the velocity.
HOST_DEVICE void spin_add_shift(const SpinStep *step, const SpinSums *s, SpinChange *change) {
  const double inertia = step->step.inertia, damping = inertia - (double)step->step.end_inertia;
  if (!step->apart || s->sprung > 0) return;
  for (int i = 0; i < 3; i++) {
    change->shift[i] = s->left[i] / (s->mass * inertia);
    change->more[i] -= damping * change->shift[i];
  }
}

/// Computes the correction of a piece's velocities from the sums over its nodes. floats: true if the piece touches
/// nothing, or if it is known to touch other pieces, but no obstacle and no held node, directly or through other
/// pieces.
HOST_DEVICE void spin_find(const SpinStep *step, const SpinSums *all, bool floats, SpinChange *change) {
  const SpinChange none = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
  const bool turns = step->step.turns_back;
  SpinSums s = *all;
  double chord[3], rate[3], after[3], missing[3] = { 0 };
  *change = none;
  if (s.held > 0 || !(s.mass > 0) || (!floats && (!turns || s.motion == 0))) return;
  spin_centre(&s, step->step.impulse_at_end);
  spin_axial(s.turning, chord);
  if (!spin_solve(s.second, chord, rate)) return;

  if (turns) {
    spin_half_turn(rate, step->dt, change->turn);
    spin_turned(s.turning, change->turn, after);
    for (int i = 0; i < 3; i++) missing[i] = chord[i] - s.lever[i] - after[i];
  }
  for (int i = 0; i < 3; i++) {
    change->velocity[i] = s.linear[i] / s.mass;
    change->centre[i] = s.centre[i] / s.mass;
  }
  spin_add_left(&s, chord, rate, floats, missing, change->more);
  spin_add_shift(step, &s, change);
  if (!spin_solve(s.second, missing, change->rate)) *change = none;
}

// Sums over a cluster: pieces (connected components of the bodies) that touch each other. X0 and X1: centre of a piece
// at the start and the end of the step. P0: momentum of a piece at the start.
typedef struct ClusterSums {
  double mass, centre[3], moved[3], before[3];  // kg, kg m, kg m, kg m/s: sums as in SpinSums, with positions relative
                                                // to the reference node of the cluster's first piece
  double lever[3];                              // kg m^2/s, sum of two terms over the pieces: (X1 - X0) x P0, and dt
                                                // times the torque of contact forces
  double second[6];                             // kg m^2, second moments about the reference node of the first piece
  int pieces;
} ClusterSums;

// Computes out = position of the reference node of `piece` relative to that of piece `other`, m.
HOST_DEVICE void spin_between(const SpinStep *step, int piece, int other, double out[3]) {
  const SpinPieces *p = &step->pieces;
  spin_position(&step->body, p->node[p->chunk[p->first_chunk[piece]].first],
                p->node[p->chunk[p->first_chunk[other]].first], out);
}

// Adds the sums *s of a piece to the sums of its cluster. `from` is the vector from the reference node of the cluster's
// first piece to that of this piece, in metres.
HOST_DEVICE void spin_add_piece(const SpinSums *s, const double from[3], ClusterSums *all) {
  double c[3], moved[3], lever[3], torque[3];
  for (int i = 0; i < 3; i++) {
    c[i] = s->centre[i] / s->mass;
    moved[i] = s->moved[i] / s->mass;
  }
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

    // s->second is relative to the piece's reference node
    all->second[i] += s->second[i] + s->mass * from[i] * (2 * c[i] + from[i]);
    all->second[3 + i] += s->second[3 + i] + s->mass * (from[j] * c[k] + from[k] * c[j] + from[j] * from[k]);
  }
}

// Computes the centre of a cluster (pieces that touch each other), and the angular rate, 1/s, of the rotation that
// removes the error of the cluster's angular momentum. Returns false if the cluster's inertia tensor is singular.
HOST_DEVICE bool spin_cluster_rate(const ClusterSums *all, double rate[3], double centre[3]) {
  double second[6], lever[3], moved[3];
  for (int i = 0; i < 3; i++) {
    centre[i] = all->centre[i] / all->mass;
    moved[i] = all->moved[i] / all->mass;
  }
  cross3(moved, all->before, lever);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    second[i] = all->second[i] - all->mass * centre[i] * centre[i];
    second[3 + i] = all->second[3 + i] - all->mass * centre[j] * centre[k];
    lever[i] -= all->lever[i];
  }
  return spin_solve(second, lever, rate);
}

/// If `piece` is the root (first piece) of a cluster (pieces that touch each other), corrects the momenta of its pieces
/// exactly, and adds the cluster's rotation to the corrections. Does nothing if the cluster touches an obstacle or has
/// a held node.
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
    spin_find(step, &p->piece[k], true, change);
    spin_between(step, k, piece, from);
    for (int i = 0; i < 3; i++) {
      change->centre[i] = p->piece[k].centre[i] / p->piece[k].mass;
      arm[i] = from[i] + change->centre[i] - centre[i];
    }
    cross3(rate, arm, more);
    for (int i = 0; i < 3; i++) {
      change->rate[i] += rate[i];
      change->more[i] += more[i];
    }
  }
}

/// Returns true if the momenta of clusters of touching pieces are corrected: in steps that turn velocities back, if
/// there is self-contact and more than one piece, and neither other contact nor pressures. Reason: the correction reads
/// the forces between pieces from Iterate.contact_force, which would then also contain these other forces.
static inline bool spin_knows_clusters(const Motion *m, const TimeStep *step) {
  return step->turns_back && m->forces.self && !has_contact(&m->forces) && !pressure_acts(&m->forces) &&
         m->pieces->count > 1;
}

static inline SpinStep spin_step(const Motion *m, const TimeStep *step, double dt, const void *u0, const void *p0) {
  SpinStep s = { m->body,
                 *m->pieces,
                 m->forces,
                 *step,
                 (const real *)u0,
                 (const real *)p0,
                 m->iterate.residual,
                 m->iterate.internal,
                 m->body.u,
                 m->iterate.back,
                 m->iterate.contact_force,
                 spin_knows_clusters(m, step) ? m->iterate.contact_force : NULL,
                 !has_contact(&m->forces) && !m->forces.self,
                 dt };
  s.body.u = m->iterate.u1;
  return s;
}

/// Computes more [3], the change of the momentum of node a by the change of the velocities of its piece, kg m/s.
HOST_DEVICE void spin_change_of(const Body *body, int a, int reference, const SpinChange *change, double more[3]) {
  double r[3], weighed[3], arm[3], relative[3];
  spin_position(body, a, reference, r);
  const double mass = spin_weigh(body, a, reference, r, weighed), *w = change->rate;
  for (int i = 0; i < 3; i++) {
    relative[i] = body->p[3 * a + i] - mass * change->velocity[i];
    arm[i] = weighed[i] - mass * change->centre[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    more[i] = mass * change->more[i] + w[j] * arm[k] - w[k] * arm[j];
    for (int c = 0; c < 3; c++) more[i] += change->turn[3 * i + c] * relative[c];
  }
}

/// Adds the correction of a piece (connected part of the body) to the momentum and the displacement of its node a.
/// After a step of the midpoint rule, the impulses of internal forces become those with which the integrator's formula
/// gives the corrected momenta; energy_keep.h reads them.
HOST_DEVICE void spin_change_node(const SpinStep *step, int a, int reference, const SpinChange *change) {
  double more[3];
  spin_change_of(&step->body, a, reference, change, more);
  for (int i = 0; i < 3; i++) {
    const int k = 3 * a + i;
    const double inertial = (double)step->step.end_inertia * step->body.diagonal_mass[a] * change->shift[i];
    step->body.p[k] += (real)more[i];
    if (change->shift[i] != 0) step->u[k] += (real)change->shift[i];
    if (step->step.impulse_at_end) step->internal[k] -= (real)(more[i] - inertial);
  }
}

/// Finds the connected pieces of a body and stores them in motion->pieces, unless this was done before. Also computes
/// Body.weight, the weights of nodes in norms. `space` has the body's nodes and cells. Waits for the device.
bool REAL_NAME(spin_find_pieces)(Motion *motion, const Space *space, Stream stream, Error *error);

/// Deletes motion->pieces, the lists of the body's connected pieces. Must be called after a change of cells.
void REAL_NAME(spin_forget_pieces)(Motion *motion);

/// Calls visit(step, a, reference, piece) for each node a of all pieces, in parallel on the CPU. `reference` is the
/// reference node of the piece (spin_reference).
typedef void (*SpinVisit)(const void *step, int a, int reference, int piece);
void REAL_NAME(spin_visit_nodes)(const SpinPieces *pieces, const void *step, SpinVisit visit);

/// Correct the momenta after a step, on the CPU and on the GPU (MotionMethod.keep_momenta). dt, s, is the duration of
/// the step; u0 and p0 are the displacements and momenta at its start.
bool REAL_NAME(spin_keep_cpu)(const Motion *motion, const TimeStep *step, double dt, const void *u0, const void *p0,
                              Stream stream, Error *error);
#ifdef __cplusplus
extern "C"
#endif
    bool REAL_NAME(spin_keep_cuda)(const Motion *motion, const TimeStep *step, double dt, const void *u0,
                                   const void *p0, Stream stream, Error *error);
