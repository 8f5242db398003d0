// The pairs of a surface that may touch while its nodes move as foreseen: points and triangles, edges and edges, that
// share no node. A list is good for all states in which every node, all having gone one way besides, is within `slack`
// of its place on one common share of the way that was foreseen: what all have in common brings nothing closer, nor
// does where their positions are told from. Outside it, pairs are found again. What touches does not depend on the
// list: a pair that is not in it is at least `reach` apart.
#pragma once
#include "sim/contact/barrier.h"
#include "sim/contact/box_blocks.h"
#include "sim/contact/skin.h"

typedef struct Nearby {
  const Skin *skin;
  double reach;                  // m: how close is touching
  double slack;                  // m
  double (*from)[3], (*way)[3];  // [node_count], m: the places and ways that the list is of; zero before there is one
  NodeWays places;               // [node_count], of nodes of the surface, seen from the first one
  BoxBlocks points, triangles, edges;
  ContactPair *pair;  // [pair_count], in an order that does not depend on the list
  int64_t pair_count, pair_room;
  struct NearbyPiece *piece;  // [piece_count], what blocks have found: of points, then of edges
  int point_pieces, piece_count;
  int64_t *start;          // [points + edges + 1], where the pairs of each end
  struct PlaceSums *part;  // partial sums of nearby_place
  bool found;              // there is a list
  int64_t searches;        // so many times were pairs found,
  double search_s;         // in this time
} Nearby;

/// Fails for lack of memory. A zeroed Nearby is empty. The skin is borrowed.
bool nearby_create(Nearby *nearby, const Skin *skin, double reach, Error *error);
void nearby_destroy(Nearby *nearby);  // takes a zeroed one

/// Finds the pairs for ways `way` [node_count][3] from x [node_count][3]. Fails for lack of memory.
bool nearby_find(Nearby *nearby, const double (*x)[3], const double (*way)[3], Error *error);

// Where a state is against the list: its share of the way foreseen, and how far its nodes are off at most, m.
typedef struct NearbyPlace {
  double share, off;
} NearbyPlace;

/// The place of x [node_count][3]. Where `serves` says no the list says nothing about it.
NearbyPlace nearby_place(const Nearby *nearby, const double (*x)[3]);

/// The same, and that of where the share `looked` of the ways `way` leads from x.
void nearby_places(const Nearby *nearby, const double (*x)[3], const double (*way)[3], double looked, NearbyPlace *at,
                   NearbyPlace *end);

static inline bool nearby_serves(const Nearby *nearby, const NearbyPlace *p) {
  return nearby->found && p->share >= 0 && p->share <= 1 && p->off <= nearby->slack;
}

/// Whether a pair of the list may touch in a state of that place.
static inline bool nearby_may_touch(const Nearby *nearby, const ContactPair *pair, const NearbyPlace *p) {
  return pair->distance - p->share * pair->closing - 2 * p->off <= nearby->reach;
}
