// How long a recording takes, said before and while it runs.
#pragma once
#include "scene/session.h"

enum { RECORD_FRAMES_OPEN = INT32_MAX };  // frames of a recording that ends with the log that is replayed

typedef struct Pace {
  const Session *session;
  double fps;
  int first, frames;       // the frames that are recorded, from `first` to frames - 1; or RECORD_FRAMES_OPEN
  double begin, reported;  // s, by timer_seconds: the beginning, and the last report
  double report_period;    // s
  double from;             // s, simulated before
  int64_t steps;           // taken so far
  bool terminal;
} Pace;

/// Warns on standard error where frames take very many steps, or are alike because a step lasts longer than a frame.
/// Fails where steps are so short that the recording would never end.
bool pace_begin(Pace *pace, const Session *session, double fps, int first, int frames, Error *error);

/// To be called after each step, with its report, and after each frame, with NULL: draws a bar with the time left on a
/// terminal, else writes a line now and then. `elapsed` s are simulated, `done` frames written.
void pace_report(Pace *pace, double elapsed, int done, const StepReport *step);
