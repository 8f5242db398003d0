// The nodes of a body with their masses, displacements and momenta. Arrays are on the body's device; motion_arrays.c
// creates and reads them. Built for each precision.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"
#include "sim/force/held.h"

// The consistent mass matrix (sim/element/mass_matrix.h) by rows, on the body's device. Its diagonal is in
// Body.diagonal_mass. All pointers are NULL if masses are lumped.
typedef struct MassRows {
  int64_t *start;  // [node_count + 1], offsets into neighbour and value
  int *neighbour;  // [pairs], nodes with a common cell, the node itself included
  real *value;     // [pairs] kg, entries of the matrix; 0 for a node with itself
  real low, high;  // bounds of the eigenvalues of diagonal^-1 * (mass matrix)
  real *factor;    // [1] 1/s, on the device: factor of the mass matrix in the tangent, TimeStep.inertia
  real *moved;     // [n] kg m, product of these rows with u1 - u0, the displacements in the step
  // [n] m/s: velocities, which MotionMethod.find_velocity computes, and two work arrays of this function
  real *velocity, *next, *change;
  double *dot;  // [node_count], work array on the CPU: dot products by rows
} MassRows;

typedef struct Body {
  Device device;
  int node_count, n;    // n = 3 node_count unknowns
  real *X;              // [n] reference positions, m
  real *u, *p;          // [n] displacements, m, and momenta, kg m/s: the state; during a step, the state at its start
  real *mass;           // [node_count] kg, lumped
  real *diagonal_mass;  // [node_count] kg, diagonal of the mass matrix: the array `mass` itself, or that of the
                        // consistent mass matrix
  MassRows rows;
  // [3] m, origin of displacements: position = X + origin + u. It follows a free body, so that u stays small and floats
  // resolve the deformation. Without it, a body 5 m from its start would have displacements in steps of 5e-7 m, the
  // spacing of floats there. Deformations of that size cause stresses in rubber as large as those by its weight.
  double *origin;
  uint8_t *held;  // [n] bits of held.h
  bool any_held, any_moved;
  real *target;    // [n] m, for HELD_MOVED unknowns: displacement from X at the end of the whole step
  int *user_node;  // [node_count] the user's number of each node
} Body;
