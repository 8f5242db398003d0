// In Newton's first evaluation of a time step, nodes also count as touching if they will probably touch the floor or an
// obstacle at the end of the time step. This header computes the load from which their motion is estimated.
#pragma once
#include "sim/force/force_arrays.h"

/// Computes load [3], N, from which the motion of node a in the next `lookahead` s is estimated. The result is the
/// node's constant load, reduced if this load would move the node too far in this time. The motion is limited to a
/// tenth of the cube root of the node's part of the body's volume (times the factor of stiff cells in f->contact;
/// floor.h). In a time step dt, gravity moves a node by about gravity * dt^2. If this length exceeded the size of a
/// small body, all its nodes would count as touching in every time step.
HOST_DEVICE void load_ahead(const Forces *f, const Body *body, int a, real lookahead, real *load) {
  const real *all = f->load + 3 * a, maximum = (real)0.1 / FLOOR_STIFFNESS * f->contact[a];
  const real length = lookahead * lookahead / body->mass[a] * (real)sqrt((double)along(all, all));
  for (int i = 0; i < 3; i++) load[i] = length > maximum ? all[i] * (maximum / length) : all[i];
}
