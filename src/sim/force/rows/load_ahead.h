// The load that a first guess of contact takes into account: for the rows of floor and obstacles.
#pragma once
#include "sim/force/force_arrays.h"

/// Computes the load that moves node a in a first guess of contacts, [3] N. By itself it moves the node by at most a
/// tenth of the size of its part of the volume, since the rest of the body supports a resting node. Without that bound
/// all nodes of a body that is small against gravity times dt squared counted as touching, in every step.
HOST_DEVICE void load_ahead(const Forces *f, const Body *body, int a, real lookahead, real *load) {
  const real *all = f->load + 3 * a, maximum = (real)0.1 / FLOOR_STIFFNESS * f->contact[a];
  const real length = lookahead * lookahead / body->mass[a] * (real)sqrt((double)along(all, all));
  for (int i = 0; i < 3; i++) load[i] = length > maximum ? all[i] * (maximum / length) : all[i];
}
