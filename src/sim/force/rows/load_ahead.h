// The load by which the rows `floor` and `obstacles` of forces.def estimate, in Newton's first evaluation, which nodes
// will touch.
#pragma once
#include "sim/force/force_arrays.h"

/// Computes load [3], N, of node a for this estimate. It is the node's load, reduced so that it moves the node in
/// `lookahead` s by at most a tenth of the size of the node's part of the volume. Without the reduction, gravity would
/// move a free node by about gravity * dt^2, and all nodes of a smaller body would count as touching in every step. In
/// fact the rest of the body supports them.
HOST_DEVICE void load_ahead(const Forces *f, const Body *body, int a, real lookahead, real *load) {
  const real *all = f->load + 3 * a, maximum = (real)0.1 / FLOOR_STIFFNESS * f->contact[a];
  const real length = lookahead * lookahead / body->mass[a] * (real)sqrt((double)along(all, all));
  for (int i = 0; i < 3; i++) load[i] = length > maximum ? all[i] * (maximum / length) : all[i];
}
