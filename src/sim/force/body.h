// The nodes of a body with their masses, displacements and momenta. Arrays are on the body's device (CPU or GPU);
// motion_arrays.c allocates these arrays. n is the number of unknowns, 3 for each node: unknown 3 a + i is component i
// of node a. This header is compiled for each precision.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"
#include "sim/force/held.h"

// The off-diagonal entries of the consistent mass matrix (sim/element/mass_matrix.h), row after row, on the body's
// device. The array Body.diagonal_mass has the diagonal. All pointers are NULL if masses are lumped.
typedef struct MassRows {
  int64_t *start;  // [node_count + 1], index in `neighbour` and `value` of each row's first entry
  int *neighbour;  // [pairs], for each node the nodes of its cells, the node itself included
  real *value;     // [pairs] kg, entries of the matrix; 0 for a node with itself
  real low, high;  // lower and upper bound of the eigenvalues of diagonal^-1 * (mass matrix)
  // [1] 1/s, on the device: factor of the mass matrix in the matrix of Newton's method (TimeStep.inertia)
  real *factor;
  // [n] kg m: product of the off-diagonal part of the mass matrix with the displacements in the time step, u1 - u0
  real *moved;
  // [n] m/s. velocity: velocities M^-1 p, where M is the consistent mass matrix and p are the momenta. next, change:
  // work arrays of the iteration that solves M velocity = p.
  real *velocity, *next, *change;
  double *dot;  // [node_count], work array on the CPU: one partial sum of a dot product for each node
} MassRows;

typedef struct Body {
  Device device;      // device on which the arrays are stored
  int node_count, n;  // n = 3 node_count unknowns
  real *X;            // [n] positions of the nodes in the undeformed body, m
  // [n] displacements, m, and momenta, kg m/s. While a time step is computed, u and p keep their values at the start of
  // the time step.
  real *u, *p;
  real *mass;  // [node_count] kg, lumped mass of each node
  // [node_count] kg, diagonal of the mass matrix. If masses are lumped, this pointer is equal to `mass`; otherwise the
  // diagonal is a separate array.
  real *diagonal_mass;
  // [node_count], weight of each node in the norms of Newton's residual (ResidualNorms), at most 1; NULL: all weights
  // are 1. If the body consists of pieces (connected parts) of very different mass, nodes of heavy pieces have smaller
  // weights. Otherwise a state would count as converged in which only the heavy pieces have moved. spin_find_pieces
  // computes the weights.
  real *weight;
  double least_weight;  // the smallest weight; 1 if there are no weights
  MassRows rows;        // the consistent mass matrix without its diagonal; its pointers are NULL if masses are lumped
  // [3] m, origin of displacements: position = X + origin + u. The origin follows a body that moves freely. So u stays
  // small, and a float resolves the deformation. Example: at 5 m, floats are 5e-7 m apart; in rubber, a deformation of
  // this size causes stresses as large as those that the body's weight causes.
  double *origin;
  // [n], one byte for each unknown, with the bits of held.h. HELD_PINNED: the unknown does not move. HELD_MOVED: its
  // motion is prescribed. 0: the unknown is free.
  uint8_t *held;
  bool any_held, any_moved;  // any_held: an unknown is held; any_moved: a held unknown has a prescribed motion
  // [n] m, for unknowns with HELD_MOVED: the prescribed displacement from X at the end of the time step. If a failed
  // time step is repeated in shorter parts, the array has the displacement at the end of the last part.
  real *target;
  int *user_node;  // [node_count] the user's number of each node
} Body;
