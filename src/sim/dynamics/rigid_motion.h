// Rigid motions of pieces, the connected parts of a body (spin.h): the arithmetic for one node or one piece. A piece is
// free if none of its unknowns is held. This header is compiled for each precision.
#pragma once
#include "sim/dynamics/spin.h"

// Sums over the nodes of a piece. M: mass matrix. r: a node's position relative to the piece's reference node, m. q: a
// momentum of the node, kg m/s, which the caller chooses.
typedef struct RigidSums {
  double mass;        // kg, mass of the piece
  double centre[3];   // kg m, sum of M r
  double linear[3];   // kg m/s, sum of q
  double spin[3];     // kg m^2/s, sum of r x q
  double second[6];   // kg m^2, sum of r (M r)^T: xx, yy, zz, yz, xz, xy
  double turning[9];  // kg m^2/s, sum of the matrices r q^T, stored by rows
  double held;        // number of held unknowns
} RigidSums;
enum { RIGID_SUMS = sizeof(RigidSums) / sizeof(double) };

// The rigid motion that has the linear and angular momentum of a piece: a node at r, relative to the piece's reference
// node, has the velocity linear + rate x (r - centre).
typedef struct RigidRates {
  double centre[3];  // m, centre of mass, relative to the reference node
  double linear[3];  // m/s, velocity of the centre
  double rate[3];    // 1/s, angular velocity
  double second[6];  // kg m^2, second moments about the centre: xx, yy, zz, yz, xz, xy
} RigidRates;

/// Adds node a, with the momentum q [3], kg m/s, to the sums of its piece (connected part of the body). `reference` is
/// the piece's reference node.
HOST_DEVICE void rigid_add_node(const Body *body, int a, int reference, const double q[3], RigidSums *sums) {
  double r[3], weighed[3];
  spin_position(body, a, reference, r);
  sums->mass += spin_weigh(body, a, reference, r, weighed);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sums->held += body->held[3 * a + i] != 0;
    sums->centre[i] += weighed[i];
    sums->linear[i] += q[i];
    sums->spin[i] += r[j] * q[k] - r[k] * q[j];
    sums->second[i] += r[i] * weighed[i];
    sums->second[3 + i] += r[j] * weighed[k];
    for (int c = 0; c < 3; c++) sums->turning[3 * i + c] += r[i] * q[c];
  }
}

HOST_DEVICE void rigid_add(RigidSums *sums, const RigidSums *more) {
  for (int k = 0; k < RIGID_SUMS; k++) ((double *)sums)[k] += ((const double *)more)[k];
}

/// Computes the rigid motion of a piece (connected part of the body) from the sums over its nodes. Returns false and
/// sets *motion to 0 if a node of the piece is held, or if the piece's inertia tensor is singular.
HOST_DEVICE bool rigid_find(const RigidSums *all, RigidRates *motion) {
  const RigidRates none = { { 0 }, { 0 }, { 0 }, { 0 } };
  double spin[3], *second = motion->second;
  *motion = none;
  if (all->held > 0 || !(all->mass > 0)) return false;

  // Compute the mean velocity, and move the angular momentum and the second moments to the centre of mass.
  double *c = motion->centre;
  for (int i = 0; i < 3; i++) {
    c[i] = all->centre[i] / all->mass;
    motion->linear[i] = all->linear[i] / all->mass;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    spin[i] = all->spin[i] - (c[j] * all->linear[k] - c[k] * all->linear[j]);
    second[i] = all->second[i] - all->mass * c[i] * c[i];
    second[3 + i] = all->second[3 + i] - all->mass * c[j] * c[k];
  }
  if (spin_solve(second, spin, motion->rate)) return true;
  *motion = none;
  return false;
}

/// Functions that rigid_sum_pieces calls. RigidAddNode adds node a to the sums of its piece; `reference` is the piece's
/// reference node. RigidTakeSums receives the sums over all nodes of a piece.
typedef void (*RigidAddNode)(const void *step, int a, int reference, RigidSums *sums);
typedef void (*RigidTakeSums)(const void *step, int piece, const RigidSums *sums);

/// Adds up the nodes of each piece on the CPU, over all processes, and calls `take` for each piece in order. Both
/// functions get `step`. Sums have a fixed order, so results repeat bit for bit.
bool REAL_NAME(rigid_sum_pieces)(const Motion *motion, const void *step, RigidAddNode add_node, RigidTakeSums take,
                                 Error *error);
