// The kinds of constraints, such as pins and prescribed motions, and the lists of nodes that constraints move in the
// next time step (constraint.h).
#include "sim/force/constraint.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/force/held.h"

static void mark_pins(const ConstraintSource *source, uint8_t bit, uint8_t *held) {
  for (int i = 0; source->pinned && i < 3 * source->node_count; i++)
    if (source->pinned[i]) held[i] |= bit;
}

static void mark_held_grabs(const ConstraintSource *source, uint8_t bit, uint8_t *held) {
  for (const Grab *grab = source->grabs->grab; grab < source->grabs->grab + source->grabs->slots; grab++) {
    if (!grab_holds(grab)) continue;
    for (int k = 0; k < grab->count; k++)
      for (int i = 0; i < 3; i++) held[3 * grab->node[k] + i] |= bit;
  }
}

static void move_held_grabs(const ConstraintSource *source, double (*target)[3], void (*list)(void *, int),
                            void *user) {
  for (const Grab *grab = source->grabs->grab; grab < source->grabs->grab + source->grabs->slots; grab++) {
    if (!grab_holds(grab)) continue;
    for (int k = 0; k < grab->count; k++) {
      grab_target(grab, k, 1, target[grab->node[k]]);
      list(user, grab->node[k]);
    }
  }
}

static void mark_supports(const ConstraintSource *source, uint8_t bit, uint8_t *held) {
  const Supports *s = source->supports;
  for (int k = 0; k < s->followers; k++)
    for (int i = 0; i < 3; i++) held[3 * s->node[k] + i] |= s->along[s->node[k]][i] ? bit : 0;
}

// Sets targets (prescribed displacements) of unknowns that supports move. In the table below, this function's row comes
// after the row of grabs (nodes that the user moves). So if both a grab and a support move an unknown, the unknown
// follows the support.
static void move_supports(const ConstraintSource *source, double (*target)[3], void (*list)(void *, int), void *user) {
  const Supports *s = source->supports;
  for (int k = 0; k < s->followers; k++) {
    const int a = s->node[k];
    double u[3];
    for (int i = 0; i < 3; i++) {
      if (!s->along[a][i]) continue;
      motion_displacement(&s->motion[s->of[a][i] - 1], source->time, source->X[a], u);
      target[a][i] = u[i];
    }
    list(user, a);
  }
}

static const Constraint constraints[] = {
  { .bit = HELD_PINNED, .mark = mark_pins },
  { .bit = HELD_MOVED, .mark = mark_held_grabs, .targets = move_held_grabs },
  { .bit = HELD_MOVED, .mark = mark_supports, .targets = move_supports },
};

enum { CONSTRAINT_COUNT = sizeof constraints / sizeof *constraints };

bool constraints_create(Constraints *c, Device device, int node_count, Error *error) {
  *c = (Constraints){ 0 };
  node_list_create(&c->list, device, 3);
  c->target = array_new(node_count, sizeof *c->target, "targets", error);
  c->node = array_new(node_count, sizeof *c->node, "targets", error);
  c->is_listed = array_new(node_count, sizeof *c->is_listed, "targets", error);
  if (c->target && c->node && c->is_listed) return true;
  constraints_destroy(c);
  return false;
}

bool constraints_grow(Constraints *c, int64_t before, int64_t node_count, Error *error) {
  return array_grow(&c->target, before, node_count, sizeof *c->target, "targets", error) &&
         array_grow(&c->node, before, node_count, sizeof *c->node, "targets", error) &&
         array_grow(&c->is_listed, before, node_count, sizeof *c->is_listed, "targets", error);
}

void constraints_destroy(Constraints *c) {
  free(c->target);
  free(c->node);
  free(c->is_listed);
  node_list_destroy(&c->list);
  *c = (Constraints){ 0 };
}

void constraints_mark(const ConstraintSource *source, uint8_t *held) {
  memset(held, 0, 3 * (size_t)source->node_count);
  for (int k = 0; k < CONSTRAINT_COUNT; k++) constraints[k].mark(source, constraints[k].bit, held);
}

static void list_node(void *user, int node) {
  Constraints *c = user;
  if (c->is_listed[node]) return;
  c->is_listed[node] = 1;
  c->node[c->listed++] = node;
}

bool constraints_list(Constraints *c, const ConstraintSource *source, Stream stream, int *count, Error *error) {
  c->listed = 0;
  for (int k = 0; k < CONSTRAINT_COUNT; k++)
    if (constraints[k].targets) constraints[k].targets(source, c->target, list_node, c);
  for (int k = 0; k < c->listed; k++) c->is_listed[c->node[k]] = 0;
  *count = c->listed;
  return node_list_upload(&c->list, c->node, &c->target[0][0], c->listed, stream, error);
}
