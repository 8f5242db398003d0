// The first guess FIRST_GUESS_RIGID: Newton's method starts at the displacements that the body would have if each of
// its free pieces moved as a rigid body in the step. A piece is a connected part of the body (spin.h); it is free if
// none of its unknowns is held. Other pieces start at u0.
//
// Without this guess a stiff body that spins needs many Newton iterations, since a linear system turns nodes along
// straight lines and so stretches the body.
//
// A free rigid body with angular rate w, 1/s, turns in a step of length dt by an angle a that depends on the
// integrator: tan(a) = dt w with backward Euler, and tan(a/2) = dt w/2 with the midpoint rule.
//
// The arithmetic here is for one node or one piece; rigid_guess.c and rigid_guess.cu have the loops. Built for each
// precision.
#pragma once
#include <math.h>

#include "sim/dynamics/spin.h"

// Sums over the nodes of a piece. M is the mass matrix, r a node's position relative to the piece's reference node, and
// p its momentum, all at the start of the step.
typedef struct RigidSums {
  double mass;       // kg
  double centre[3];  // kg m, sum of M r
  double linear[3];  // kg m/s, sum of p
  double spin[3];    // kg m^2/s, sum of r x p
  double second[6];  // kg m^2, sum of r (M r)^T: xx, yy, zz, yz, xz, xy
  double held;       // number of held unknowns
} RigidSums;
enum { RIGID_SUMS = sizeof(RigidSums) / sizeof(double) };

// The rigid motion of a piece in a step: u1 = u0 + moved + turn (r - centre). If the piece stays at u0, all members are
// 0.
typedef struct RigidShift {
  double turn[9];    // R - 1, by rows, with the rotation R
  double centre[3];  // m, relative to the reference node
  double moved[3];   // m, displacement of the centre
} RigidShift;

// Inputs of the guess: the body's state, its pieces and the coefficients of the step.
typedef struct RigidGuess {
  Loop loop;
  SpinPieces pieces;
} RigidGuess;

static inline RigidGuess rigid_guess(const Motion *m, const TimeStep *step) {
  const RigidGuess g = { loop_over(m, step), *m->pieces };
  return g;
}

/// Adds node a to the sums of its piece.
HOST_DEVICE void rigid_add_node(const Body *body, int a, int reference, RigidSums *sums) {
  double r[3], weighed[3], p[3];
  spin_position(body, a, reference, r);
  sums->mass += spin_weigh(body, a, reference, r, weighed);
  for (int i = 0; i < 3; i++) {
    p[i] = body->p[3 * a + i];
    sums->held += body->held[3 * a + i] != 0;
  }

  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sums->centre[i] += weighed[i];
    sums->linear[i] += p[i];
    sums->spin[i] += r[j] * p[k] - r[k] * p[j];
    sums->second[i] += r[i] * weighed[i];
    sums->second[3 + i] += r[j] * weighed[k];
  }
}

HOST_DEVICE void rigid_add(RigidSums *sums, const RigidSums *more) {
  for (int k = 0; k < RIGID_SUMS; k++) ((double *)sums)[k] += ((const double *)more)[k];
}

// Computes turn = R - 1 (by rows) for a body with angular rate w, 1/s, in a step with these coefficients. Uses a square
// root and no trigonometric functions, so that results are bit-identical with every C library.
HOST_DEVICE void rigid_turn(const double w[3], const TimeStep *step, double turn[9]) {
  const double dt = step->duration, t2 = dt * dt * dot3(w, w);
  // sine = sin(a) / (dt |w|) and cosine = (1 - cos(a)) / (dt |w|)^2
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

/// Computes the rigid motion of a piece from its sums.
HOST_DEVICE void rigid_find(const RigidSums *all, const TimeStep *step, RigidShift *motion) {
  const RigidShift none = { { 0 }, { 0 }, { 0 } };
  double c[3], spin[3], second[6], rate[3];
  *motion = none;
  if (all->held > 0 || !(all->mass > 0)) return;

  // moments about the centre
  for (int i = 0; i < 3; i++) c[i] = all->centre[i] / all->mass;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    spin[i] = all->spin[i] - (c[j] * all->linear[k] - c[k] * all->linear[j]);
    second[i] = all->second[i] - all->mass * c[i] * c[i];
    second[3 + i] = all->second[3 + i] - all->mass * c[j] * c[k];
  }
  if (!spin_solve(second, spin, rate)) return;
  rigid_turn(rate, step, motion->turn);
  for (int i = 0; i < 3; i++) {
    motion->centre[i] = c[i];
    motion->moved[i] = step->duration * all->linear[i] / all->mass;
  }
}

/// Sets u1 of node a to the guess, and the trial state there.
HOST_DEVICE void rigid_place_node(const RigidGuess *g, int a, int reference, const RigidShift *motion) {
  const Body *body = &g->loop.motion.body;
  const Iterate *it = &g->loop.motion.iterate;
  double r[3];
  spin_position(body, a, reference, r);
  for (int i = 0; i < 3; i++) {
    const int k = 3 * a + i;
    double u = body->u[k] + motion->moved[i];
    for (int j = 0; j < 3; j++) u += motion->turn[3 * i + j] * (r[j] - motion->centre[j]);
    it->u1[k] = body->held[k] ? held_end(body, &g->loop.step, k, it->u_backup[k]) : (real)u;
    try_at(&g->loop, k, it->u1[k]);
  }
}

/// Implement FIRST_GUESS_RIGID: set u1, and the trial state there. MotionArrays.find_pieces must have run.
bool REAL_NAME(rigid_guess_cpu)(const Motion *motion, const TimeStep *step, Stream stream, Error *error);
#ifdef __cplusplus
extern "C"
#endif
    bool REAL_NAME(rigid_guess_cuda)(const Motion *motion, const TimeStep *step, Stream stream, Error *error);
