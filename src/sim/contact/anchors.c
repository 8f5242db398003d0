// Hash tables of friction anchors (anchors.h): the stretches of the friction springs of contact pairs that stick.
#include "sim/contact/anchors.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { TABLE_LEAST = 256 };  // smallest number of slots of a hash table

void anchors_destroy(Anchors *a) {
  for (int k = 0; k < 2; k++) {
    device_free(a->device, a->table[k].tag);
    device_free(a->device, a->table[k].slot);
  }
  *a = (Anchors){ .device = a->device };
}

void anchors_keep(Anchors *a, bool back) {
  if (back)
    a->now = a->before;
  else
    a->before = a->now;
}

void anchors_forget(Anchors *a) {
  for (int k = 0; k < 2; k++) a->table[k].any = false;
}

void anchors_scale(Anchors *a, double factor) {
  for (int k = 0; k < 2; k++) a->table[k].scale *= factor;
}

// Replaces a table's arrays by new ones that can store the anchors of `count` pairs. An anchor is the stretch of a
// pair's friction spring. The anchors in the table are lost.
static bool enlarge(AnchorTable *t, Device device, int64_t count, Error *error) {
  int64_t capacity = TABLE_LEAST;
  while (capacity < 2 * count) capacity *= 2;
  if (capacity > INT32_MAX)
    return error_set(error,
                     "contact: %lld pairs of surface parts touch, but friction_sticks supports at most %d; set a "
                     "smaller contact_distance, or friction_sticks to false",
                     (long long)count, 1 << 29);
  device_free(device, t->tag);
  device_free(device, t->slot);
  t->capacity = 0;
  t->slot = NULL;
  if (!(t->tag = device_alloc(device, sizeof *t->tag * (size_t)capacity, error)) ||
      !(t->slot = device_alloc(device, sizeof *t->slot * (size_t)capacity, error)))
    return error_prefix(error, "contact");
  t->capacity = (int)capacity;
  return true;
}

bool anchors_renew(Anchors *a, int64_t count, Stream stream, AnchorTable **table, Error *error) {
  a->now = 1 - a->before;
  AnchorTable *t = *table = &a->table[a->now];
  t->any = false;
  if (t->capacity < 2 * count && !enlarge(t, a->device, count, error)) return false;
  t->any = count > 0;
  t->scale = 1;
  return !t->any || device_zero(stream, t->tag, sizeof *t->tag * (size_t)t->capacity, error);
}

void anchor_put(const AnchorTable *t, const Anchor *anchor) {
  const unsigned tag = anchor_tag(anchor->node, (PairKind)anchor->kind), last = (unsigned)t->capacity - 1;
  unsigned at = tag & last;
  while (t->tag[at]) at = (at + 1) & last;
  t->tag[at] = tag;
  t->slot[at] = *anchor;
}

// Compares two anchors for qsort: by nodes, then by kind.
static int compare_anchors(const void *a_, const void *b_) {
  const Anchor *a = a_, *b = b_;
  for (int j = 0; j < 4; j++)
    if (a->node[j] != b->node[j]) return a->node[j] < b->node[j] ? -1 : 1;
  return a->kind - b->kind;
}

bool anchors_list(const Anchors *a, Stream stream, Anchor **list, int64_t *count, Error *error) {
  const AnchorTable *t = &a->table[a->now];
  const size_t capacity = (size_t)t->capacity;
  *list = NULL;
  *count = 0;
  if (!t->any) return true;
  unsigned *tag = array_new(t->capacity, sizeof *tag, "contact", error);
  Anchor *slot = array_new(t->capacity, sizeof *slot, "contact", error);
  const bool ok = tag && slot && device_download(stream, tag, t->tag, sizeof *tag * capacity, error) &&
                  device_download(stream, slot, t->slot, sizeof *slot * capacity, error) && stream_sync(stream, error);
  for (size_t k = 0; ok && k < capacity; k++) {
    if (!tag[k]) continue;
    Anchor *anchor = &slot[(*count)++];
    *anchor = slot[k];
    for (int i = 0; i < 2; i++) anchor->stretch[i] *= t->scale;
  }
  if (*count > 1) qsort(slot, (size_t)*count, sizeof *slot, compare_anchors);
  free(tag);
  if (ok) *list = slot;
  if (!ok) free(slot);
  return ok;
}

bool anchors_take(Anchors *a, const Anchor *list, int64_t count, Stream stream, Error *error) {
  AnchorTable *to;
  if (!anchors_renew(a, count, stream, &to, error)) return false;
  if (count == 0) return true;
  AnchorTable made = { .capacity = to->capacity,
                       .tag = array_new(to->capacity, sizeof *made.tag, "contact", error),
                       .slot = array_new(to->capacity, sizeof *made.slot, "contact", error) };
  bool ok = made.tag && made.slot;
  for (int64_t k = 0; ok && k < count; k++) anchor_put(&made, &list[k]);
  ok = ok && device_upload(stream, to->tag, made.tag, sizeof *made.tag * (size_t)to->capacity, error) &&
       device_upload(stream, to->slot, made.slot, sizeof *made.slot * (size_t)to->capacity, error) &&
       stream_sync(stream, error);
  free(made.tag);
  free(made.slot);
  return ok;
}

double anchors_bytes(double count) {
  // There are two tables. Their lengths are powers of two, so a table has two to four times as many slots as pairs, on
  // average three times.
  return 2 * 3 * count * (sizeof(unsigned) + sizeof(Anchor));
}
