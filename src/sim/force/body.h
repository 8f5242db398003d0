// The nodes of a body with their masses, displacements and momenta. The arrays are on its device; motion_arrays.c
// creates and reads them. Built for each precision.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"
#include "sim/force/held.h"

// The rows of a consistent mass matrix (sim/element/mass_matrix.h), on the body's device. All NULL if masses are
// lumped.
typedef struct MassRows {
  int64_t *start;  // [node_count + 1], into neighbour and value
  int *neighbour;  // [pairs], nodes that share a cell, the node itself included
  real *value;     // [pairs] kg, 0 of a node with itself
  real low, high;  // bounds on the eigenvalues of diagonal^-1 times the mass matrix
  real *factor;    // [1] 1/s, factor of the mass matrix in the tangent: TimeStep.inertia
  real *moved;     // [n] kg m, product of these entries with u1 - u0
  // [n] m/s: result of find_velocity, and its work arrays
  real *velocity, *next, *change;
  double *dot;  // [node_count], a product's x.y by rows, on the CPU
} MassRows;

typedef struct Body {
  Device device;
  int node_count, n;    // n = 3 node_count unknowns
  real *X;              // [n] reference positions, m
  real *u, *p;          // [n] displacements, m, and momenta, kg m/s: the state; during a step, the state at its start
  real *mass;           // [node_count] kg, lumped
  real *diagonal_mass;  // [node_count] kg, the mass matrix's diagonal: `mass` itself, or that of consistent ones
  MassRows rows;
  // [3] m, origin of the displacements. It follows a free body, so that floats resolve its deformation: at 5 m their
  // spacing is 5e-7 m, which in rubber is a stress of the size of its own weight
  double *origin;
  uint8_t *held;  // [n] bits of held.h
  bool any_held, any_moved;
  real *target;    // [n] m, of unknowns that are moved: displacement from X at the end of the whole step
  int *user_node;  // [node_count] the user's number of each node
} Body;
