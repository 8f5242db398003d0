// A body: nodes with mass that have moved and go on moving. Its arrays lie on its device; motion_arrays.c makes and
// reads them. Built for each precision.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"

// What consistent masses (sim/element/mass_matrix.h) couple nodes by, on the body's device. All NULL where masses are
// lumped.
typedef struct MassRows {
  int64_t *start;  // [node_count + 1], into neighbour and value
  int *neighbour;  // [pairs], nodes that share a cell, the node itself included
  real *value;     // [pairs] kg, 0 of a node with itself
  real low, high;  // bounds on the eigenvalues of the mass matrix over its diagonal
  real *factor;    // [1] 1/s, what the tangent has of it: TimeStep.inertia
  real *moved;     // [n] kg m, what they add to the masses' product with u1 - u0
  // [n] m/s: what find_velocity leaves, and what it works on
  real *velocity, *next, *change;
  double *dot;  // [node_count], a product's x.y by rows, on the CPU
} MassRows;

typedef struct Body {
  Device device;
  int node_count, n;  // n = 3 node_count unknowns
  real *X;            // [n] reference positions, m
  real *u, *p;        // [n] displacements, m, and momenta, kg m/s: the state, during a step that at its start
  real *mass;         // [node_count] kg, lumped
  real *own_mass;     // [node_count] kg, the mass matrix's diagonal: `mass` itself, or that of consistent ones
  MassRows rows;
  // [3] m: displacements are from here. It follows a body that nothing holds, so that float keeps its digits for the
  // body's deformation: at 5 m they are 5e-7 m apart, which in rubber is a stress of the size of its own weight
  double *origin;
  uint8_t *held;  // [n] 1: the unknown does not move
  bool any_held;
  int *user_node;  // [node_count] the user's number of each node
} Body;
