// How long a recording takes, said before and while it runs.
#pragma once
#include "scene/session.h"

typedef struct Pace {
  const Session *session;
  double fps;
  int first, frames;         // the frames that are recorded, from `first` to frames - 1; RECORD_FRAMES_OPEN: a log's
  double begin, told, next;  // s, by timer_seconds: the beginning, the last word, and when the next is due
  double from;               // s, simulated before
  int64_t steps;             // taken so far
  bool terminal;
} Pace;

/// Says on standard error what will take many steps or show the same picture again and again. Fails where steps are so short
/// that time would not go on.
bool pace_begin(Pace *pace, const Session *session, double fps, int first, int frames, Error *error);

/// After a step that led to `elapsed` s, or a frame, `done` frames being written: on a terminal a bar with the time left,
/// else a line now and then. `step` is what was done, or NULL.
void pace_tell(Pace *pace, double elapsed, int done, const StepReport *step);
