// Conservation of energy in time steps of the midpoint rule (integrator midpoint_energy). The reasons are in
// docs/explanation/integrators.md. The error of a step is
//   e = T1 + V1 - T0 - V0 - W
// with the kinetic energy T and the strain energy V at the start (0) and the end (1) of the step, and the work W of all
// other forces. After the step, momenta are corrected so that the kinetic energy changes by -e:
//   p1 += s M w,   with a s^2 + b s + e = 0,   a = w.M w / 2,   b = v1.M w
// M is the mass matrix, p1 and v1 are momenta and velocities at the end, and w the mean velocities in the step. For
// pieces (connected parts of the body) without held nodes, the rigid motion of the piece is subtracted from w. If the
// quadratic equation has no solution, s = -b/(2a) removes as much of e as possible. If the error that remains exceeds
// ENERGY_ERROR_MAX, the caller repeats the step as two steps of half its duration, recursively, unless settings.newton
// is NEWTON_PLAIN. The errors of the two halves together are about a quarter of the error of the whole step. In a
// divided step, the correction of each part also removes the error that the parts before have left. Otherwise these
// errors would add up, since most of them have the same sign.
//
// W follows from the momenta: external impulses are p1 - end_inertia M (u1 - u0) + internal (time_step.h), with the
// displacements u0 at the start and u1 at the end. This header has the arithmetic for one node or piece, for each
// precision; energy_keep.c and energy_keep.cu have the loops.
#pragma once
#include <float.h>
#include <math.h>

#include "sim/dynamics/rigid_motion.h"

// ENERGY_FACTOR_MAX: largest factor s of the correction; larger values would amplify the rounding errors of a body that
// hardly vibrates. ENERGY_ERROR_MAX: largest error of the energy with which a step is not halved. ENERGY_HALVINGS_MAX:
// how often a part of a step may be halved (may_halve in newton.c). ENERGY_GAIN_MAX: largest gain of energy of a part
// that must not be halved any more; after a larger gain, backward Euler repeats the part. Error and gain are fractions
// of kinetic plus strain energy.
static const double ENERGY_FACTOR_MAX = 0.25, ENERGY_ERROR_MAX = 1e-5, ENERGY_GAIN_MAX = 1e-3;
enum { ENERGY_HALVINGS_MAX = 12 };

// Sums over the free unknowns, in J unless noted. T0, T1: kinetic energy at the start and at the end of the step. W:
// work of external forces and damping in the step.
typedef struct EnergySums {
  double gained;   // T1 - T0 - W
  double kinetic;  // T1
  double force;    // N, sum of the absolute values of internal forces
  double a, b;     // coefficients of s^2 and s in the equation for s
} EnergySums;

// Result of the correction of momenta, p1 += s M w, with w the mean velocity without rigid motions. factor: s. error:
// energy that the corrected step still gains (negative: loses), divided by kinetic plus strain energy.
typedef struct EnergyFactor {
  double factor, error;
} EnergyFactor;

// Inputs of the correction of momenta after a step. u0, p0: displacements and momenta at the start of the step; the
// body's present state is the state at the end of the step. internal: [3 * nodes], internal forces at the middle of the
// step times TimeStep.impulse.
typedef struct EnergyStep {
  double size;  // m, estimate of the edge length of a cell
  double owed;  // EnergyFactor.error of the previous part of a divided time step; 0 for the first part
  Body body;
  SpinPieces pieces;
  TimeStep step;
  const real *u0, *p0, *internal;
} EnergyStep;

static inline EnergyStep energy_step(const Motion *m, const TimeStep *step, const void *u0, const void *p0,
                                     double owed) {
  const EnergyStep e = { m->pieces->size,    owed, m->body, *m->pieces, *step, (const real *)u0, (const real *)p0,
                         m->iterate.internal };
  return e;
}

/// Returns true if steps of this body can be corrected: the body has lumped masses, no contact and no prescribed
/// motion.
static inline bool energy_is_kept(const Motion *m) {
  return !m->body.any_moved && !m->body.rows.value && !has_contact(&m->forces) && !m->forces.self;
}

// Computes q, kg m/s: the mass of node a times its mean velocity in the step.
HOST_DEVICE void energy_mean(const EnergyStep *e, int a, double q[3]) {
  const double factor = (double)e->body.diagonal_mass[a] * e->step.inverse_dt;
  for (int i = 0; i < 3; i++) q[i] = factor * ((double)e->body.u[3 * a + i] - e->u0[3 * a + i]);
}

/// Returns true if a step, or a part of a divided step, with this EnergyFactor.error is repeated. `owed` is the error
/// before this part.
HOST_DEVICE bool energy_repeats(double energy_error, double owed) {
  return fabs(energy_error) > fabs(owed) + ENERGY_ERROR_MAX;
}

/// Adds node a, with its mean momentum in the step, to the sums of its piece (connected part of the body). The rigid
/// motion of the piece follows from these sums.
HOST_DEVICE void energy_add_piece_node(const EnergyStep *e, int a, int reference, RigidSums *sums) {
  double q[3];
  energy_mean(e, a, q);
  rigid_add_node(&e->body, a, reference, q, sums);
}

/// Computes the rigid motion of a piece (connected part of the body) from the sums over its nodes.
HOST_DEVICE void energy_find_piece(const EnergyStep *e, int piece, const RigidSums *sums) {
  rigid_find(sums, &e->pieces.rates[piece]);
}

// Computes q = M w at node a, kg m/s. w is the mean velocity in the step without the rigid motion of the node's piece.
// q is 0 at held unknowns.
HOST_DEVICE void energy_direction(const EnergyStep *e, int a, int reference, const RigidRates *rigid, double q[3]) {
  const double mass = e->body.diagonal_mass[a];
  double r[3], arm[3], turning[3];
  energy_mean(e, a, q);
  spin_position(&e->body, a, reference, r);
  for (int i = 0; i < 3; i++) arm[i] = r[i] - rigid->centre[i];
  cross3(rigid->rate, arm, turning);
  for (int i = 0; i < 3; i++) q[i] = e->body.held[3 * a + i] ? 0 : q[i] - mass * (rigid->linear[i] + turning[i]);
}

/// Adds the contributions of node a to the sums over the body, from which the correction factor follows.
HOST_DEVICE void energy_add_node(const EnergyStep *e, int a, int reference, const RigidRates *rigid, EnergySums *sums) {
  const double mass = e->body.diagonal_mass[a], inertia = e->step.inertia, end_inertia = e->step.end_inertia;
  double q[3];
  energy_direction(e, a, reference, rigid, q);
  for (int i = 0; i < 3; i++) {
    const int k = 3 * a + i;
    if (e->body.held[k]) continue;
    const double p1 = e->body.p[k], p0 = e->p0[k], moved = (double)e->body.u[k] - e->u0[k];
    const double external = (p1 - end_inertia * mass * moved + e->internal[k]) / e->step.impulse;
    const double damping = -(inertia - end_inertia) * mass * moved * e->step.inverse_dt;
    sums->gained += (p1 + p0) * (p1 - p0) / (2 * mass) - (external + damping) * moved;
    sums->kinetic += p1 * p1 / (2 * mass);
    sums->force += fabs((double)e->internal[k]) / e->step.impulse;
    sums->a += q[i] * q[i] / (2 * mass);
    sums->b += p1 * q[i] / mass;
  }
}

HOST_DEVICE void energy_add(EnergySums *sums, const EnergySums *more) {
  sums->gained += more->gained;
  sums->kinetic += more->kinetic;
  sums->force += more->force;
  sums->a += more->a;
  sums->b += more->b;
}

/// Computes the factor s of the correction p1 += s M w, with which the step keeps the energy (top of this file). sums:
/// sums over the body. strain: strain energies at the start and the end of the step, J. size, owed: see EnergyStep. If
/// rounding of momenta and deformation gradients could explain the error of the energy, s and the error are 0.
HOST_DEVICE EnergyFactor energy_factor(const EnergySums *sums, const double strain[2], double size, double owed) {
  const double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  const double inner = sums->kinetic + strain[1], e = sums->gained + strain[1] - strain[0] + owed * inner;
  const double rounding = epsilon * (8 * sums->kinetic + size * sums->force);
  const double square = sums->b * sums->b - 4 * sums->a * e;
  EnergyFactor result = { 0, inner > 0 ? e / inner : 0 };
  if (fabs(e) <= rounding) {
    result.error = 0;
  } else if (sums->a > 0 && sums->b > 0) {
    const double s = square > 0 ? -2 * e / (sums->b + sqrt(square)) : -sums->b / (2 * sums->a);
    result.factor = fmin(fmax(s, -1.0), ENERGY_FACTOR_MAX);
    const double left = e + result.factor * (sums->b + result.factor * sums->a);
    result.error = fabs(left) > rounding ? left / inner : 0;
  }
  return result;
}

/// Adds s q to the momentum of node a. q = M w is the node's mass times the mean velocity w without rigid motions.
HOST_DEVICE void energy_change_node(const EnergyStep *e, int a, int reference, const RigidRates *rigid, double s) {
  double q[3];
  energy_direction(e, a, reference, rigid, q);
  for (int i = 0; i < 3; i++) e->body.p[3 * a + i] += (real)(s * q[i]);
}

/// Correct the momenta after a step of the midpoint rule, so that the step keeps the energy, on the CPU and on the GPU
/// (MotionMethod.keep_energy).
bool REAL_NAME(energy_keep_cpu)(const Motion *motion, const TimeStep *step, const double *material, const void *u0,
                                const void *p0, double *energy_error, Stream stream, Error *error);
#ifdef __cplusplus
extern "C"
#endif
    bool REAL_NAME(energy_keep_cuda)(const Motion *motion, const TimeStep *step, const double *material, const void *u0,
                                     const void *p0, double *energy_error, Stream stream, Error *error);
