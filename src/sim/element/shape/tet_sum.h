// Defines shape_displacement_gradient (solid.h) for tetrahedra with more than four nodes. tet10.h and tet20.h include
// this file after they define SHAPE_NODES.
#pragma once
#include "base/real.h"
#include "device/host_device.h"

// Computes the displacement gradient G, the sum over the nodes a of (u_a - u_3) B_a^T. u_a is the displacement of node
// a, and B_a the gradient of its shape function. Subtracting u_3 avoids rounding errors of large displacements. The sum
// stays the same, since the gradients B_a sum to 0.
HOST_DEVICE void shape_displacement_gradient(const real *u, const real *S, const real B[SHAPE_NODES][3], real G[3][3]) {
  (void)S;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int a = 0; a < SHAPE_NODES; a++) sum += (u[3 * a + i] - u[9 + i]) * B[a][k];
      G[i][k] = sum;
    }
}
