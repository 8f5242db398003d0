// Progress of a recording, on standard error: warnings before it starts, and the remaining time while it runs.
#pragma once
#include "scene/session.h"

enum { RECORD_FRAMES_OPEN = INT32_MAX };  // number of frames of a recording that ends with the replayed log

typedef struct Pace {
  const Session *session;
  double fps;
  int first, frames;       // frames `first` to frames - 1 are recorded; `frames` may be RECORD_FRAMES_OPEN
  double begin, reported;  // clock times of the start and of the last report, s
  double report_period;    // time between two reports, s
  double from;             // simulated time at the start, s
  int64_t steps;           // number of steps so far
  bool terminal;
} Pace;

/// Writes a warning if the frames need more than 2e5 steps, or if a step is longer than a frame, so that several frames
/// show one state. Fails if the recording needs more than 1e15 steps.
bool pace_begin(Pace *pace, const Session *session, double fps, int first, int frames, Error *error);

/// Called after each step, with the step's report, and after each frame, with NULL. On a terminal it draws a bar with
/// the remaining time. Otherwise it writes a line after 5 s and then every 60 s. `elapsed` is the simulated time, s,
/// and `done` the number of frames that were written.
void pace_report(Pace *pace, double elapsed, int done, const StepReport *step);
