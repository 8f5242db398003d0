// The start of a step of backward Euler whose momenta are corrected at its end (spin.h). The step begins with
// velocities that are turned back, relative to the centre of their piece, by half of the angle by which the piece
// rotates in the step. A piece is a connected part of the body. The change of the momenta is Iterate.back.
//
// Reason: the velocities (x1 - x0)/dt that a step computes have the direction of the motion in the middle of the step.
// spin.h turns them to the direction at the end of the step, the direction of the state's velocities. So the next step
// must first turn them back to the middle of the last step. Without this, the internal forces of a rotating body would
// supply only half of the change of the velocities' direction. Its centrifugal strains would then have half of their
// value with any dt, and a body that contracts while it rotates would gain energy. This header has the arithmetic for
// one node or piece, for each precision; turn_back.c and turn_back.cu have the loops.
#pragma once
#include <math.h>

#include "sim/dynamics/rigid_motion.h"

// Inputs of the rotation of velocities at the start of a step of duration dt, s.
typedef struct TurnBack {
  Body body;
  SpinPieces pieces;
  real *back;  // Iterate.back
  double dt;
} TurnBack;

static inline TurnBack turn_back_of(const Motion *m, const TimeStep *step) {
  const TurnBack t = { m->body, *m->pieces, m->iterate.back, step->duration };
  return t;
}

/// Computes the change of the velocities of a piece: a rotation R, and an added rigid rotation. R rotates about the
/// angular rate w, 1/s, by the angle -a/2 with tan(a) = dt |w|; a is approximately the rotation of the piece in the
/// step. turn = R - 1, by rows. rate: angular rate of the added rotation, 1/s. Reason for the added rotation: R changes
/// the angular momentum L of the piece. If L only had its old value again, a step would turn a rigid body by t - 5/6
/// t^3 with t = dt |w|, up to terms of fifth order. It should turn the body by t, so the added rotation makes the
/// angular momentum `faster` times L. second, turning: sums over the nodes, relative to the piece's centre (RigidSums).
/// Returns false if the piece's inertia tensor is singular.
HOST_DEVICE bool turn_back_by(const double second[6], const double turning[9], const double w[3], double dt,
                              double turn[9], double rate[3]) {
  const double t2 = dt * dt * dot3(w, w), scale = -1 / sqrt(1 + t2), faster = 1 + 5 * t2 / (6 * (1 + t2));
  const double against[3] = { scale * w[0], scale * w[1], scale * w[2] };
  double before[3], after[3], lost[3];
  spin_half_turn(against, dt, turn);
  spin_axial(turning, before);
  spin_turned(turning, turn, after);
  for (int i = 0; i < 3; i++) lost[i] = faster * before[i] - after[i];
  return spin_solve(second, lost, rate);
}

/// Adds node a to the sums of its piece.
HOST_DEVICE void turn_back_add(const TurnBack *t, int a, int reference, RigidSums *sums) {
  const real *p = &t->body.p[3 * a];
  const double momentum[3] = { p[0], p[1], p[2] };
  rigid_add_node(&t->body, a, reference, momentum, sums);
}

/// Computes the change of a piece's velocities from the sums over its nodes, and stores it in SpinPieces.change.
HOST_DEVICE void turn_back_find(const TurnBack *t, int piece, const RigidSums *all) {
  SpinChange *change = &t->pieces.change[piece];
  const SpinChange none = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
  RigidRates motion;
  double turning[9];
  *change = none;
  if (!rigid_find(all, &motion)) return;
  for (int i = 0; i < 3; i++) {
    change->velocity[i] = motion.linear[i];
    change->centre[i] = motion.centre[i];
  }
  for (int k = 0; k < 9; k++) turning[k] = all->turning[k] - motion.centre[k / 3] * all->linear[k % 3];
  if (!turn_back_by(motion.second, turning, motion.rate, t->dt, change->turn, change->rate)) *change = none;
}

/// Sets Iterate.back at node a. `change` has the change of its piece's velocities.
HOST_DEVICE void turn_back_node(const TurnBack *t, int a, int reference, const SpinChange *change) {
  double more[3];
  spin_change_of(&t->body, a, reference, change, more);
  for (int i = 0; i < 3; i++) t->back[3 * a + i] = (real)more[i];
}

/// Compute Iterate.back on the CPU and on the GPU (MotionMethod.turn_back).
bool REAL_NAME(turn_back_cpu)(const Motion *motion, const TimeStep *step, Stream stream, Error *error);
#ifdef __cplusplus
extern "C"
#endif
    bool REAL_NAME(turn_back_cuda)(const Motion *motion, const TimeStep *step, Stream stream, Error *error);
