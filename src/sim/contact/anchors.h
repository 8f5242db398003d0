// What pairs that stick have from one step to the next (sliding.h): where they stick, in a hash table keyed by pair, in
// the memory of the device where contact is computed. A step reads the table that the last one left and fills another,
// so one that is taken back has changed nothing. Each pair is looked for once and put in once, so it does not matter in
// which order, nor where a pair then stands.
//
// A stretch is told by two directions that turn with the pair's primitives: what is carried round keeps it, by as much
// as it was, and so its energy.
#pragma once
#include "device/device.h"
#include "sim/contact/sliding.h"

typedef struct Anchor {
  int node[4], edges;  // the pair: two edges, or a point and a triangle
  int side;            // of its primitives: see pair_directions
  double stretch[2];   // m, along the two: how far it has gone along the surface from where it sticks
} Anchor;

// Open addressing, at most half full. Arrays on the device.
typedef struct AnchorTable {
  int capacity;   // a power of two; 0: none
  bool any;       // something may stick; else what is in it says nothing
  double scale;   // of what is in it
  unsigned *tag;  // [capacity] of the pair that stands there, 0: free
  Anchor *slot;   // [capacity]
} AnchorTable;

typedef struct Anchors {
  Device device;
  AnchorTable table[2];
  int now, before;  // what sticks as the last step, or part of one, ended; and as the whole step began
} Anchors;

/// A side of a pair's primitives: of two edges the first or the second, of a triangle that to its second or to its
/// third corner.
HOST_DEVICE void pair_side(const double x[4][3], bool edges, int side, double u[3]) {
  if (edges)
    subtract3(x[2 * side + 1], x[2 * side], u);
  else
    subtract3(x[2 + side], x[1], u);
}

/// The first side, but where it is nearer to n, of length 1, than half a right angle, and than the second.
HOST_DEVICE int pair_side_across(const double x[4][3], bool edges, const double n[3]) {
  double u[3], v[3];
  pair_side(x, edges, 0, u), pair_side(x, edges, 1, v);
  const double uu = dot3(u, u), along_u = dot3(u, n), along_v = dot3(v, n);
  return 2 * along_u * along_u > uu && along_v * along_v * uu < along_u * along_u * dot3(v, v);
}

/// Two directions across n, of length 1 and square to each other, which turn with the pair at x: the first as near as
/// there is to a side. False where that is along n.
HOST_DEVICE bool pair_directions(const double x[4][3], bool edges, int side, const double n[3], double t[2][3]) {
  double u[3];
  pair_side(x, edges, side, u);
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

/// What sticks of a pair that slid from `start` to x [node_count][3], if anything does.
HOST_DEVICE bool anchor_of(const Sliding *s, const double (*start)[3], const double (*x)[3], Anchor *anchor) {
  double e[3], at[4][3], t[2][3];
  const double way = sliding_way(s, start, x, e);
  if (!(s->tie > 0) || !(s->limit > 0) || !(way > 0)) return false;
  const double kept = fmin(1.0, s->limit / s->tie / way);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) at[j][i] = start[s->node[j]][i];
  anchor->side = pair_side_across((const double(*)[3])at, s->edges, s->n);
  if (!pair_directions((const double(*)[3])at, s->edges, anchor->side, s->n, t)) return false;
  for (int j = 0; j < 4; j++) anchor->node[j] = s->node[j];
  anchor->edges = s->edges;
  for (int i = 0; i < 2; i++) anchor->stretch[i] = kept * dot3(t[i], e);
  return true;
}

/// A number of a pair that is not 0.
HOST_DEVICE unsigned anchor_tag(const int node[4], bool edges) {
  unsigned tag = edges;
  for (int j = 0; j < 4; j++) {
    tag = (tag ^ (unsigned)node[j]) * 0x9e3779b1u;
    tag ^= tag >> 15;
  }
  return tag ? tag : 1;
}

/// A pair's stretch, m, where it is at x [4][3] with the normal n as a step begins; none: 0.
HOST_DEVICE void anchor_find(const AnchorTable *table, const int node[4], bool edges, const double x[4][3],
                             const double n[3], double stretch[3]) {
  stretch[0] = stretch[1] = stretch[2] = 0;
  if (!table->any) return;
  const unsigned tag = anchor_tag(node, edges), last = (unsigned)table->capacity - 1;
  for (unsigned at = tag & last; table->tag[at]; at = (at + 1) & last) {
    const Anchor *a = &table->slot[at];
    double t[2][3];
    if (table->tag[at] != tag || a->edges != (int)edges || a->node[0] != node[0] || a->node[1] != node[1] ||
        a->node[2] != node[2] || a->node[3] != node[3])
      continue;
    if (!pair_directions(x, edges, a->side, n, t)) return;
    for (int i = 0; i < 3; i++) stretch[i] = table->scale * (a->stretch[0] * t[0][i] + a->stretch[1] * t[1][i]);
    return;
  }
}

#ifdef __cplusplus
extern "C" {
#endif

void anchors_destroy(Anchors *anchors);

/// What sticks as a whole step begins is what sticks now; and back.
void anchors_keep(Anchors *anchors, bool back);

/// Nothing sticks.
void anchors_forget(Anchors *anchors);

/// All stretches are `factor` times what they are.
void anchors_scale(Anchors *anchors, double factor);

/// The table of what sticks now, empty and with room for so many pairs; what stuck as the whole step began stays.
/// Synchronises where it makes room. Fails for lack of memory.
bool anchors_renew(Anchors *anchors, int64_t count, Stream stream, AnchorTable **table, Error *error);

/// Puts one into a table on the CPU that has room for it.
void anchor_put(const AnchorTable *table, const Anchor *anchor);

/// What sticks now, by nodes, [*count]; free() releases it. Waits.
bool anchors_list(const Anchors *anchors, Stream stream, Anchor **list, int64_t *count, Error *error);

/// Sticks now what a list says, in any order. Waits.
bool anchors_take(Anchors *anchors, const Anchor *list, int64_t count, Stream stream, Error *error);

/// Bytes of the tables where so many pairs stick.
double anchors_bytes(double count);

#ifdef __cplusplus
}
#endif
