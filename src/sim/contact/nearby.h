// Lists the pairs of a surface that may touch (come closer than `reach`) while the nodes of the surface move along
// predicted displacements. A pair is a point and a triangle, two edges, or a point of a body and a half space. Its two
// primitives share no node.
//
// A search is slow, so one list is used for many sets of positions. A list is valid for given positions if each node is
// within `slack`, m, of a predicted position: its position after a fraction s of the predicted displacement, with one s
// for all nodes. A common translation of all nodes is ignored, since it changes no distance. Pairs that are not in a
// valid list are at least `reach` apart and do not push, so the choice of the list does not change results.
#pragma once
#include "sim/contact/box_blocks.h"
#include "sim/contact/candidate.h"
#include "sim/contact/skin.h"

typedef struct Nearby {
  const Skin *skin;  // the surface whose pairs are listed; borrowed
  double reach;      // m, distance below which a pair touches
  double slack;      // m: the list is valid while no node is further than this from its predicted path
  // Prediction for which the list of pairs was made, [node_count], m. from: positions when the list was made.
  // displacement: displacements that were predicted. All numbers are 0 before the first search.
  double (*from)[3], (*displacement)[3];
  // [node_count], `from` and `displacement` as floats, minus the values of the first node of the surface
  NodePaths paths;
  BoxBlocks points, triangles, edges;  // trees of boxes of the surface's points, triangles and edges
  // [pair_count], the list of pairs; sorted by query (see `start`), then in the order of the trees, so that its order
  // does not depend on the number of threads
  ContactPair *pair;
  int64_t pair_count, pair_capacity;
  // [piece_count], the pieces into which a parallel search is divided, with their results and work memory. The first
  // point_pieces pieces search for the pairs of points, the other pieces for the pairs of edges.
  struct NearbyPiece *piece;
  int point_pieces, piece_count;
  // [vertices + edges + 1], work memory of a search, which sorts the found pairs by query: index in `pair` for the next
  // pair of each query. A query is a point or an edge whose pairs are searched; all points come first, then all edges.
  int64_t *start;
  struct MotionSums *part;  // work memory: partial sums over nodes, by which a state is compared with the prediction
  bool found;               // true: a search has made a list
  int64_t searches;         // number of searches for pairs so far
  double search_s;          // s, total time of all searches
} Nearby;

/// Creates an empty list of pairs. A zeroed Nearby is empty, too. The skin is borrowed. Fails if memory runs out.
bool nearby_create(Nearby *nearby, const Skin *skin, double reach, Error *error);
void nearby_destroy(Nearby *nearby);  // accepts a zeroed object

/// Makes a new list of pairs for nodes that move from x [node_count][3], m, by displacement [node_count][3], m. Fails
/// if memory runs out.
bool nearby_find(Nearby *nearby, const double (*x)[3], const double (*displacement)[3], Error *error);

// Result of comparing a state (positions of all nodes) with the prediction for which the list of pairs was made.
// fraction: the fraction of the predicted displacements that fits the state best. off: the largest remaining distance
// of a node from its predicted position, m.
typedef struct NearbyMotion {
  double fraction, off;
} NearbyMotion;

/// Returns how far nodes at x [node_count][3], m, have moved along the displacements that were predicted for the list
/// of pairs, and their largest deviation from this motion.
NearbyMotion nearby_motion(const Nearby *nearby, const double (*x)[3]);

/// Computes NearbyMotion for two sets of positions: *at for x, *end for x + tested * displacement, all [node_count][3]
/// in m.
void nearby_motions(const Nearby *nearby, const double (*x)[3], const double (*displacement)[3], double tested,
                    NearbyMotion *at, NearbyMotion *end);

static inline bool nearby_is_valid(const Nearby *nearby, const NearbyMotion *p) {
  return nearby->found && p->fraction >= 0 && p->fraction <= 1 && p->off <= nearby->slack;
}

/// Returns true if a pair of the list may touch in a state. *p describes how far the nodes have moved in this state
/// (nearby_motion).
static inline bool nearby_may_touch(const Nearby *nearby, const ContactPair *pair, const NearbyMotion *p) {
  return pair_least_distance(pair, p->fraction, p->off) <= nearby->reach;
}
