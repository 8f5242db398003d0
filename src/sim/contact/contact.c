// Contact of bodies with themselves, with each other and with obstacles on the CPU: see contact.h for the method.
#include "sim/contact/contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "sim/contact/advance.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact_cuda.h"
#include "sim/contact/crossing.h"

enum { PAIRS = 512 };  // number of contact pairs that one task of a parallel loop processes
// If a test for collisions covers the whole displacements and needs a new list of pairs, the list is made for FORESEEN
// times the displacements. So it usually stays valid in the next time steps.
enum { FORESEEN = 2 };

bool contact_create(Contact **contact, const Space *space, const int (*triangle)[3], int count,
                    const RigidSurface *rigid, Error *error) {
  Contact *c = *contact = array_new(1, sizeof *c, "contact", error);
  if (!c || !skin_create(&c->skin, space, triangle, count, rigid, error) ||
      !nearby_create(&c->nearby, &c->skin, contact_default_reach(c->skin.mean_edge, c->skin.extent), error))
    return false;
  const int nodes = c->skin.node_count, obstacles = nodes - c->skin.body_nodes;
  const int capacity = obstacles > 0 ? obstacles : 1;  // a GPU cannot allocate zero bytes
  c->still_speed = CONTACT_STILL_SPEED * c->skin.extent;
  c->rigid = array_new(capacity, sizeof *c->rigid, "contact", error);
  c->rigid_velocity = array_new(capacity, sizeof *c->rigid_velocity, "contact", error);
  if (!c->rigid || !c->rigid_velocity) return false;
  if (obstacles > 0) memcpy(c->rigid, c->skin.X + c->skin.body_nodes, sizeof *c->rigid * (size_t)obstacles);
  double(**vectors[])[3] = { &c->x, &c->to, &c->displacement, &c->force, &c->start };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = array_new(nodes, sizeof **vectors[k], "contact", error))) return false;
  c->row_of = array_new(nodes, sizeof *c->row_of, "contact", error);
  c->row_node = array_new(nodes, sizeof *c->row_node, "contact", error);
  c->row_start = array_new((int64_t)nodes + 1, sizeof *c->row_start, "contact", error);
  c->dot = array_new(nodes, sizeof *c->dot, "contact", error);
  if (!c->row_of || !c->row_node || !c->row_start || !c->dot) return false;
  for (int a = 0; a < nodes; a++) c->row_of[a] = -1;
  return true;
}

void contact_destroy(Contact *c) {
  if (!c) return;
#ifdef PLIANT_CUDA
  contact_cuda_destroy(c->cuda);
#endif
  anchors_destroy(&c->anchors);
  nearby_destroy(&c->nearby);
  skin_destroy(&c->skin);
  void *arrays[] = { c->x,          c->to,    c->displacement, c->force,    c->now.touch,      c->tangent.touch,
                     c->part_count, c->start, c->sliding,      c->coupling, c->row_of,         c->row_node,
                     c->row_start,  c->entry, c->dot,          c->rigid,    c->rigid_velocity, c->may };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  free(c);
}

void contact_place_rigid(const Contact *c, const double *origin, double (*x)[3]) {
  const Skin *s = &c->skin;
  for (int k = 0; k < s->node_count - s->body_nodes; k++)
    for (int i = 0; i < 3; i++)
      x[s->body_nodes + k][i] = c->rigid[k][i] + c->elapsed * c->rigid_velocity[k][i] - (origin ? origin[i] : 0);
}

// Writes to `text` the words by which a message names nodes: "nodes" with their tags (numbers in the user's file), or
// "an obstacle".
static void name_nodes(const Contact *c, const int *node, int count, const int64_t *tag, char *text, size_t size) {
  if (node[0] >= c->skin.body_nodes) {
    snprintf(text, size, "an obstacle");
    return;
  }
  size_t length = (size_t)snprintf(text, size, "nodes");
  for (int k = 0; k < count && length < size; k++)
    length += (size_t)snprintf(text + length, size - length, "%s %lld", k ? "," : "", (long long)tag[node[k]]);
}

bool contact_check(Contact *c, const double (*x)[3], const int64_t *tag, Error *error) {
  Crossings crossings;
  if (!find_crossings(&c->skin, x, &crossings, error)) return false;
  if (crossings.count == 0) return true;
  if (crossings.vertex >= 0)
    return error_set(error,
                     "node %lld is on or below this plane (further nodes: %lld); move the body away, or set "
                     "\"untangle\": true, which moves it at the start",
                     (long long)tag[c->skin.vertex[crossings.vertex]], (long long)crossings.count - 1);
  const int *e = c->skin.edge[crossings.edge], *t = c->skin.triangle[crossings.triangle];
  char edge[64], triangle[96];
  name_nodes(c, e, 2, tag, edge, sizeof edge);
  name_nodes(c, t, 3, tag, triangle, sizeof triangle);
  return error_set(error,
                   "the surface intersects %s: the edge of %s crosses the triangle of %s (further "
                   "crossings: %lld); self_contact needs surfaces that do not intersect: move them apart",
                   e[0] >= c->skin.body_nodes || t[0] >= c->skin.body_nodes ? "an obstacle" : "itself", edge, triangle,
                   (long long)crossings.count - 1);
}

// Arguments of parallel loops over contact->may, the pairs that may touch. Each piece of a loop has PAIRS pairs.
typedef struct Task {
  const Contact *c;
  const double (*x)[3], (*displacement)[3];
  TouchList *list;
  double rounding;  // m, rounding error of displacements
  double tested;    // fraction of the displacements that is tested for collisions
  // [pieces], result: the smallest safe fraction of the displacements over the pairs of each piece
  double *fraction;
} Task;

static void corners(const double (*x)[3], const int node[4], double at[4][3]) {
  for (int j = 0; j < 4; j++) memcpy(at[j], x[node[j]], sizeof at[j]);
}

static void touch_pairs(const void *task, int first, int last) {
  const Task *t = task;
  int64_t count = 0;
  for (int k = first; k < last; k++) {
    const ContactPair *pair = &t->c->nearby.pair[t->c->may[k]];
    double at[4][3];
    corners(t->x, pair->node, at);
    count += pair_touches(pair, t->c->modulus, (const double(*)[3])at, &t->list->touch[first + count]);
  }
  t->c->part_count[first / PAIRS] = count;
}

// Enlarges the arrays of `list` and the array c->part_count for c->may_count pairs.
static bool reserve(Contact *c, TouchList *list, Error *error) {
  return array_reserve((void **)&list->touch, &list->capacity, c->may_count, sizeof *list->touch, "contact", error) &&
         array_reserve((void **)&c->part_count, &c->part_capacity, c->may_count / PAIRS + 1, sizeof *c->part_count,
                       "contact", error);
}

// Fills `list` with all pairs that touch, with their forces, for nodes at the positions x, m.
static bool find_touches(Contact *c, const double (*x)[3], TouchList *list, Error *error) {
  const int pairs = (int)c->may_count;
  if (!reserve(c, list, error)) return false;
  parallel_for(pairs, PAIRS, touch_pairs, &(Task){ .c = c, .x = x, .list = list });
  list->count = 0;
  list->energy = 0;
  for (int first = 0; first < pairs; first += PAIRS) {
    const int64_t count = c->part_count[first / PAIRS];
    if (list->count < first)
      memmove(list->touch + list->count, list->touch + first, sizeof *list->touch * (size_t)count);
    list->count += count;
  }
  for (int64_t k = 0; k < list->count; k++) list->energy += list->touch[k].energy;
  return true;
}

// Sets c->may, the pairs of the list that may touch in two states or on the straight line between them. *at and *end
// describe the two states: the fraction of the predicted displacements by which nodes have moved, and the largest
// deviation of a node from the prediction, m.
static bool list_may(Contact *c, const NearbyMotion *at, const NearbyMotion *end, Error *error) {
  // Bounds for all states between the two: the larger fraction, and the larger deviation. 0.01 * reach covers rounding
  // of positions.
  const NearbyMotion worse = { fmax(at->fraction, end->fraction), fmax(at->off, end->off) + 0.01 * c->nearby.reach };
  c->may_count = 0;
  if (!array_reserve((void **)&c->may, &c->may_capacity, c->nearby.pair_count, sizeof *c->may, "contact", error))
    return false;
  for (int k = 0; k < c->nearby.pair_count; k++)
    if (nearby_may_touch(&c->nearby, &c->nearby.pair[k], &worse)) c->may[c->may_count++] = k;
  return true;
}

bool contact_settle(Contact *c, const double (*x)[3], Error *error) {
  NearbyMotion begin = nearby_motion(&c->nearby, x);
  if (!nearby_is_valid(&c->nearby, &begin)) {
    memset(c->displacement, 0, sizeof *c->displacement * (size_t)c->skin.node_count);
    if (!nearby_find(&c->nearby, x, (const double(*)[3])c->displacement, error)) return false;
    begin = (NearbyMotion){ 0, 0 };
  }
  return list_may(c, &begin, &begin, error);
}

bool contact_begin(Contact *c, const double (*x)[3], double duration, Error *error) {
  const AnchorTable *stuck = &c->anchors.table[c->anchors.now];
  c->sliding_count = 0;
  if (!contact_rubs(c) || (!isfinite(duration) && !c->loading)) return true;
  c->still = c->still_speed * duration;
  if (!c->loading) memcpy(c->start, x, sizeof *c->start * (size_t)c->skin.node_count);
  if (!find_touches(c, x, &c->now, error) ||
      !array_reserve((void **)&c->sliding, &c->sliding_capacity, c->now.count, sizeof *c->sliding, "contact", error))
    return false;
  for (int64_t k = 0; k < c->now.count; k++) {
    const Touch *t = &c->now.touch[k];
    Sliding *s = &c->sliding[c->sliding_count++];
    memcpy(s->node, t->node, sizeof s->node);
    memcpy(s->weight, t->weight, sizeof s->weight);
    memcpy(s->n, t->n, sizeof s->n);
    s->limit =
        sliding_limit(pair_friction(c->skin.friction, t->node, c->friction), t->push, c->loading == LOADING_FIRST);
    s->kind = t->kind;
    s->tie = contact_has_springs(c) ? t->tie : 0;
    double at[4][3];
    corners(x, s->node, at);
    anchor_find(stuck, s->node, s->kind, (const double(*)[3])at, s->n, s->stretch);
  }
  return true;
}

void contact_set_modulus(Contact *c, double modulus) {
  if (modulus != c->modulus) anchors_scale(&c->anchors, sqrt(c->modulus / modulus));
  c->modulus = modulus;
}

bool contact_stick(Contact *c, const double (*x)[3], Error *error) {
  AnchorTable *table;
  Anchor anchor;
  if (c->loading && !contact_stores_anchors(c)) return true;
  const int64_t count = contact_stores_anchors(c) ? c->sliding_count : 0;
  if (!anchors_renew(&c->anchors, count, (Stream){ 0 }, &table, error)) return false;
  const double(*start)[3] = (const double(*)[3])c->start, (*listed)[3] = c->loading ? x : start;
  for (int64_t k = 0; table->any && k < c->sliding_count; k++)
    if (anchor_of(&c->sliding[k], start, x, listed, &anchor)) anchor_put(table, &anchor);
  return true;
}

void contact_forget_friction(Contact *c) {
  c->sliding_count = 0;
  c->last_duration = 0;
  c->settled = false;
  if (!c->loading) anchors_forget(&c->anchors);
  if (c->cuda) {
    c->cuda->sliding_count = 0;
    c->cuda->host_slides = false;
  }
}

void contact_friction(const Contact *c, const Sliding *s, const double (*x)[3], double force[3]) {
  double e[3], energy;
  const double path = sliding_path(s, (const double(*)[3])c->start, x, e);
  const double over_path = sliding_force(s, path, c->still, &energy);
  for (int i = 0; i < 3; i++) force[i] = -over_path * e[i];
}

bool contact_forces(Contact *c, const double (*x)[3], Error *error) {
  if (!find_touches(c, x, &c->now, error)) return false;
  for (int k = 0; k < c->skin.vertex_count; k++)
    for (int i = 0; i < 3; i++) c->force[c->skin.vertex[k]][i] = 0;
  for (int64_t k = 0; k < c->now.count; k++) {
    const Touch *t = &c->now.touch[k];
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) c->force[t->node[j]][i] += t->force[j][i];
  }
  c->friction_energy = 0;
  for (int64_t k = 0; k < c->sliding_count; k++) {
    const Sliding *s = &c->sliding[k];
    double e[3], energy;
    const double path = sliding_path(s, (const double(*)[3])c->start, x, e);
    const double force = sliding_force(s, path, c->still, &energy);
    c->friction_energy += energy;
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) c->force[s->node[j]][i] -= force * s->weight[j] * e[i];
  }
  return true;
}

static void couple(Contact *c, const int node[4], const double weight[4], const double B[6]) {
  Coupling *k = &c->coupling[c->coupling_count++];
  memcpy(k->node, node, sizeof k->node);
  memcpy(k->weight, weight, sizeof k->weight);
  memcpy(k->B, B, sizeof k->B);
  pair_led(node, weight, c->skin.body_nodes, (const double(*)[3])c->rigid_velocity, k->led);
  pair_drop_rigid(k->node, k->weight, c->skin.body_nodes);
}

// Builds the rows of the tangent: c->row_node, c->row_start and c->entry. Each node that has couplings has a row. A row
// is the ascending list of the numbers 4 * k + j, one for each coupling k of which the node is node j.
static bool list_rows(Contact *c, Error *error) {
  if (!array_reserve((void **)&c->entry, &c->entry_capacity, 4 * c->coupling_count, sizeof *c->entry, "contact", error))
    return false;
  for (int r = 0; r < c->row_count; r++) c->row_of[c->row_node[r]] = -1;
  c->row_count = 0;
  for (int64_t k = 0; k < 4 * c->coupling_count; k++) {
    const int a = c->coupling[k / 4].node[k % 4];
    if (c->row_of[a] < 0) {
      c->row_of[a] = c->row_count;
      c->row_node[c->row_count] = a;
      c->row_start[++c->row_count] = 0;
    }
    c->row_start[c->row_of[a] + 1]++;
  }
  c->row_start[0] = 0;
  for (int r = 0; r < c->row_count; r++) c->row_start[r + 1] += c->row_start[r];
  for (int64_t k = 4 * c->coupling_count - 1; k >= 0; k--)  // backwards, so that the entries of each row ascend
    c->entry[--c->row_start[c->row_of[c->coupling[k / 4].node[k % 4]] + 1]] = (int)k;

  // The loop has decreased row_start[r + 1] from the end to the start of row r: shift the array by one element.
  for (int r = 0; r < c->row_count; r++) c->row_start[r] = c->row_start[r + 1];
  c->row_start[c->row_count] = (int)(4 * c->coupling_count);
  return true;
}

bool contact_tangent(Contact *c, const double (*x)[3], double scale, double slip_fraction, Error *error) {
  c->coupling_count = 0;
  if (!find_touches(c, x, &c->tangent, error) ||
      !array_reserve((void **)&c->coupling, &c->coupling_capacity, c->tangent.count + c->sliding_count,
                     sizeof *c->coupling, "contact", error))
    return false;
  for (int64_t k = 0; k < c->tangent.count; k++) {
    const Touch *t = &c->tangent.touch[k];
    double B[6];
    for (int i = 0; i < 6; i++) B[i] = scale * t->stiffness[i];
    couple(c, t->node, t->weight, B);
  }
  for (int64_t k = 0; k < c->sliding_count; k++) {
    const Sliding *s = &c->sliding[k];
    double e[3], B[6];
    const double path = sliding_path(s, (const double(*)[3])c->start, x, e);
    const double secant = pair_slip_fraction(s->node, s->weight, c->skin.body_nodes,
                                             (const double(*)[3])c->rigid_velocity, slip_fraction);
    sliding_tangent(s, path, c->still, scale, secant, e, B);
    couple(c, s->node, s->weight, B);
  }
  return list_rows(c, error);
}

void contact_searches(const Contact *c, int64_t *count, double *seconds) {
  *count = c->cuda ? c->cuda->searches : c->nearby.searches;
  *seconds = c->cuda ? c->cuda->search_s : c->nearby.search_s;
}

void contact_add_searches(Contact *c, const Contact *old) {
  int64_t count = 0;
  double seconds = 0;
  if (old) contact_searches(old, &count, &seconds);
  *(c->cuda ? &c->cuda->searches : &c->nearby.searches) += count;
  *(c->cuda ? &c->cuda->search_s : &c->nearby.search_s) += seconds;
}

static void advance_pairs(const void *task, int first, int last) {
  const Task *t = task;
  double least = 1;
  for (int k = first; k < last; k++) {
    const ContactPair *pair = &t->c->nearby.pair[t->c->may[k]];
    double at[4][3], displacement[4][3];
    corners(t->x, pair->node, at);
    corners(t->displacement, pair->node, displacement);
    least = fmin(least, pair_advance((const double(*)[3])at, (const double(*)[3])displacement, pair->kind,
                                     t->c->nearby.reach, t->rounding, fmin(t->tested, least), NULL));
  }
  t->fraction[first / PAIRS] = least;
}

// Tests the displacements for collisions up to the fraction `tested`. *fraction: the largest safe fraction of the
// displacements, or 1 if no pair limits them. *is_usable: true if the present list of pairs contains all pairs that can
// touch up to `tested`. If it is false, `finds` decides: true makes a new list and tests with it; false returns without
// a test.
static bool bound_part(Contact *c, const double (*x)[3], const double (*displacement)[3], double rounding,
                       double tested, bool finds, bool *is_usable, double *fraction, Error *error) {
  NearbyMotion begin, end;
  nearby_motions(&c->nearby, x, displacement, tested, &begin, &end);
  *fraction = 1;
  *is_usable = nearby_is_valid(&c->nearby, &begin) && nearby_is_valid(&c->nearby, &end);
  if (!*is_usable && !finds) return true;
  if (!*is_usable) {
    // If the whole motion is tested, make the list of pairs for more than this motion, so that the next time step may
    // need no new list.
    const double foreseen = tested < 1 ? tested : FORESEEN;
    for (int k = 0; k < c->skin.vertex_count; k++) {
      const int a = c->skin.vertex[k];
      for (int i = 0; i < 3; i++) c->to[a][i] = foreseen * displacement[a][i];
    }
    if (!nearby_find(&c->nearby, x, (const double(*)[3])c->to, error)) return false;
    begin = (NearbyMotion){ 0, 0 };
    end = (NearbyMotion){ tested / foreseen, 0 };
  }

  if (!list_may(c, &begin, &end, error)) return false;
  const int pairs = (int)c->may_count, parts = pairs / PAIRS + 1;
  double *part = array_new(parts, sizeof *part, "contact", error);
  if (!part) return false;
  for (int k = 0; k < parts; k++) part[k] = 1;
  const Task task = {
    .c = c, .x = x, .displacement = displacement, .rounding = rounding, .tested = tested, .fraction = part
  };
  parallel_for(pairs, PAIRS, advance_pairs, &task);
  for (int k = 0; k < parts; k++) *fraction = fmin(*fraction, part[k]);
  free(part);
  return true;
}

bool contact_bound(Contact *c, const double (*x)[3], double (*displacement_)[3], double rounding, double *fraction,
                   Error *error) {
  const double(*displacement)[3] = (const double(*)[3])displacement_;
  double longest2 = 0, capped = 1;
  bool is_usable;
  *fraction = 1;
  for (int k = 0; k < c->skin.vertex_count; k++) {
    const double length2 = dot3(displacement[c->skin.vertex[k]], displacement[c->skin.vertex[k]]);
    if (!isfinite(length2)) return true;  // infinite or NaN: the caller rejects these displacements
    longest2 = fmax(longest2, length2);
  }

  // Shorten displacements to the body's extent, the diagonal of its bounding box. So lists of pairs stay short.
  if (longest2 > c->skin.extent * c->skin.extent) {
    capped = c->skin.extent / sqrt(longest2);
    for (int k = 0; k < c->skin.vertex_count; k++)
      for (int i = 0; i < 3; i++) displacement_[c->skin.vertex[k]][i] *= capped;
  }

  // If the list of pairs was not made for all of a long displacement, first test only its beginning.
  const double tested = contact_tested_fraction(c, capped * sqrt(longest2));
  if (!bound_part(c, x, displacement, rounding, 1, tested == 1, &is_usable, fraction, error)) return false;
  if (!is_usable && tested < 1) {
    if (!bound_part(c, x, displacement, rounding, tested, true, &is_usable, fraction, error)) return false;
    if (*fraction == 1 && !bound_part(c, x, displacement, rounding, 1, true, &is_usable, fraction, error)) return false;
  }
  *fraction *= capped;
  return true;
}
