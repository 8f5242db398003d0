// The row of pressure on patches of the surface. It follows the motion: a face with corners x0, x1, x2,
// counter-clockwise seen from outside, has the area vector N/2 with N = (x1 - x0) x (x2 - x0), and each corner has the
// force -p N/6. A positive pressure pushes inward.
//
// The energy is p times the volume that the faces sweep outward from their reference positions, on a straight line; it
// has the integral of N/6 . (sum of the corners' displacements), for which Simpson's rule is exact since N is quadratic
// along the line. For a closed surface that is p (V - V0), and the force is minus its gradient. The force on an open
// patch has no potential: the energy is then the work against it on that line.
//
// The tangent has no part of the pressure. A node's diagonal block of it is zero inside a patch, and its blocks between
// nodes are symmetric only for a closed surface. Newton therefore converges linearly, by about p over the modulus in
// each iteration.
#pragma once
#include "sim/force/force_arrays.h"

HOST_DEVICE bool pressure_acts(const Forces *f) {
  return f->pressure.count > 0;
}

/// A recorded graph contains the addresses of the arrays, which are made anew with each change.
HOST_DEVICE void pressure_key(const Forces *f, double key[FORCE_KEYS]) {
  key[0] = f->pressure.count;
  key[1] = f->pressure.changes;
}

/// The displacement of an unknown at which a force acts that follows the motion, if the step ends with displacement u.
HOST_DEVICE double pressure_acts_at(const Body *body, const StepEnd *end, int i, const real *u) {
  return end->theta == 1 ? (double)u[i] : (double)body->u[i] + (double)end->theta * ((double)u[i] - body->u[i]);
}

/// Twice the area vector of a face with corners x [3][3].
HOST_DEVICE void pressure_normal(const double (*x)[3], double *N) {
  double first[3], second[3];
  for (int i = 0; i < 3; i++) first[i] = x[1][i] - x[0][i], second[i] = x[2][i] - x[0][i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    N[i] = first[j] * second[k] - first[k] * second[j];
  }
}

/// The volume, m^3, that a face sweeps outward on straight lines from x to y, both [3][3].
HOST_DEVICE double pressure_swept(const double (*x)[3], const double (*y)[3]) {
  double middle[3][3], N[3][3], volume = 0;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++) middle[c][i] = (x[c][i] + y[c][i]) / 2;
  pressure_normal(x, N[0]), pressure_normal((const double(*)[3])middle, N[1]), pressure_normal(y, N[2]);
  for (int i = 0; i < 3; i++) {
    const double moved = (y[0][i] - x[0][i]) + (y[1][i] - x[1][i]) + (y[2][i] - x[2][i]);
    volume += (N[0][i] + 4 * N[1][i] + N[2][i]) / 6 * moved / 6;
  }
  return volume;
}

/// Adds the force of the pressure on node a, and a third of the energy of each face around it.
HOST_DEVICE void pressure_add(const Forces *f, const Body *body, const StepEnd *end, int a, ObstacleContact *sum) {
  double force[3] = { 0, 0, 0 }, energy = 0;
  for (int k = f->pressure.start[a]; k < f->pressure.start[a + 1]; k++) {
    const double p = f->pressure.value[k];
    double X[3][3], x[3][3], N[3];
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) {
        const int at = 3 * f->pressure.corner[k][c] + i;
        X[c][i] = body->X[at];
        x[c][i] = X[c][i] + (pressure_acts_at(body, end, at, end->u) + body->origin[i]);
      }
    pressure_normal((const double(*)[3])x, N);
    for (int i = 0; i < 3; i++) force[i] -= p / 6 * N[i];
    energy += p / 3 * pressure_swept((const double(*)[3])X, (const double(*)[3])x);
  }
  for (int i = 0; i < 3; i++) sum->force[i] += (real)force[i];
  sum->energy += (real)energy;
}

/// The rise of the energy at node a between the states in which a step ends with displacements v and end->u.
HOST_DEVICE double pressure_rise(const Forces *f, const Body *body, const StepEnd *end, int a, const real *v) {
  double rise = 0;
  for (int k = f->pressure.start[a]; k < f->pressure.start[a + 1]; k++) {
    double x[3][3], y[3][3];
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) {
        const int at = 3 * f->pressure.corner[k][c] + i;
        x[c][i] = body->X[at] + pressure_acts_at(body, end, at, v);
        y[c][i] = body->X[at] + pressure_acts_at(body, end, at, end->u);
      }
    rise += f->pressure.value[k] / 3 * pressure_swept((const double(*)[3])x, (const double(*)[3])y);
  }
  return rise / end->theta;
}
