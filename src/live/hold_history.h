// Undo and redo of pins and kept pulls. A kept pull is a spring that continues to pull after the mouse has released the
// pulled patch (group of nodes). Before each change by the user, the present pins and pulls are stored. Positions of
// the body are not stored.
#pragma once
#include "scene/session.h"

enum { HOLD_CHANGES_MAX = 100 };  // changes that can be undone

// Pins (held nodes) and kept pulls (springs) at one time. A zeroed Hold is empty.
typedef struct Hold {
  unsigned char *pinned;  // [packed_size] bytes, session.pinned compressed by zlib
  size_t packed_size;
  // [pulls_size] bytes: the number of kept pulls, then for each kept pull a SessionPull and the output of
  // simulation_grab_save
  char *pulls;
  size_t pulls_size;
} Hold;

// Pins (held nodes) and kept pulls (springs) before and after successive changes by the user. A zeroed HoldHistory is
// empty.
typedef struct HoldHistory {
  Hold hold[HOLD_CHANGES_MAX];  // [count]; hold[k]: state before change k; if the change is undone (k >= now): after it
  int count, now;               // count: number of stored changes; now: number of those that are not undone
} HoldHistory;

/// Stores the present pins (held nodes) and kept pulls (springs), so that the next change can be undone. Must be called
/// before the user changes a pin or a pull. Changes that were undone can then no longer be redone. If HOLD_CHANGES_MAX
/// changes are stored, the oldest one is dropped.
bool hold_history_note(HoldHistory *history, Session *session, Error *error);

/// Undoes the last change of pins (held nodes) and kept pulls (springs). If `again` is true, instead redoes the change
/// that was undone last. *done becomes false if there is no such change, otherwise true.
bool hold_history_go(HoldHistory *history, Session *session, bool again, bool *done, Error *error);
void hold_history_destroy(HoldHistory *history);
