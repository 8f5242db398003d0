// Finds and lists the pairs of a surface that may touch (come closer than `reach`) while its nodes move along predicted
// displacements. A pair consists of a point and a triangle, of two edges, or of a point of a body and a half space. Its
// two primitives share no node.
//
// One list is used for many states, since a search is slow. The list is valid for a state if each node is within
// `slack` of its position after a fraction of the predicted displacements, with one fraction for all nodes. A common
// translation of all nodes is ignored, since it changes no distance. Other states need a new search. Pairs that are not
// in a valid list are at least `reach` apart and do not push. Therefore results do not depend on the choice of the
// list.
#pragma once
#include "sim/contact/box_blocks.h"
#include "sim/contact/candidate.h"
#include "sim/contact/skin.h"

typedef struct Nearby {
  const Skin *skin;  // the surface whose pairs are listed; borrowed
  double reach;      // m, distance below which a pair touches
  double slack;      // m, largest deviation of a node from the predicted displacements for which the list is valid
  double (*from)[3],
      (*displacement)[3];  // [node_count], m: start positions and predicted displacements of the list; zero before the
                           // first search
  NodePaths paths;         // [node_count], `from` and `displacement` as floats, minus the values of the first surface
                           // node
  BoxBlocks points, triangles, edges;
  ContactPair *pair;  // [pair_count], sorted by the indices of the primitives, so that the order does not depend on
                      // threads
  int64_t pair_count, pair_capacity;
  struct NearbyPiece *piece;  // [piece_count], work memory of a parallel search, which is divided into pieces. The
                              // first pieces search the pairs of points, the rest those of edges
  int point_pieces, piece_count;
  int64_t *start;           // [vertices + edges + 1], index of the first pair of each query; a query is a point or an
                            // edge whose pairs are searched
  struct MotionSums *part;  // partial sums of nearby_motions
  bool found;               // true: a search has made a list
  int64_t searches;         // number of searches for pairs so far
  double search_s;          // s, total time of all searches
} Nearby;

/// Creates an empty list. A zeroed Nearby is empty, too. The skin is borrowed. Fails if memory runs out.
bool nearby_create(Nearby *nearby, const Skin *skin, double reach, Error *error);
void nearby_destroy(Nearby *nearby);  // accepts a zeroed object

/// Makes a new list for nodes that move from x [node_count][3], m, by displacement [node_count][3], m. Fails if memory
/// runs out.
bool nearby_find(Nearby *nearby, const double (*x)[3], const double (*displacement)[3], Error *error);

// Compares a state with the displacements that were predicted for the list. `fraction` is the fraction of these
// displacements that fits the state best. `off` is the largest remaining deviation of a node, m.
typedef struct NearbyMotion {
  double fraction, off;
} NearbyMotion;

/// Computes the NearbyMotion of the state x [node_count][3], m. nearby_is_valid returns true if the list is valid for
/// it.
NearbyMotion nearby_motion(const Nearby *nearby, const double (*x)[3]);

/// Computes two motions: *at of the state x, and *end of the state x + tested * displacement.
void nearby_motions(const Nearby *nearby, const double (*x)[3], const double (*displacement)[3], double tested,
                    NearbyMotion *at, NearbyMotion *end);

static inline bool nearby_is_valid(const Nearby *nearby, const NearbyMotion *p) {
  return nearby->found && p->fraction >= 0 && p->fraction <= 1 && p->off <= nearby->slack;
}

/// Tests if a pair of the list may touch in a state with the motion *p.
static inline bool nearby_may_touch(const Nearby *nearby, const ContactPair *pair, const NearbyMotion *p) {
  return pair_least_distance(pair, p->fraction, p->off) <= nearby->reach;
}
