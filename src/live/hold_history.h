// Undo and redo of pins and kept pulls. A kept pull is a spring that continues to pull after the mouse has released its
// patch. An entry is stored before each change by the user. Positions of the body are not stored.
#pragma once
#include "scene/session.h"

enum { HOLD_CHANGES_MAX = 100 };  // changes that can be undone

// Pins and kept pulls at one time. A zeroed Hold is empty.
typedef struct Hold {
  unsigned char *pinned;  // [packed_size] bytes, session.pinned compressed by zlib
  size_t packed_size;
  char *pulls;  // [pulls_size] bytes: number of pulls, then a SessionPull and the output of simulation_grab_save for
                // each
  size_t pulls_size;
} Hold;

// A zeroed HoldHistory is empty.
typedef struct HoldHistory {
  Hold hold[HOLD_CHANGES_MAX];  // [count]; hold[k] is the state before change k if k < now, otherwise after change k
  int count, now;               // number of stored changes; number of them that are in effect, the others are undone
} HoldHistory;

/// Must be called before each change. Drops undone changes, and the oldest change if there are too many.
bool hold_history_note(HoldHistory *history, Session *session, Error *error);

/// Undoes the last change or, if `again`, redoes the last undone one. Sets *done to false if there is none.
bool hold_history_go(HoldHistory *history, Session *session, bool again, bool *done, Error *error);
void hold_history_destroy(HoldHistory *history);
