// Anchors of static friction. A contact pair that sticks is held by a friction spring (sliding.h). The spring is
// unstretched at the relative position at which the two surfaces first touched. If the pair slips, this position moves
// along the surface, so that the spring's force stays at the friction limit. The anchor of the pair is stored as the
// spring's stretch at the end of a time step. The next time step begins with this stretch.
//
// Anchors are stored in a hash table with the pair as key, on the device that computes contact. A time step reads the
// table of the last time step and fills a second table, so a failed time step can be repeated. A time step searches and
// inserts each pair at most once. So the order in which threads insert anchors does not change results.
//
// A stretch is stored as two components along tangential directions that rotate with the touching surfaces. A rotation
// of the body therefore does not change the energy of the spring.
#pragma once
#include "device/device.h"
#include "sim/contact/sliding.h"

typedef struct Anchor {
  int node[4], kind;  // node: the four nodes of the pair. kind: its PairKind.
  // 0 or 1: the first tangential direction points along this side of the pair (pair_side), such as an edge of its
  // triangle
  int side;
  double stretch[2];  // m, components of the spring's stretch along the two tangential directions (pair_directions)
} Anchor;

// Hash table with open addressing, at most half full. A slot stores one anchor and the hash of its pair. The arrays are
// in the memory of Anchors.device.
typedef struct AnchorTable {
  int capacity;  // number of slots, a power of two; 0: the table has no memory
  bool any;      // false: the table has no anchors; `tag` and `slot` are undefined
  // factor by which each stretch in `slot` is multiplied when it is read; after a change of the barrier's modulus, only
  // this factor changes, not the slots
  double scale;
  unsigned *tag;  // [capacity], hash of the pair (anchor_tag) whose anchor is in the slot; 0: the slot is empty
  Anchor *slot;   // [capacity], the anchor in each slot; undefined if the slot is empty
} AnchorTable;

typedef struct Anchors {
  Device device;         // device on which both tables are stored
  AnchorTable table[2];  // one table is read in a time step, the other one is filled
  // Indices into `table`. now: the table of the anchors after the last time step, or after the last part of a divided
  // time step. before: the table of the anchors at the start of the whole time step.
  int now, before;
} Anchors;

/// Computes u, m, a vector along one side of a pair with nodes at x. For two edges, side 0 is the first edge and side 1
/// the second. For a triangle or plane x[1], x[2], x[3], side 0 goes from x[1] to x[2], and side 1 from x[1] to x[3].
HOST_DEVICE void pair_side(const double x[4][3], PairKind kind, int side, double u[3]) {
  if (kind == PAIR_EDGES)
    subtract3(x[2 * side + 1], x[2 * side], u);
  else
    subtract3(x[2 + side], x[1], u);
}

/// Chooses the side of a pair, 0 or 1 (pair_side), along which the first tangential direction points. The side must not
/// be parallel to the unit normal n. Returns 1 if side 0 is within 45 degrees of n and side 1 has a larger angle with
/// n, else 0.
HOST_DEVICE int pair_side_across(const double x[4][3], PairKind kind, const double n[3]) {
  double u[3], v[3];
  pair_side(x, kind, 0, u);
  pair_side(x, kind, 1, v);
  const double uu = dot3(u, u), along_u = dot3(u, n), along_v = dot3(v, n);
  return 2 * along_u * along_u > uu && along_v * along_v * uu < along_u * along_u * dot3(v, v);
}

/// Computes two unit tangential vectors t[0] and t[1] of a pair with nodes at x. They are orthogonal to the unit normal
/// n and to each other, and rotate with the pair. t[0] points along side number `side` of the pair (pair_side), such as
/// an edge of its triangle, projected on the plane perpendicular to n. Returns false if the side is parallel to n.
HOST_DEVICE bool pair_directions(const double x[4][3], PairKind kind, int side, const double n[3], double t[2][3]) {
  double u[3];
  pair_side(x, kind, side, u);
  const double along = dot3(u, n), length2 = dot3(u, u);
  for (int i = 0; i < 3; i++) t[0][i] = u[i] - along * n[i];
  const double across = sqrt(dot3(t[0], t[0]));
  if (!(across > 1e-6 * sqrt(length2))) return false;
  for (int i = 0; i < 3; i++) t[0][i] /= across;
  t[1][0] = n[1] * t[0][2] - n[2] * t[0][1];
  t[1][1] = n[2] * t[0][0] - n[0] * t[0][2];
  t[1][2] = n[0] * t[0][1] - n[1] * t[0][0];
  return true;
}

/// Computes the anchor of a pair, the stretch of its friction spring, after a time step or load increment in which
/// nodes have moved from `start` to x, both [node_count][3] m. `listed`: the positions to which s->n and s->stretch
/// belong. They are `start` in a time step, and x in a static problem. Returns false if there is no anchor: the pair
/// has no friction spring, its friction limit is 0, or the spring is not stretched.
HOST_DEVICE bool anchor_of(const Sliding *s, const double (*start)[3], const double (*x)[3], const double (*listed)[3],
                           Anchor *anchor) {
  double e[3], at[4][3], t[2][3];
  const double path = sliding_path(s, start, x, e);
  if (!(s->tie > 0) || !(s->limit > 0) || !(path > 0)) return false;
  const double kept = fmin(1.0, s->limit / s->tie / path);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) at[j][i] = listed[s->node[j]][i];
  anchor->side = pair_side_across((const double(*)[3])at, s->kind, s->n);
  if (!pair_directions((const double(*)[3])at, s->kind, anchor->side, s->n, t)) return false;
  for (int j = 0; j < 4; j++) anchor->node[j] = s->node[j];
  anchor->kind = s->kind;
  for (int i = 0; i < 2; i++) anchor->stretch[i] = kept * dot3(t[i], e);
  return true;
}

/// Returns the hash of a pair, which AnchorTable.tag stores. It is never 0.
HOST_DEVICE unsigned anchor_tag(const int node[4], PairKind kind) {
  unsigned tag = kind;
  for (int j = 0; j < 4; j++) {
    tag = (tag ^ (unsigned)node[j]) * 0x9e3779b1u;
    tag ^= tag >> 15;
  }
  return tag ? tag : 1;
}

/// Finds the stretch [3], m, of a pair's friction spring at the start of a time step. At this time the pair's nodes are
/// at x [4][3], m, and its unit normal is n. If the table has no anchor of the pair, the stretch is 0.
HOST_DEVICE void anchor_find(const AnchorTable *table, const int node[4], PairKind kind, const double x[4][3],
                             const double n[3], double stretch[3]) {
  stretch[0] = stretch[1] = stretch[2] = 0;
  if (!table->any) return;
  const unsigned tag = anchor_tag(node, kind), last = (unsigned)table->capacity - 1;
  for (unsigned at = tag & last; table->tag[at]; at = (at + 1) & last) {
    const Anchor *a = &table->slot[at];
    double t[2][3];
    if (table->tag[at] != tag || a->kind != (int)kind || a->node[0] != node[0] || a->node[1] != node[1] ||
        a->node[2] != node[2] || a->node[3] != node[3])
      continue;
    if (!pair_directions(x, kind, a->side, n, t)) return;
    for (int i = 0; i < 3; i++) stretch[i] = table->scale * (a->stretch[0] * t[0][i] + a->stretch[1] * t[1][i]);
    return;
  }
}

#ifdef __cplusplus
extern "C" {
#endif

void anchors_destroy(Anchors *anchors);

/// Lets a failed time step be repeated. With back = false, at the start of a time step, saves the current anchors
/// (stretches of friction springs). With back = true, after a failure, makes the saved anchors the current ones again.
void anchors_keep(Anchors *anchors, bool back);

/// Removes all anchors.
void anchors_forget(Anchors *anchors);

/// Multiplies the stretches of all stored anchors by `factor`.
void anchors_scale(Anchors *anchors, double factor);

/// Prepares a table for the anchors at the end of a time step: empties the table that does not contain the anchors
/// saved by anchors_keep, gives it capacity for `count` pairs, and makes it the current table. Sets *table to its
/// address. Waits for the stream if it allocates. Fails if memory runs out.
bool anchors_renew(Anchors *anchors, int64_t count, Stream stream, AnchorTable **table, Error *error);

/// Inserts an anchor, the stretch of a pair's friction spring, into a table in the host's memory. The table must have
/// an empty slot.
void anchor_put(const AnchorTable *table, const Anchor *anchor);

/// Copies the current anchors (stretches of friction springs) to a new array *list [*count], sorted by nodes. The
/// caller frees it. Waits for the stream.
bool anchors_list(const Anchors *anchors, Stream stream, Anchor **list, int64_t *count, Error *error);

/// Replaces the current anchors (stretches of friction springs) by list [count], which may be in any order. Waits for
/// the stream.
bool anchors_take(Anchors *anchors, const Anchor *list, int64_t count, Stream stream, Error *error);

/// Returns the number of bytes of the two tables of anchors for `count` sticking pairs.
double anchors_bytes(double count);

#ifdef __cplusplus
}
#endif
