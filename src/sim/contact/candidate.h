// Two primitives that may touch while their nodes move as foreseen, and the pair that they are: the same for both
// devices.
#pragma once
#include "sim/contact/barrier.h"

// What of a skin pairs are made of; see Skin.
typedef struct SkinNodes {
  const double (*X)[3];  // [node_count], m, at rest
  const double *factor;  // [node_count] on the material's moduli
  const int *component;  // [node_count]
} SkinNodes;

/// The distance of a pair's primitives at rest.
HOST_DEVICE double pair_rest_distance(const double (*X)[3], const int node[4], bool edges) {
  double x[4][3], weight[4], apart[3];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = X[node[j]][i];
  return nearest_distance((const double(*)[3])x, edges, weight, apart);
}

/// Whether the primitives of these nodes, a point and a triangle or two edges, may come within `reach` of each other in
/// a state in which each node is within `slack` of its place on one common share of the way `way` from `from`
/// [node_count][3]; then *pair is filled in. `area` is theirs, m^2. What meets at rest already is left alone.
HOST_DEVICE bool pair_candidate(const SkinNodes *nodes, const double (*from)[3], const double (*way)[3],
                                const int node[4], bool edges, double area, double reach, double slack,
                                ContactPair *pair) {
  const int own = edges ? 2 : 1;
  double x[4][3], weight[4], apart[3], closing2 = 0;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = from[node[j]][i];
  const double distance = nearest_distance((const double(*)[3])x, edges, weight, apart);
  for (int j = 0; j < own; j++)
    for (int k = own; k < 4; k++) {
      double against[3];
      subtract3(way[node[j]], way[node[k]], against);
      closing2 = fmax(closing2, dot3(against, against));
    }
  const double closing = sqrt(closing2);
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
