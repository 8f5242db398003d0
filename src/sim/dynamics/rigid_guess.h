// The first guess FIRST_GUESS_RIGID: Newton's method starts at the displacements that result if each free piece of the
// body moves as a rigid body in the step. A piece is a connected part of the body (spin.h); it is free if none of its
// unknowns is held. Other pieces, and pieces with a singular inertia tensor, start at u0, the displacements at the
// start of the step.
//
// Reason: the solution of a linear system moves nodes along straight lines. In a body that spins, this motion stretches
// the cells; if the body is stiff, Newton's method then needs many iterations. This header has the arithmetic for one
// node or piece, for each precision; rigid_guess.c and rigid_guess.cu have the loops.
#pragma once
#include <math.h>

#include "sim/dynamics/rigid_motion.h"
#include "sim/dynamics/turn_back.h"

// The rigid motion of a piece in a step, from the displacement u0 of a node at its start to u1 at its end: u1 = u0 +
// moved + turn (r - centre), with r the node's position at the start relative to the piece's reference node. All
// members are 0 if the piece stays at u0.
typedef struct RigidShift {
  double turn[9];    // R - 1, by rows, with R the rotation in the step
  double centre[3];  // m, centre of mass relative to the piece's reference node
  double moved[3];   // m, displacement of the centre
} RigidShift;

// Inputs of the first guess by rigid motions: the body's state, its pieces and the coefficients of the step.
typedef struct RigidGuess {
  Loop loop;
  SpinPieces pieces;
} RigidGuess;

static inline RigidGuess rigid_guess(const Motion *m, const TimeStep *step) {
  const RigidGuess g = { loop_over(m, step), *m->pieces };
  return g;
}

// Computes out = a b, the product of matrices stored by rows.
HOST_DEVICE void rigid_multiply(const double a[9], const double b[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// Rotates R, a matrix stored by rows: R becomes C R. C is the rotation about the vector d by the angle 2 atan(|d|/2).
HOST_DEVICE void rigid_rotate(const double d[3], double R[9]) {
  const double scale = 1 / (1 + dot3(d, d) / 4), from[9] = { R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8] };
  const double cross[9] = { 0, -d[2], d[1], d[2], 0, -d[0], -d[1], d[0], 0 };
  double C[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double square = d[i] * d[j] - (i == j ? dot3(d, d) : 0);
      C[3 * i + j] = (i == j) + scale * (cross[3 * i + j] + square / 2);
    }
  rigid_multiply(C, from, R);
}

// Computes Y, by rows. A node at r, relative to the centre of a rigid body with angular rate w, 1/s, would be at Y r at
// the end of the step if no force acted on it. If the step turns velocities back (turn_back.h), Y includes this.
// second: second moments C about the centre, by rows in `C` and as in RigidRates in `second`.
HOST_DEVICE void rigid_coast(const double second[6], const double C[9], const double w[3], const TimeStep *step,
                             double Y[9]) {
  const double dt = step->duration, cross[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 };
  const double against[9] = { 0, w[2], -w[1], -w[2], 0, w[0], w[1], -w[0], 0 };  // the transpose of `cross`
  double turn[9] = { 0 }, d[3] = { 0 }, turning[9];
  rigid_multiply(C, against, turning);
  if (step->turns_back) turn_back_by(second, turning, w, dt, turn, d);
  for (int i = 0; i < 3; i++) turn[4 * i] += 1;
  rigid_multiply(turn, cross, Y);
  const double more[9] = { 0, -d[2], d[1], d[2], 0, -d[0], -d[1], d[0], 0 };
  for (int k = 0; k < 9; k++) Y[k] = dt * (Y[k] + more[k]) + (k % 4 == 0);
}

// Computes turn = R - 1, by rows, with R the rotation of a free rigid body in a step. second: second moments C of the
// body about its centre; w: angular rate, 1/s. Internal forces have no torque at the positions x at which the step
// evaluates them. So the sum of m x x (R r - Y r) over the nodes is 0, with x = (1 - theta) r + theta R r, the mass m
// and the coefficient theta of the step. This is Newton's method for R. It uses no trigonometric functions, so that
// results are bit-identical with every C library.
HOST_DEVICE void rigid_turn(const double second[6], const double w[3], const TimeStep *step, double turn[9]) {
  enum { ITERATIONS = 6 };
  const double theta = step->theta, *s = second;
  const double C[9] = { s[0], s[5], s[4], s[5], s[1], s[3], s[4], s[3], s[2] };
  double R[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, Y[9], Z[9], start[9], moment[9], from[3], torque[3], d[3];
  rigid_coast(second, C, w, step, Y);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Z[3 * j + i] = (1 - theta) * (i == j) + theta * Y[3 * i + j];  // transposed
  rigid_multiply(Y, C, start);
  spin_axial(start, from);  // minus the sum of m r x Y r, because `start` is the sum of m Y r r^T
  rigid_multiply(C, Z, start);

  for (int k = 0; k < ITERATIONS; k++) {
    rigid_multiply(R, start, moment);
    spin_axial(moment, torque);
    const double sums[6] = { moment[0],
                             moment[4],
                             moment[8],
                             (moment[5] + moment[7]) / 2,
                             (moment[2] + moment[6]) / 2,
                             (moment[1] + moment[3]) / 2 };
    for (int i = 0; i < 3; i++) torque[i] -= (1 - theta) * from[i];
    if (!spin_solve(sums, torque, d)) break;
    rigid_rotate(d, R);
  }
  for (int k = 0; k < 9; k++) turn[k] = R[k] - (k % 4 == 0);
}

/// Adds node a, with its momentum at the start of the step, to the sums of its piece (connected part of the body).
HOST_DEVICE void rigid_add_start(const RigidGuess *g, int a, int reference, RigidSums *sums) {
  const Body *body = &g->loop.motion.body;
  const double p[3] = { body->p[3 * a], body->p[3 * a + 1], body->p[3 * a + 2] };
  rigid_add_node(body, a, reference, p, sums);
}

/// Computes the rigid motion of a piece (connected part of the body) in the step, from the sums over its nodes.
HOST_DEVICE void rigid_shift(const RigidGuess *g, int piece, const RigidSums *all) {
  const TimeStep *step = &g->loop.step;
  RigidShift *shift = &g->pieces.rigid[piece];
  const RigidShift none = { { 0 }, { 0 }, { 0 } };
  RigidRates motion;
  *shift = none;
  if (!rigid_find(all, &motion)) return;
  rigid_turn(motion.second, motion.rate, step, shift->turn);
  for (int i = 0; i < 3; i++) {
    shift->centre[i] = motion.centre[i];
    shift->moved[i] = step->duration * motion.linear[i];
  }
}

/// Sets u1, the displacements at the step's end, and the trial state to the first guess at node a. `shift` is the rigid
/// motion of the node's piece in the step.
HOST_DEVICE void rigid_place_node(const RigidGuess *g, int a, int reference, const RigidShift *shift) {
  const Body *body = &g->loop.motion.body;
  const Iterate *it = &g->loop.motion.iterate;
  double r[3];
  spin_position(body, a, reference, r);
  for (int i = 0; i < 3; i++) {
    const int k = 3 * a + i;
    double u = body->u[k] + shift->moved[i];
    for (int j = 0; j < 3; j++) u += shift->turn[3 * i + j] * (r[j] - shift->centre[j]);
    it->u1[k] = body->held[k] ? held_end(body, &g->loop.step, k, it->u_backup[k]) : (real)u;
    try_at(&g->loop, k, it->u1[k]);
  }
}

/// Set u1 and the trial state to the guess FIRST_GUESS_RIGID, on the CPU and on the GPU. The pieces of the body must
/// have been found (spin_find_pieces).
bool REAL_NAME(rigid_guess_cpu)(const Motion *motion, const TimeStep *step, Stream stream, Error *error);
#ifdef __cplusplus
extern "C"
#endif
    bool REAL_NAME(rigid_guess_cuda)(const Motion *motion, const TimeStep *step, Stream stream, Error *error);
