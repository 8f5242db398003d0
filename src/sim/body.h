// A body: nodes with mass that have moved and go on moving. Its arrays lie on its device; motion_arrays.c makes and
// reads them. Built for each precision.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"

typedef struct Body {
  Device device;
  int node_count, n;  // n = 3 node_count unknowns
  real *X;            // [n] reference positions, m
  real *u, *p;        // [n] displacements, m, and momenta, kg m/s: the state, during a step that at its start
  real *mass;         // [node_count] kg, lumped
  // [3] m: displacements are from here. It follows a body that nothing holds, so that float keeps its digits for the
  // body's deformation: at 5 m they are 5e-7 m apart, which in rubber is a stress of the size of its own weight
  double *origin;
  uint8_t *held;  // [n] 1: the unknown does not move
  bool any_held;
  int *user_node;  // [node_count] the user's number of each node
} Body;
