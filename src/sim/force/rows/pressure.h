// Pressure p on faces of the surface, as the force `pressure` in the list of forces (forces.def). The pressure acts
// along the deformed normals; a positive pressure pushes inward. N_a are the shape functions of a face, x is a position
// on the face, and x,1 and x,2 are its derivatives by the two coordinates of the face. Their cross product, written
// x,1 x x,2, points outward. The force on node a is -p n_a with
//   n_a = integral of N_a (x,1 x x,2) = sum over b < c of w_abc x_b x x_c,
//   w_abc = integral of N_a (N_b,1 N_c,2 - N_b,2 N_c,1).
// The weights w depend only on the reference face, so faces of all shapes and degrees are integrated exactly. If the
// pressure varies within a face, w_abc also contains the pressure's factors at the integration points
// (PressureLoad.points).
//
// The energy is p times the volume that the faces sweep outward while their nodes move on straight lines from rest.
// Simpson's rule computes this volume exactly, since n_a is a quadratic function of the position on such a line. For a
// closed surface with volume V, V0 at rest, the energy is p (V - V0), and the force is minus the gradient of the
// energy. If the faces do not form a closed surface, the force has no potential; the energy is then defined as the work
// against the force along the straight lines.
//
// The tangent is minus the derivative of the force. With g_ab = sum over c of w_abc x_c, the 3x3 block of nodes a and b
// maps a vector v to -p g_ab x v. Conjugate gradients need a symmetric matrix, so they use the symmetric part, which
// maps v to -p/2 (g_ab - g_ba) x v. Its diagonal blocks are zero. The antisymmetric part maps v to -p/2 (g_ab + g_ba) x
// v. Its sum over all faces is zero if the faces form a closed surface, or if all nodes on the edge of the faces are
// held. Otherwise, only direct solvers use it (direct/unsymmetric.h). The operator adds the tangent as a term
// (OperatorTerm).
#pragma once
#include "mesh/cell_shape.h"
#include "sim/force/force_arrays.h"

enum { PRESSURE_NODES_MAX = CELL_FACET_NODES_MAX };

HOST_DEVICE bool pressure_acts(const Forces *f) {
  return f->pressure.count > 0;
}

/// Writes to `key` the numbers that a recorded CUDA graph contains as constants. If one of them changes, the graph is
/// recorded again. The graph also contains addresses of arrays. They change whenever the faces are set, so the key
/// contains Pressures.changes, which counts how often the faces were set.
HOST_DEVICE void pressure_key(const Forces *f, double key[FORCE_KEYS]) {
  key[0] = f->pressure.count;
  key[1] = f->pressure.changes;
}

/// Returns the displacement of unknown i at which the pressure is evaluated, u0 + theta (u - u0). u0 and u are the
/// displacements at the start and at the end of the time step.
HOST_DEVICE double pressure_acts_at(const Body *body, real theta, int i, const real *u) {
  return theta == 1 ? (double)u[i] : (double)body->u[i] + (double)theta * ((double)u[i] - body->u[i]);
}

/// Returns the index of the pair (b, b + 1) in the list of all pairs b < c of a face's nodes. For 3 nodes the list is
/// (0, 1), (0, 2), (1, 2), so pair (1, 2) has index 2.
HOST_DEVICE int pressure_pair(int nodes, int b) {
  return b * (2 * nodes - b - 1) / 2;
}

/// Returns the weights w_abc of a face (integrals, see the top of this header) for one node a and all pairs b < c.
/// `node` is the index of node a within the face.
HOST_DEVICE const double *pressure_weights(const Pressures *p, int face, int node) {
  return p->weight + ((int64_t)p->table[face] * p->nodes + node) * pressure_pair(p->nodes, p->nodes - 1);
}

/// Computes n [3], m^2, for one node a of a face whose nodes are at x [nodes][3], m: a pressure p on the face exerts
/// the force -p n on node a. `weight` are the weights w_abc of node a. The function subtracts x[0] from all positions,
/// so that rounding errors do not grow with the distance from the origin.
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

/// Returns the integral of n_a . dx_a, m^3, while all nodes of a face move on straight lines from positions x to
/// positions y, both [nodes][3] in m. x_a is the position of node a, whose index within the face is `local`, and n_a is
/// the vector that pressure_normal computes for it with the same `weight`. The sum of the integrals of all nodes is the
/// volume that the face sweeps outward.
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

/// Computes x [nodes][3], m, the positions of a face's nodes at which the pressure is evaluated (pressure_acts_at),
/// relative to the body's origin. The time step ends with displacements u.
HOST_DEVICE void pressure_positions(const Pressures *p, const Body *body, real theta, const real *u, int face,
                                    double (*x)[3]) {
  const int *node = p->node + face * p->nodes;
  for (int c = 0; c < p->nodes; c++)
    for (int i = 0; i < 3; i++) x[c][i] = body->X[3 * node[c] + i] + pressure_acts_at(body, theta, 3 * node[c] + i, u);
}

/// Adds to *sum the force of all pressures on node a, and node a's part of their energy.
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

/// Returns the change of the pressures' energy, J, that belongs to node a, when the displacements change from v to
/// end->u, divided by theta, the fraction of the time step at which the pressure is evaluated. Reason: the step's
/// potential contains energies divided by theta (potential.h).
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

/// Adds sign * g_ab to g [3]. The vector g_ab is the sum of w_abc x_c over the nodes c of a face; the tangent's block
/// of nodes a and b follows from g_ab and g_ba. `weight` are the weights w_abc of node a (w_acb = -w_abc), and b is an
/// index within the face. x [nodes][3] are the nodes' positions, from which x[0] is subtracted.
HOST_DEVICE void pressure_add_arm(const double *weight, int nodes, int b, double sign, const double (*x)[3],
                                  double *g) {
  for (int c = 0; c < nodes; c++) {
    if (c == b) continue;
    const double w = b < c ? weight[pressure_pair(nodes, b) + c - b - 1] : -weight[pressure_pair(nodes, c) + b - c - 1];
    for (int i = 0; i < 3; i++) g[i] += sign * w * (x[c][i] - x[0][i]);
  }
}

/// Stores in `part`, which is Pressures.tangent or Pressures.antisymmetric, a part of the tangent of the pressures on
/// the faces around node a: a vector t_ab for each of these faces and each node b of the face. The part times a vector
/// v gives at node a the sum of all cross products t_ab x v_b. sign: -1 for the symmetric part, 1 for the antisymmetric
/// one. The time step ends with displacements u. `scale` is the factor by which the matrix of Newton's method
/// multiplies the tangent of internal forces.
HOST_DEVICE void pressure_part(const Pressures *p, const Body *body, real theta, const real *u, double scale, int sign,
                               int a, real *part) {
  for (int k = p->start[a]; k < p->start[a + 1]; k++) {
    const int face = p->entry[k] / p->nodes, local = p->entry[k] % p->nodes;
    double x[PRESSURE_NODES_MAX][3];
    pressure_positions(p, body, theta, u, face, x);
    for (int b = 0; b < p->nodes; b++) {
      double g[3] = { 0, 0, 0 };
      pressure_add_arm(pressure_weights(p, face, local), p->nodes, b, 1, (const double(*)[3])x, g);
      pressure_add_arm(pressure_weights(p, face, b), p->nodes, local, sign, (const double(*)[3])x, g);
      for (int i = 0; i < 3; i++) part[3 * (k * p->nodes + b) + i] = (real)(-scale * p->value[face] / 2 * g[i]);
    }
  }
}

/// Computes sum [3]: the three entries of node a in the product of the pressures' tangent with the vector x, which has
/// three entries for each node.
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
