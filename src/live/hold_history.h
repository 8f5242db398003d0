// What held the body before each change of it by hand, so that a change can be undone and done again: pins, and patches
// that are kept pulled. The body itself goes on from where it is.
#pragma once
#include "scene/session.h"

enum { HOLD_CHANGES_MAX = 100 };

// What holds the body at one time. A zeroed one is empty.
typedef struct Hold {
  unsigned char *pinned;  // [packed_size], session.pinned packed by zlib
  size_t packed_size;
  char *pulls;  // [pulls_size], their number, and each as SessionPull and simulation_grab_save write it
  size_t pulls_size;
} Hold;

// A zeroed HoldHistory is empty.
typedef struct HoldHistory {
  Hold hold[HOLD_CHANGES_MAX];  // before change k where k < now, behind it else
  int count, now;
} HoldHistory;

/// To be called before each change. What had been undone is forgotten; the oldest change is, where there are too many.
bool hold_history_note(HoldHistory *history, Session *session, Error *error);

/// Undoes the last change, or does again what was undone last (`again`). *done: there was one.
bool hold_history_go(HoldHistory *history, Session *session, bool again, bool *done, Error *error);
void hold_history_destroy(HoldHistory *history);
