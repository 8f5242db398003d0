// Two primitives that may touch while their nodes move as foreseen, and the pair that they are: the same for both
// devices.
#pragma once
#include "sim/contact/barrier.h"

// What of a skin pairs are made of; see Skin.
typedef struct SkinNodes {
  const double (*X)[3];  // [node_count], m, at rest
  const double *factor;  // [node_count] on the material's moduli
  const int *component;  // [node_count]
  int body_nodes;        // those from here on are obstacles',
  int active_nodes;      // and from here on they count for nothing
} SkinNodes;

/// Whether node a of a pair is an obstacle's: it has no unknowns.
HOST_DEVICE bool pair_is_rigid(const int node[4], int a, int body_nodes) {
  return node[a] >= body_nodes;
}

/// What a pair does is the energy of this one of its nodes, which is the body's.
HOST_DEVICE int pair_owner(const int node[4], int body_nodes) {
  return pair_is_rigid(node, 0, body_nodes) ? 3 : 0;
}

/// The coefficient of friction of a pair: an obstacle's own, else that of all.
HOST_DEVICE double pair_friction(const double *friction, const int node[4], double of_all) {
  return friction[node[0]] >= 0 ? friction[node[0]] : friction[node[3]] >= 0 ? friction[node[3]] : of_all;
}

/// How fast obstacles' nodes of a pair move its distance, m/s: sum w_j v_j, of velocities of nodes from body_nodes on.
HOST_DEVICE void pair_led(const int node[4], const double weight[4], int body_nodes, const double (*velocity)[3],
                          double led[3]) {
  for (int i = 0; i < 3; i++) {
    led[i] = 0;
    for (int j = 0; j < 4; j++)
      if (pair_is_rigid(node, j, body_nodes)) led[i] += weight[j] * velocity[node[j] - body_nodes][i];
  }
}

/// The tangent sees the body's unknowns alone: nodes of obstacles become another one of the pair, of weight 0.
HOST_DEVICE void pair_drop_rigid(int node[4], double weight[4], int body_nodes) {
  const int owner = node[pair_owner(node, body_nodes)];
  for (int j = 0; j < 4; j++)
    if (pair_is_rigid(node, j, body_nodes)) node[j] = owner, weight[j] = 0;
}

/// The distance of a pair's primitives at rest.
HOST_DEVICE double pair_rest_distance(const double (*X)[3], const int node[4], bool edges) {
  double x[4][3], weight[4], apart[3];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = X[node[j]][i];
  return nearest_distance((const double(*)[3])x, edges, weight, apart);
}

/// By how much the distance of two primitives falls at most while their nodes go all of their ways, the first `own` of
/// x [4][3] being the first one's. `apart` goes from the second's nearest point to the first's: along it they are
/// `distance` apart, and how far after a share of the ways is no less than in proportion between both ends, since it is
/// the least of what nodes make linear. So after a share s they are distance - s closing apart at least.
HOST_DEVICE double pair_closing(const double x[4][3], const double (*way)[3], const int node[4], int own,
                                double distance, const double apart[3]) {
  double closing = 0, least = (double)INFINITY, most = -(double)INFINITY;
  if (!(distance > 0)) {
    for (int j = 0; j < own; j++)
      for (int k = own; k < 4; k++) {
        double against[3];
        subtract3(way[node[j]], way[node[k]], against);
        closing = fmax(closing, sqrt(dot3(against, against)));
      }
    return closing;
  }
  // where nodes end along the normal: the first one's last and the second's foremost, seen from one of the latter
  for (int j = 0; j < 4; j++) {
    double between[3], against[3];
    subtract3(x[j], x[own], between), subtract3(way[node[j]], way[node[own]], against);
    const double along = dot3(apart, between) + dot3(apart, against);
    if (j < own) least = fmin(least, along);
    if (j >= own) most = fmax(most, along);
  }
  return fmax(0.0, distance - (least - most) / distance);
}

/// Where nodes are on ways, by sums over `count` of them: of how far they have come, of the ways, of both multiplied
/// and of the ways' squares. Returns the share of the ways that explains most of it, 0 to 1 (a little beyond these is
/// off the ways, but on them), and what is left on average, which all have in `common`. Ways that all have in common
/// explain nothing.
HOST_DEVICE double place_share(const double moved[3], const double way[3], double along, double length2, int count,
                               double common[3]) {
  const double own_along = along - dot3(moved, way) / count, own_length2 = length2 - dot3(way, way) / count;
  const bool any = own_length2 > 1e-9 * length2 && own_along > 0;
  const double share = any ? fmin(own_along / own_length2, 1.0) : 0;
  for (int i = 0; i < 3; i++) common[i] = (moved[i] - share * way[i]) / count;
  return share;
}

/// Whether the primitives of these nodes, a point and a triangle or two edges, may come within `reach` of each other in
/// a state in which each node is within `slack` of its place on one common share of the way `way` from `from`
/// [node_count][3]; then *pair is filled in. `area` is theirs, m^2. What meets at rest already is left alone.
HOST_DEVICE bool pair_candidate(const SkinNodes *nodes, const double (*from)[3], const double (*way)[3],
                                const int node[4], bool edges, double area, double reach, double slack,
                                ContactPair *pair) {
  const int own = edges ? 2 : 1;
  double x[4][3], weight[4], apart[3];
  if (pair_is_rigid(node, 0, nodes->body_nodes) && pair_is_rigid(node, 3, nodes->body_nodes)) return false;
  if (node[0] >= nodes->active_nodes || node[3] >= nodes->active_nodes) return false;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = from[node[j]][i];
  const double distance = nearest_distance((const double(*)[3])x, edges, weight, apart);
  const double closing = pair_closing((const double(*)[3])x, way, node, own, distance, apart);
  if (distance - closing - 2 * slack > reach) return false;
  double factor = 0;
  for (int j = 0; j < 4; j++) pair->node[j] = node[j], factor = fmax(factor, nodes->factor[node[j]]);
  pair->edges = edges, pair->reach = reach, pair->distance = distance, pair->closing = closing;
  pair->strength = factor * area;
  pair->across = 0;
  // neighbours on one surface are close as they are made: nothing pushes at rest
  if (nodes->component[node[0]] == nodes->component[node[3]])
    pair->reach = fmin(reach, 0.5 * pair_rest_distance(nodes->X, node, edges));
  if (edges) {
    double u[3], v[3];
    subtract3(nodes->X[node[1]], nodes->X[node[0]], u), subtract3(nodes->X[node[3]], nodes->X[node[2]], v);
    pair->across = 1e-3 * dot3(u, u) * dot3(v, v);
  }
  return pair->reach > 0 && !(edges && !(pair->across > 0));
}
