// Gathers, removes and renumbers items of arrays on all cores: see gather.h.
#include "base/gather.h"

#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"

// Work of one piece of a parallel loop: CHUNK items are gathered or renumbered, or COPIED bytes are copied.
enum { CHUNK = 1 << 13, COPIED = 1 << 18 };

typedef struct Gathering {
  char *to;
  const char *from;
  const int *list;
  size_t size;
} Gathering;

// A case of the switch over the item size below. The size `bytes` is a constant, so the compiler replaces memcpy by a
// few move instructions.
#define GATHER_ITEMS(bytes)                                                                                 \
  case bytes:                                                                                               \
    for (int k = first; k < last; k++)                                                                      \
      memcpy(g->to + (size_t)(bytes) * (size_t)k, g->from + (size_t)(bytes) * (size_t)g->list[k], (bytes)); \
    return;

static void gather_some(const void *gathering, int first, int last) {
  const Gathering *g = gathering;
  switch (g->size) {
    GATHER_ITEMS(1)
    GATHER_ITEMS(4)
    GATHER_ITEMS(8)
    GATHER_ITEMS(16)
    GATHER_ITEMS(24)
    GATHER_ITEMS(40)
  }
  for (int k = first; k < last; k++)
    memcpy(g->to + g->size * (size_t)k, g->from + g->size * (size_t)g->list[k], g->size);
}

void gather_items(void *to, const void *from, const int *list, int count, size_t size) {
  parallel_for(count, CHUNK, gather_some, &(Gathering){ to, from, list, size });
}

typedef struct Copying {
  char *to;
  const char *from;
  size_t bytes;
} Copying;

static void copy_some(const void *copying, int first, int last) {
  const Copying *c = copying;
  const size_t begin = (size_t)first * COPIED, whole = (size_t)last * COPIED, end = whole < c->bytes ? whole : c->bytes;
  memcpy(c->to + begin, c->from + begin, end - begin);
}

void copy_bytes(void *to, const void *from, size_t bytes) {
  parallel_for((int)((bytes + COPIED - 1) / COPIED), 1, copy_some, &(Copying){ to, from, bytes });
}

bool gather_new(void *to, const void *from, const int *list, int count, size_t size, const char *what, Error *error) {
  char *made = from ? array_capacity(count, size, what, error) : NULL;
  if (made && !list) copy_bytes(made, from, size * (size_t)count);
  if (made && list) gather_items(made, from, list, count, size);
  memcpy(to, &made, sizeof made);
  return made || !from;
}

void keep_items(void *array, const int *list, int count, size_t size, void *scratch) {
  if (!array) return;
  gather_items(scratch, array, list, count, size);
  copy_bytes(array, scratch, size * (size_t)count);
}

int renumbered(const int *gone, int gone_count, int number) {
  const int before = count_below(gone, gone_count, number);
  return before < gone_count && gone[before] == number ? -1 : number - before;
}

typedef struct Renumbering {
  const int *gone;
  int gone_count;
  int *old_number, *new_number;
} Renumbering;

static void renumber_some(const void *renumbering, int first, int last) {
  const Renumbering *r = renumbering;
  int before = count_below(r->gone, r->gone_count, first);  // number of removed items before item k
  for (int k = first; k < last; k++) {
    const bool is_gone = before < r->gone_count && r->gone[before] == k;
    if (r->new_number) r->new_number[k] = is_gone ? -1 : k - before;
    if (r->old_number && !is_gone) r->old_number[k - before] = k;
    before += is_gone;
  }
}

void renumber_remaining(const int *gone, int gone_count, int count, int *old_number, int *new_number) {
  parallel_for(count, CHUNK, renumber_some, &(Renumbering){ gone, gone_count, old_number, new_number });
}

typedef struct Replacing {
  int *number;
  const int *new_number;
  int64_t count;
} Replacing;

static void replace_some(const void *replacing, int first, int last) {
  const Replacing *r = replacing;
  const int64_t end = (int64_t)last * CHUNK < r->count ? (int64_t)last * CHUNK : r->count;
  for (int64_t k = (int64_t)first * CHUNK; k < end; k++) r->number[k] = r->new_number[r->number[k]];
}

void replace_numbers(int *number, int64_t count, const int *new_number) {
  parallel_for((int)((count + CHUNK - 1) / CHUNK), 1, replace_some, &(Replacing){ number, new_number, count });
}
