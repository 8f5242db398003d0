// History of pins and kept pulls, one entry before each change by the user, for undo and redo. Positions of the body
// are not part of it.
#pragma once
#include "scene/session.h"

enum { HOLD_CHANGES_MAX = 100 };

// Pins and kept pulls at one time. A zeroed Hold is empty.
typedef struct Hold {
  unsigned char *pinned;  // [packed_size], session.pinned packed by zlib
  size_t packed_size;
  char *pulls;  // [pulls_size], the number of pulls, then each as SessionPull and simulation_grab_save write it
  size_t pulls_size;
} Hold;

// A zeroed HoldHistory is empty.
typedef struct HoldHistory {
  Hold hold[HOLD_CHANGES_MAX];  // for k < now the state before change k, for undo; for other k the state after change
                                // k, for redo
  int count, now;
} HoldHistory;

/// Call before each change. Drops changes that were undone, and the oldest change if there are too many.
bool hold_history_note(HoldHistory *history, Session *session, Error *error);

/// Undoes the last change, or redoes the one that was undone last (`again`). Sets *done if there was one.
bool hold_history_go(HoldHistory *history, Session *session, bool again, bool *done, Error *error);
void hold_history_destroy(HoldHistory *history);
