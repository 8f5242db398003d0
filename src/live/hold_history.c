// Undo and redo of pins (held nodes) and kept pulls (springs that pull after the mouse is released): see
// hold_history.h.
#include "live/hold_history.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/memory_stream.h"

static void hold_destroy(Hold *hold) {
  free(hold->pinned);
  free(hold->pulls);
  *hold = (Hold){ 0 };
}

static bool take_pulls(Hold *hold, const Session *session, Error *error) {
  FILE *file = memory_stream(&hold->pulls, &hold->pulls_size);
  if (!file) return error_set(error, "out of memory: cannot store the pins and pulls; close other programs");
  fwrite(&session->pull_count, sizeof session->pull_count, 1, file);
  for (int k = 0; k < session->pull_count; k++) {
    fwrite(&session->pulls[k], sizeof *session->pulls, 1, file);
    simulation_grab_save(session->simulation, session->pulls[k].id, file);
  }
  return fclose(file) == 0 || error_set(error, "out of memory: cannot store the pins and pulls; close other programs");
}

// Copies the session's present pins (held nodes) and kept pulls (springs that pull after the mouse is released) to
// `hold`.
static bool hold_take(Hold *hold, const Session *session, Error *error) {
  const uLong nodes = (uLong)session->mesh.node_count;
  uLongf size = compressBound(nodes);
  unsigned char *packed = array_new((int64_t)size, 1, "pins", error);
  *hold = (Hold){ 0 };
  bool ok = packed && (compress2(packed, &size, session->pinned, nodes, 1) == Z_OK ||
                       error_set(error, "out of memory: cannot store the pins; close other programs"));
  if (ok) {
    void *shorter = realloc(packed, size);  // compression saves much, since most neighbouring nodes have equal pins
    hold->pinned = shorter ? shorter : packed;
    hold->packed_size = size;
    packed = NULL;
  }
  ok = ok && take_pulls(hold, session, error);
  free(packed);
  if (!ok) hold_destroy(hold);
  return ok;
}

// Replaces the session's pulls by those that `hold` stores. A pull is a spring by which the user pulls a patch (group
// of nodes). All present pulls are released, and the stored ones are created with their patches and springs.
static bool apply_pulls(const Hold *hold, Session *session, Error *error) {
  Bytes bytes = { .at = (unsigned char *)hold->pulls, .end = (unsigned char *)hold->pulls + hold->pulls_size };
  int count;
  bytes_take(&bytes, &count, sizeof count);
  while (session->pull_count > 0)
    if (!simulation_release(session->simulation, session->pulls[--session->pull_count].id, error)) return false;
  for (int k = 0; k < count; k++) {
    SessionPull pull;
    bytes_take(&bytes, &pull, sizeof pull);
    if (!simulation_grab_again(session->simulation, &bytes, &pull.id, error)) return false;
    session->pulls[session->pull_count++] = pull;
  }
  return true;
}

static bool hold_apply(const Hold *hold, Session *session, Error *error) {
  uLongf nodes = (uLongf)session->mesh.node_count;
  if (uncompress(session->pinned, &nodes, hold->pinned, hold->packed_size) != Z_OK)
    return error_set(error, "out of memory: cannot restore the pins; close other programs");
  return simulation_set_pins(session->simulation, session->pinned, error) && apply_pulls(hold, session, error);
}

bool hold_history_note(HoldHistory *h, Session *session, Error *error) {
  while (h->count > h->now) hold_destroy(&h->hold[--h->count]);
  if (h->count == HOLD_CHANGES_MAX) {
    hold_destroy(&h->hold[0]);
    memmove(h->hold, h->hold + 1, sizeof *h->hold * --h->count);
    h->now--;
  }
  if (!hold_take(&h->hold[h->count], session, error)) return false;
  h->now = ++h->count;
  return true;
}

bool hold_history_go(HoldHistory *h, Session *session, bool again, bool *done, Error *error) {
  *done = again ? h->now < h->count : h->now > 0;
  if (!*done) return true;
  Hold here, *there = &h->hold[again ? h->now : h->now - 1];
  if (!hold_take(&here, session, error)) return false;
  const bool ok = hold_apply(there, session, error);
  hold_destroy(there);
  *there = here;
  h->now += again ? 1 : -1;
  return ok;
}

void hold_history_destroy(HoldHistory *h) {
  while (h->count > 0) hold_destroy(&h->hold[--h->count]);
  *h = (HoldHistory){ 0 };
}
