// Pairs of a surface that may touch while its nodes move as predicted: points with triangles, and edges with edges,
// that share no node, and the body's points with half spaces. A list is valid for all states in which each node is
// within `slack` of its position at one common fraction of the predicted displacements. A common translation is
// ignored, since it changes no distance. For other states, pairs are searched again. Results do not depend on the list:
// a pair that is not in it is at least `reach` apart.
#pragma once
#include "sim/contact/box_blocks.h"
#include "sim/contact/candidate.h"
#include "sim/contact/skin.h"

typedef struct Nearby {
  const Skin *skin;
  double reach;  // m: pairs closer than this touch
  double slack;  // m
  double (*from)[3],
      (*displacement)[3];  // [node_count], m: positions and displacements that the list covers; zero before the
                           // first search
  NodePaths paths;         // [node_count], of surface nodes, relative to the first one
  BoxBlocks points, triangles, edges;
  ContactPair *pair;  // [pair_count], in an order independent of the list
  int64_t pair_count, pair_capacity;
  struct NearbyPiece *piece;  // [piece_count], results of a search: of points, then of edges
  int point_pieces, piece_count;
  int64_t *start;           // [points + edges + 1], end of each query's pairs
  struct MotionSums *part;  // partial sums of nearby_motions
  bool found;               // there is a list
  int64_t searches;         // number of searches
  double search_s;          // their total time
} Nearby;

/// Fails for lack of memory. A zeroed Nearby is empty. The skin is borrowed.
bool nearby_create(Nearby *nearby, const Skin *skin, double reach, Error *error);
void nearby_destroy(Nearby *nearby);  // accepts a zeroed object

/// Searches the pairs for displacements `displacement` [node_count][3] from x [node_count][3]. Fails if memory runs
/// out.
bool nearby_find(Nearby *nearby, const double (*x)[3], const double (*displacement)[3], Error *error);

// Position of a state relative to the list: fraction of the predicted displacements, and largest deviation of its
// nodes, m.
typedef struct NearbyMotion {
  double fraction, off;
} NearbyMotion;

/// Computes the motion of x [node_count][3] since the list was made. If nearby_is_valid is false for it, the list is
/// not valid there.
NearbyMotion nearby_motion(const Nearby *nearby, const double (*x)[3]);

/// As nearby_motion, but also at x + tested * displacement.
void nearby_motions(const Nearby *nearby, const double (*x)[3], const double (*displacement)[3], double tested,
                    NearbyMotion *at, NearbyMotion *end);

static inline bool nearby_is_valid(const Nearby *nearby, const NearbyMotion *p) {
  return nearby->found && p->fraction >= 0 && p->fraction <= 1 && p->off <= nearby->slack;
}

/// Tests if a pair of the list may touch in a state with this motion.
static inline bool nearby_may_touch(const Nearby *nearby, const ContactPair *pair, const NearbyMotion *p) {
  return pair_least_distance(pair, p->fraction, p->off) <= nearby->reach;
}
