// The first guess FIRST_GUESS_RIGID: Newton's method starts at the displacements that result if each free piece of the
// body moves as a rigid body in the step. A piece is a connected part of the body (spin.h); it is free if none of its
// unknowns is held. Other pieces, and pieces with a singular inertia tensor, start at u0, the displacements at the
// start of the step.
//
// Reason: the solution of a linear system moves nodes along straight lines. In a body that spins, this motion stretches
// the cells; if the body is stiff, Newton's method then needs many iterations. In a step of duration dt, an integrator
// turns a free rigid body with angular rate w, 1/s, by an angle a. With backward Euler, tan(a) = dt w; with the
// midpoint rule, tan(a/2) = dt w/2. This header has the arithmetic for one node or piece, for each precision;
// rigid_guess.c and rigid_guess.cu have the loops.
#pragma once
#include <math.h>

#include "sim/dynamics/rigid_motion.h"

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

// Computes turn = R - 1, by rows, with R the rotation of a free rigid body with angular rate w, 1/s, in a step. Uses a
// square root and no trigonometric functions, so that results are bit-identical with every C library.
HOST_DEVICE void rigid_turn(const double w[3], const TimeStep *step, double turn[9]) {
  const double dt = step->duration, t2 = dt * dt * dot3(w, w);
  // a: angle of rotation. sine = sin(a) / (dt |w|), and cosine = (1 - cos(a)) / (dt |w|)^2
  double sine, cosine;
  if (step->theta == 1) {
    const double secant = sqrt(1 + t2);
    sine = 1 / secant, cosine = 1 / (secant * (1 + secant));
  } else {
    sine = 1 / (1 + t2 / 4), cosine = sine / 2;
  }

  const double s = dt * sine, c = dt * dt * cosine;
  const double cross[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) turn[3 * i + j] = s * cross[3 * i + j] + c * (w[i] * w[j] - (i == j ? dot3(w, w) : 0));
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
  rigid_turn(motion.rate, step, shift->turn);
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
