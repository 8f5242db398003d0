// Progress of a benchmark's recorded run on standard error: between steps, and within a step that takes long.
#pragma once
#include "scene/session.h"

typedef struct BenchProgress {
  const Session *session;
  int steps;               // number of steps in the run
  bool terminal;           // standard error is a terminal: one line is overwritten; otherwise a notice is written now
                           // and then
  double begin, reported;  // s, when the run began and when the last report was written
  double period;           // s, between two reports
  bool split;              // true once a step that was divided into parts has been reported
  int step;                // number of the present step, from 1; 0: no step is running
  const StepReport *now;   // counts of the present step so far
  double step_begin;       // s, when it began
} BenchProgress;

/// Begins a run. Until bench_progress_end, which must follow, reports are written whenever the calling thread calls
/// interrupt_requested, which long steps do often.
void bench_progress_begin(BenchProgress *progress, const Session *session, int steps);
void bench_progress_end(BenchProgress *progress);

/// Sets the present step, counted from 1, and the report that it fills.
void bench_progress_begin_step(BenchProgress *progress, int step, const StepReport *report);

/// Reports the step if a report is due, and the first step that had to be split.
void bench_progress_end_step(BenchProgress *progress);
