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
  Hold hold[HOLD_CHANGES_MAX];  // [count]; hold[k] is the state before change k if k < now, otherwise after change k
  int count, now;               // number of stored changes; number of them that are in effect, the others are undone
} HoldHistory;

/// Stores the present pins (held nodes) and kept pulls (springs), so that the next change can be undone. Must be called
/// before the user changes a pin or a pull. Drops changes that were undone, and the oldest change if more than
/// HOLD_CHANGES_MAX are stored.
bool hold_history_note(HoldHistory *history, Session *session, Error *error);

/// Undoes the last change of pins (held nodes) and kept pulls (springs) or, if `again`, redoes the change that was
/// undone last. Sets *done to false if there is no such change.
bool hold_history_go(HoldHistory *history, Session *session, bool again, bool *done, Error *error);
void hold_history_destroy(HoldHistory *history);
