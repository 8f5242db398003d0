// Progress of a recording on standard error: warnings before it starts, then the remaining time.
#pragma once
#include "scene/session.h"

enum { RECORD_FRAMES_OPEN = INT32_MAX };  // value of `frames` if the recording ends when the replayed log ends

// State of the progress reports of one recording.
typedef struct Pace {
  const Session *session;
  double fps;              // frames per second of simulated time
  int first, frames;       // frames first to frames - 1 are recorded; `frames` may be RECORD_FRAMES_OPEN
  double begin, reported;  // clock times of the start and of the last report, s
  double report_period;    // s, minimum time between two reports
  double from;             // simulated time at the start, s
  int64_t steps;           // number of steps that were taken
  bool terminal;           // standard error is a terminal, where a bar is drawn
} Pace;

/// Begins the progress reports of a recording. Writes a warning if the frames need more than 2e5 steps. Also writes a
/// warning if dt is above 1.5 / fps, since successive frames then show the same state. Fails if the recording needs
/// more than 1e15 steps.
bool pace_begin(Pace *pace, const Session *session, double fps, int first, int frames, Error *error);

/// Must be called after each step with the step's report, and after each frame with NULL. On a terminal it draws a bar
/// with the remaining time. Otherwise it writes a line after 5 s and then every 60 s. elapsed: simulated time, s. done:
/// number of written frames; in a resumed run, the frames of the earlier run are included.
void pace_report(Pace *pace, double elapsed, int done, const StepReport *step);
