// Supports, pinned unknowns that follow a prescribed rigid motion (supports.h).
#include "sim/force/supports.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool supports_create(Supports *s, const RigidMotion *motions, int count, const uint16_t (*of)[3], int node_count,
                     Error *error) {
  *s = (Supports){ .node_count = node_count, .count = count };
  s->motion = array_new(count, sizeof *s->motion, "motions of pins", error);
  s->of = array_new(node_count, sizeof *s->of, "motion of each node's pin", error);
  s->node = array_new(node_count, sizeof *s->node, "nodes moved by pins", error);
  s->along = array_new(node_count, sizeof *s->along, "axes along which pins move nodes", error);
  if (!s->motion || !s->of || !s->node || !s->along) {
    supports_destroy(s);
    return false;
  }
  memcpy(s->motion, motions, sizeof *motions * (size_t)count);
  memcpy(s->of, of, sizeof *of * (size_t)node_count);
  return true;
}

void supports_destroy(Supports *s) {
  free(s->motion);
  free(s->of);
  free(s->node);
  free(s->along);
  *s = (Supports){ 0 };
}

// Lists in s->node the nodes of which at least one unknown follows a prescribed motion at present.
static void list_followers(Supports *s) {
  s->followers = 0;
  for (int a = 0; a < s->node_count; a++)
    if (s->along[a][0] || s->along[a][1] || s->along[a][2]) s->node[s->followers++] = a;
  s->any_followers = s->followers > 0;
}

void supports_follow(Supports *s, const uint8_t *follows) {
  if (s->count == 0) return;
  memcpy(s->along, follows, sizeof *s->along * (size_t)s->node_count);
  list_followers(s);
}

bool supports_carry(Supports *s, const Supports *old, const int *from, int node_count, Error *error) {
  if (old->count == 0) return true;
  uint16_t(*of)[3] = array_new(node_count, sizeof *of, "motion of each node's pin", error);
  for (int a = 0; of && a < node_count; a++) memcpy(of[a], old->of[from[a]], sizeof *of);
  const bool ok = of && supports_create(s, old->motion, old->count, (const uint16_t(*)[3])of, node_count, error);
  for (int a = 0; ok && a < node_count; a++) memcpy(s->along[a], old->along[from[a]], sizeof *s->along);
  if (ok) list_followers(s);
  free(of);
  return ok;
}

static bool motion_changes(const RigidMotion *motion, double from, double to) {
  double before[3], after[3];
  motion_offset(motion, from, before);
  motion_offset(motion, to, after);
  return memcmp(before, after, sizeof before) != 0 ||
         (motion_spins(motion) && motion_degrees(motion, from) != motion_degrees(motion, to));
}

bool supports_move(const Supports *s, double from, double to) {
  if (!s->any_followers) return false;
  for (int k = 0; k < s->count; k++)
    if (motion_changes(&s->motion[k], from, to)) return true;
  return false;
}
