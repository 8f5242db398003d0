// History of pins and kept pulls, for undo and redo. A kept pull is a spring that continues to pull after the mouse has
// released its patch. One entry is stored before each change by the user. Positions of the body are not stored.
#pragma once
#include "scene/session.h"

enum { HOLD_CHANGES_MAX = 100 };

// Pins and kept pulls at one time. A zeroed Hold is empty.
typedef struct Hold {
  unsigned char *pinned;  // [packed_size], session.pinned, compressed by zlib
  size_t packed_size;
  char *pulls;  // [pulls_size], number of pulls, then for each pull a SessionPull and the output of
                // simulation_grab_save
  size_t pulls_size;
} Hold;

// A zeroed HoldHistory is empty.
typedef struct HoldHistory {
  Hold hold[HOLD_CHANGES_MAX];  // changes 0 to now - 1 are in effect, and the others are undone. hold[k] is the state
                                // before change k if k < now, otherwise the state after change k
  int count, now;
} HoldHistory;

/// Called before each change. Drops changes that were undone. If there are too many changes, drops the oldest one.
bool hold_history_note(HoldHistory *history, Session *session, Error *error);

/// Undoes the last change or, if `again`, redoes the change that was undone last. Sets *done to false if there is none.
bool hold_history_go(HoldHistory *history, Session *session, bool again, bool *done, Error *error);
void hold_history_destroy(HoldHistory *history);
