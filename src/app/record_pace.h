// Progress of a recording on standard error: warnings before it starts, and the remaining time while it runs.
#pragma once
#include "scene/session.h"

enum { RECORD_FRAMES_OPEN = INT32_MAX };  // number of frames if the recording ends with the replayed log

typedef struct Pace {
  const Session *session;
  double fps;
  int first, frames;       // frames `first` to frames - 1 are recorded; `frames` may be RECORD_FRAMES_OPEN
  double begin, reported;  // s, by timer_seconds: the start, and the time of the last report
  double report_period;    // s
  double from;             // s, simulated time at the start
  int64_t steps;           // number of steps so far
  bool terminal;
} Pace;

/// Warns on standard error if the frames need more than 2e5 steps, or if a step is longer than a frame, so that several
/// frames show one state. Fails if the recording would need more than 1e15 steps.
bool pace_begin(Pace *pace, const Session *session, double fps, int first, int frames, Error *error);

/// Call it after each step, with the step's report, and after each frame, with NULL. On a terminal it draws a bar with
/// the remaining time. Otherwise it writes a line after 5 s and then every 60 s. `elapsed`: simulated time, s. `done`:
/// number of written frames.
void pace_report(Pace *pace, double elapsed, int done, const StepReport *step);
