// Decides which pairs of primitives (points, edges, triangles, half spaces) enter the list of pairs that may touch
// (nearby.h). A pair enters if its distance may fall below the reach of contact while nodes move along predicted
// displacements. The searches in C and in CUDA use these functions.
#pragma once
#include "sim/contact/barrier.h"
#include "sim/contact/half_space.h"

// Data of nodes that the tests of pairs need: arrays of the surface of all bodies and obstacles (struct Skin, skin.h).
typedef struct SkinNodes {
  const double (*X)[3];  // [node_count], m, positions at rest
  // [node_count], the largest factor by which a cell at the node multiplies the material's moduli
  const double *factor;
  // [node_count], number of the connected part of the mesh to which a node belongs; all obstacles share the last number
  const int *component;
  int body_nodes;  // nodes from this number on belong to obstacles
  // Nodes from this number on are ignored. While the ball with which a user can push the body is absent, these are the
  // nodes of the ball; otherwise no node is ignored.
  int active_nodes;
} SkinNodes;

/// Returns true if node number a, 0 to 3, of a pair belongs to an obstacle, which has no unknowns.
HOST_DEVICE bool pair_is_rigid(const int node[4], int a, int body_nodes) {
  return node[a] >= body_nodes;
}

/// Returns the index, 0 to 3, of the pair's node that represents the pair in sums over nodes: the pair's energy is
/// added at this node only. The node belongs to a body, not to an obstacle.
HOST_DEVICE int pair_owner(const int node[4], int body_nodes) {
  return pair_is_rigid(node, 0, body_nodes) ? 3 : 0;
}

/// Returns the coefficient of friction of a pair. If the pair has a node on an obstacle with its own coefficient, the
/// function returns this coefficient; else `of_all`, the coefficient of the settings. friction [node_count] is
/// Skin.friction: the coefficient of the obstacle at each node, or a negative number if there is none.
HOST_DEVICE double pair_friction(const double *friction, const int node[4], double of_all) {
  return friction[node[0]] >= 0 ? friction[node[0]] : friction[node[3]] >= 0 ? friction[node[3]] : of_all;
}

/// Computes the part of a pair's relative velocity that is due to moving obstacles, m/s: `led`, the sum of w_j v_j over
/// the pair's nodes j on obstacles, with weight w_j and velocity v_j. velocity[k] belongs to node body_nodes + k.
HOST_DEVICE void pair_led(const int node[4], const double weight[4], int body_nodes, const double (*velocity)[3],
                          double led[3]) {
  for (int i = 0; i < 3; i++) {
    led[i] = 0;
    for (int j = 0; j < 4; j++)
      if (pair_is_rigid(node, j, body_nodes)) led[i] += weight[j] * velocity[node[j] - body_nodes][i];
  }
}

/// Returns the fraction of the secant stiffness of friction that the tangent of a pair contains while the pair slips:
/// `slip_fraction` if the pair is on a moving obstacle, else 0. The arguments are as in pair_led.
HOST_DEVICE double pair_slip_fraction(const int node[4], const double weight[4], int body_nodes,
                                      const double (*velocity)[3], double slip_fraction) {
  double led[3];
  pair_led(node, weight, body_nodes, velocity, led);
  return led[0] != 0 || led[1] != 0 || led[2] != 0 ? slip_fraction : 0;
}

/// Replaces each node of an obstacle in a pair by a node of the body, with weight 0. In the tangent, all nodes of a
/// pair must have unknowns, which nodes of obstacles do not have.
HOST_DEVICE void pair_drop_rigid(int node[4], double weight[4], int body_nodes) {
  const int owner = node[pair_owner(node, body_nodes)];
  for (int j = 0; j < 4; j++)
    if (pair_is_rigid(node, j, body_nodes)) {
      node[j] = owner;
      weight[j] = 0;
    }
}

/// Returns the distance of a pair's primitives at rest, m. X [node_count] are the positions of nodes at rest.
HOST_DEVICE double pair_rest_distance(const double (*X)[3], const int node[4], PairKind kind) {
  double x[4][3], weight[4], apart[3];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = X[node[j]][i];
  return nearest_distance((const double(*)[3])x, kind, weight, apart);
}

/// Returns an upper bound `closing`, m, on the decrease of the distance of two primitives while their nodes move by
/// displacement[node[j]]: after a fraction s of the motion, the distance is at least distance - s * closing. The first
/// `own` nodes of x [4][3] belong to the first primitive. `apart` is the vector from the nearest point of the second
/// primitive to the nearest point of the first, and `distance` its length.
///
/// Reason: the gap between the primitives along `apart` is a minimum of linear functions of s. It is therefore concave,
/// and lies above the straight line between its values at s = 0 and s = 1.
HOST_DEVICE double pair_closing(const double x[4][3], const double (*displacement)[3], const int node[4], int own,
                                double distance, const double apart[3]) {
  double closing = 0, least = (double)INFINITY, maximum = -(double)INFINITY;
  if (!(distance > 0)) {
    for (int j = 0; j < own; j++)
      for (int k = own; k < 4; k++) {
        double against[3];
        subtract3(displacement[node[j]], displacement[node[k]], against);
        closing = fmax(closing, sqrt(dot3(against, against)));
      }
    return closing;
  }

  // Project the moved nodes on `apart`, relative to node number `own`. least: smallest projection of the first
  // primitive; maximum: largest projection of the second.
  for (int j = 0; j < 4; j++) {
    double between[3], against[3];
    subtract3(x[j], x[own], between);
    subtract3(displacement[node[j]], displacement[node[own]], against);
    const double along = dot3(apart, between) + dot3(apart, against);
    if (j < own) least = fmin(least, along);
    if (j >= own) maximum = fmax(maximum, along);
  }
  return fmax(0.0, distance - (least - maximum) / distance);
}

/// Finds the fraction s, 0 to 1, of predicted displacements by which nodes have moved. Node a has moved by m_a, and d_a
/// was predicted. A translation `common` of all nodes is subtracted, since it changes no distance between them. So s
/// and `common` minimise the sum of |m_a - s d_a - common|^2. Returns s; it is 0 if all d_a are equal, or if the nodes
/// moved backwards. Inputs are sums over the `count` nodes. moved: sum of m_a. displacement: sum of d_a. along: sum of
/// the products m_a . d_a. length2: sum of d_a . d_a.
HOST_DEVICE double path_fraction(const double moved[3], const double displacement[3], double along, double length2,
                                 int count, double common[3]) {
  const double own_along = along - dot3(moved, displacement) / count,
               own_length2 = length2 - dot3(displacement, displacement) / count;
  const bool any = own_length2 > 1e-9 * length2 && own_along > 0;
  const double fraction = any ? fmin(own_along / own_length2, 1.0) : 0;
  for (int i = 0; i < 3; i++) common[i] = (moved[i] - fraction * displacement[i]) / count;
  return fraction;
}

/// Computes three members of *pair for nodes that move from `from`, m, by `displacement`, m. distance: the pair's
/// distance at the start of the motion. closing: upper bound on the decrease of the distance during the motion. spread:
/// upper bound on the change of the distance per metre that nodes deviate from this motion.
HOST_DEVICE void pair_approach(const double (*from)[3], const double (*displacement)[3], ContactPair *pair) {
  double x[4][3], weight[4], apart[3];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = from[pair->node[j]][i];
  if (pair->kind == PAIR_POINT_PLANE) {
    double displaced[4][3], gap[4];
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) displaced[j][i] = displacement[pair->node[j]][i];
    half_space_gap((const double(*)[3])x, (const double(*)[3])displaced, gap);
    pair->distance = gap[0];
    pair->closing = half_space_closing(gap);
    pair->spread = half_space_spread((const double(*)[3])x, (const double(*)[3])displaced);
    return;
  }
  pair->distance = nearest_distance((const double(*)[3])x, pair->kind, weight, apart);
  pair->closing =
      pair_closing((const double(*)[3])x, displacement, pair->node, pair_own(pair->kind), pair->distance, apart);
  pair->spread = 2;
}

/// Returns a lower bound on a pair's distance, m, if each node is within `off`, m, of its position after `fraction` of
/// its predicted displacement.
HOST_DEVICE double pair_least_distance(const ContactPair *pair, double fraction, double off) {
  return pair->distance - fraction * pair->closing - pair->spread * off;
}

/// Returns true and fills *pair if two primitives may come closer than `reach` while nodes move along predicted
/// displacements. States with deviations are included: node a may be up to `slack`, m, away from from[a] + s *
/// displacement[a], with one s from 0 to 1 for all nodes. `area` is the surface area of the pair, m^2. Two primitives
/// of one connected part of the mesh form no pair if their distance at rest is 0.
HOST_DEVICE bool pair_candidate(const SkinNodes *nodes, const double (*from)[3], const double (*displacement)[3],
                                const int node[4], PairKind kind, double area, double reach, double slack,
                                ContactPair *pair) {
  const double NEARLY_PARALLEL = 1e-2;  // squared sine of 5.7 degrees; at smaller angles, edges are nearly parallel
  if (pair_is_rigid(node, 0, nodes->body_nodes) && pair_is_rigid(node, 3, nodes->body_nodes)) return false;
  if (node[0] >= nodes->active_nodes || node[3] >= nodes->active_nodes) return false;
  double factor = 0;
  for (int j = 0; j < 4; j++) {
    pair->node[j] = node[j];
    factor = fmax(factor, nodes->factor[node[j]]);
  }
  pair->kind = kind;
  pair->reach = reach;
  pair_approach(from, displacement, pair);
  if (pair_least_distance(pair, 1, slack) > reach) return false;
  pair->strength = factor * area;
  pair->across = 0;

  // Neighbours on one surface may be closer than `reach` at rest. The reach of such a pair is at most half of its
  // distance at rest, so that it does not push in the rest shape.
  if (nodes->component[node[0]] == nodes->component[node[3]])
    pair->reach = fmin(reach, 0.5 * pair_rest_distance(nodes->X, node, kind));
  if (kind == PAIR_EDGES) {
    double u[3], v[3];
    subtract3(nodes->X[node[1]], nodes->X[node[0]], u);
    subtract3(nodes->X[node[3]], nodes->X[node[2]], v);
    pair->across = NEARLY_PARALLEL * dot3(u, u) * dot3(v, v);
  }
  return pair->reach > 0 && !(kind == PAIR_EDGES && !(pair->across > 0));
}
