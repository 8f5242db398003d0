// The row `pressure` of forces.def: pressure p on faces of the surface, along their deformed normals. N_a are the shape
// functions of a face, x positions on it, and x,1 and x,2 their derivatives by the face's two coordinates, such that
// the cross product x,1 x x,2 points outward. Node a has the force -p n_a with
//   n_a = integral of N_a (x,1 x x,2) = sum over b < c of w_abc x_b x x_c,
//   w_abc = integral of N_a (N_b,1 N_c,2 - N_b,2 N_c,1).
// The weights w are constants of the reference face, so that faces of all shapes and degrees are integrated exactly. A
// positive pressure pushes inward.
//
// The energy is p times the volume that the faces sweep outward while their nodes move on straight lines from the
// reference positions. It is p times the sum over a of the integral of n_a . dx_a along these lines. Simpson's rule is
// exact for it, since n_a is quadratic along a line. For a closed surface with the volume V, initially V0, the energy
// is p (V - V0), and the force is minus its gradient. The force on an open patch has no potential. For it, the energy
// is the work against the force along these lines.
//
// The tangent is minus the derivative of the force. With g_ab = sum over c of w_abc x_c, block (a, b) is the matrix of
// the cross product v -> -p g_ab x v. The solver needs a symmetric matrix, so only the symmetric part is used, v ->
// -p/2 (g_ab - g_ba) x v. For a closed surface, and for a patch with a held edge, the sum over all faces is symmetric
// anyway, so that the tangent is exact. Diagonal blocks are zero. The tangent is an extra term of the operator.
#pragma once
#include "mesh/cell_shape.h"
#include "sim/force/force_arrays.h"

enum { PRESSURE_NODES_MAX = CELL_FACET_NODES_MAX };

HOST_DEVICE bool pressure_acts(const Forces *f) {
  return f->pressure.count > 0;
}

/// The numbers that a recorded CUDA graph contains. It also contains the addresses of the arrays, which are allocated
/// anew when the faces change, so the number of such changes is one of them.
HOST_DEVICE void pressure_key(const Forces *f, double key[FORCE_KEYS]) {
  key[0] = f->pressure.count;
  key[1] = f->pressure.changes;
}

/// Returns the displacement of unknown i at which the pressure is evaluated, u0 + theta (u - u0), for a step that ends
/// with displacements u.
HOST_DEVICE double pressure_acts_at(const Body *body, real theta, int i, const real *u) {
  return theta == 1 ? (double)u[i] : (double)body->u[i] + (double)theta * ((double)u[i] - body->u[i]);
}

/// Returns the index of the pair (b, b + 1) in the list of all pairs (b, c) of a face's nodes with b < c. For 3 nodes
/// the list is (0, 1), (0, 2), (1, 2), so pair (1, 2) has index 2.
HOST_DEVICE int pressure_pair(int nodes, int b) {
  return b * (2 * nodes - b - 1) / 2;
}

/// Returns the weights w_abc of node a = `node` within a face, for all pairs (b, c).
HOST_DEVICE const double *pressure_weights(const Pressures *p, int face, int node) {
  return p->weight + ((int64_t)p->table[face] * p->nodes + node) * pressure_pair(p->nodes, p->nodes - 1);
}

/// Computes n_a of a face with nodes at x [nodes][3]. Subtracts x[0] from all positions, which avoids cancellation far
/// from the origin.
HOST_DEVICE void pressure_normal(const double *weight, int nodes, const double (*x)[3], double *n) {
  n[0] = n[1] = n[2] = 0;
  for (int b = 1; b < nodes; b++) {
    const double *w = weight + pressure_pair(nodes, b) - (b + 1);
    double sum[3] = { 0, 0, 0 }, at[3];
    for (int c = b + 1; c < nodes; c++)
      for (int i = 0; i < 3; i++) sum[i] += w[c] * (x[c][i] - x[0][i]);
    for (int i = 0; i < 3; i++) at[i] = x[b][i] - x[0][i];
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      n[i] += at[j] * sum[k] - at[k] * sum[j];
    }
  }
}

/// Returns the integral of n_a . dx_a, m^3, while the nodes of a face move on straight lines from x to y, both
/// [nodes][3]. This is the node's part of the volume that the face sweeps outward. `local` is the index of node a
/// within the face.
HOST_DEVICE double pressure_swept(const double *weight, int nodes, int local, const double (*x)[3],
                                  const double (*y)[3]) {
  double middle[PRESSURE_NODES_MAX][3], n[3][3], volume = 0;
  for (int c = 0; c < nodes; c++)
    for (int i = 0; i < 3; i++) middle[c][i] = (x[c][i] + y[c][i]) / 2;
  pressure_normal(weight, nodes, x, n[0]);
  pressure_normal(weight, nodes, (const double(*)[3])middle, n[1]);
  pressure_normal(weight, nodes, y, n[2]);
  for (int i = 0; i < 3; i++) volume += (n[0][i] + 4 * n[1][i] + n[2][i]) / 6 * (y[local][i] - x[local][i]);
  return volume;
}

/// Computes the nodes' positions x [nodes][3] of a face at which the pressure is evaluated, for a step that ends with
/// displacements u. The body's origin is not added.
HOST_DEVICE void pressure_positions(const Pressures *p, const Body *body, real theta, const real *u, int face,
                                    double (*x)[3]) {
  const int *node = p->node + face * p->nodes;
  for (int c = 0; c < p->nodes; c++)
    for (int i = 0; i < 3; i++) x[c][i] = body->X[3 * node[c] + i] + pressure_acts_at(body, theta, 3 * node[c] + i, u);
}

/// Adds the force of pressures on node a, and the node's part of the energy, to *sum.
HOST_DEVICE void pressure_add(const Forces *f, const Body *body, const StepEnd *end, int a, ObstacleContact *sum) {
  const Pressures *p = &f->pressure;
  double force[3] = { 0, 0, 0 }, energy = 0;
  for (int k = p->start[a]; k < p->start[a + 1]; k++) {
    const int face = p->entry[k] / p->nodes, local = p->entry[k] % p->nodes, *node = p->node + face * p->nodes;
    const double *weight = pressure_weights(p, face, local);
    double X[PRESSURE_NODES_MAX][3], x[PRESSURE_NODES_MAX][3], n[3];
    pressure_positions(p, body, end->theta, end->u, face, x);
    for (int c = 0; c < p->nodes; c++)
      for (int i = 0; i < 3; i++) {
        X[c][i] = body->X[3 * node[c] + i];
        x[c][i] += body->origin[i];
      }
    pressure_normal(weight, p->nodes, (const double(*)[3])x, n);
    for (int i = 0; i < 3; i++) force[i] -= p->value[face] * n[i];
    energy += p->value[face] * pressure_swept(weight, p->nodes, local, (const double(*)[3])X, (const double(*)[3])x);
  }
  for (int i = 0; i < 3; i++) sum->force[i] += (real)force[i];
  sum->energy += (real)energy;
}

/// Returns the change of node a's energy between steps that end with displacements v and with end->u, divided by theta.
HOST_DEVICE double pressure_rise(const Forces *f, const Body *body, const StepEnd *end, int a, const real *v) {
  const Pressures *p = &f->pressure;
  double rise = 0;
  for (int k = p->start[a]; k < p->start[a + 1]; k++) {
    const int face = p->entry[k] / p->nodes, local = p->entry[k] % p->nodes;
    double x[PRESSURE_NODES_MAX][3], y[PRESSURE_NODES_MAX][3];
    pressure_positions(p, body, end->theta, v, face, x);
    pressure_positions(p, body, end->theta, end->u, face, y);
    rise += p->value[face] * pressure_swept(pressure_weights(p, face, local), p->nodes, local, (const double(*)[3])x,
                                            (const double(*)[3])y);
  }
  return rise / end->theta;
}

/// Adds `sign` times g_ab of a face to g. `weight` has the weights of node a; x is as in pressure_normal.
HOST_DEVICE void pressure_add_arm(const double *weight, int nodes, int b, double sign, const double (*x)[3],
                                  double *g) {
  for (int c = 0; c < nodes; c++) {
    if (c == b) continue;
    const double w = b < c ? weight[pressure_pair(nodes, b) + c - b - 1] : -weight[pressure_pair(nodes, c) + b - c - 1];
    for (int i = 0; i < 3; i++) g[i] += sign * w * (x[c][i] - x[0][i]);
  }
}

/// Stores the tangent of node a as vectors t_ab: the product of the tangent with a vector v has the sum over b of t_ab
/// x v_b at node a. The step ends with displacements u. `scale` is the factor of K in the tangent.
HOST_DEVICE void pressure_tangent(const Forces *f, const Body *body, real theta, const real *u, double scale, int a) {
  const Pressures *p = &f->pressure;
  for (int k = p->start[a]; k < p->start[a + 1]; k++) {
    const int face = p->entry[k] / p->nodes, local = p->entry[k] % p->nodes;
    double x[PRESSURE_NODES_MAX][3];
    pressure_positions(p, body, theta, u, face, x);
    for (int b = 0; b < p->nodes; b++) {
      double g[3] = { 0, 0, 0 };
      pressure_add_arm(pressure_weights(p, face, local), p->nodes, b, 1, (const double(*)[3])x, g);
      pressure_add_arm(pressure_weights(p, face, b), p->nodes, local, -1, (const double(*)[3])x, g);
      for (int i = 0; i < 3; i++) p->tangent[3 * (k * p->nodes + b) + i] = (real)(-scale * p->value[face] / 2 * g[i]);
    }
  }
}

/// Computes sum [3], the row of node a in the tangent times x [n].
HOST_DEVICE void pressure_product(const Pressures *p, int a, const real *x, double *sum) {
  sum[0] = sum[1] = sum[2] = 0;
  for (int k = p->start[a]; k < p->start[a + 1]; k++) {
    const int *node = p->node + p->entry[k] / p->nodes * p->nodes;
    for (int b = 0; b < p->nodes; b++) {
      const real *t = p->tangent + 3 * (k * p->nodes + b), *v = x + 3 * node[b];
      sum[0] += (double)t[1] * v[2] - (double)t[2] * v[1];
      sum[1] += (double)t[2] * v[0] - (double)t[0] * v[2];
      sum[2] += (double)t[0] * v[1] - (double)t[1] * v[0];
    }
  }
}
