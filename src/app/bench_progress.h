// Progress of a benchmark's recorded run on standard error: between steps, and within a step that takes long.
#pragma once
#include "scene/session.h"

typedef struct BenchProgress {
  const Session *session;
  int steps;               // number of steps in the run
  bool terminal;           // one line that is overwritten; else a notice now and then
  double begin, reported;  // s, when the run began and when the last report was written
  double period;           // s, between two reports
  bool split;              // a step in parts was reported
  int step;                // number of the present step, from 1; 0: no step is running
  const StepReport *now;   // counts of the present step so far
  double step_begin;       // s, when it began
} BenchProgress;

/// Begins a run. Until bench_progress_end, which must follow, the calling thread's interrupt_requested writes reports.
void bench_progress_begin(BenchProgress *progress, const Session *session, int steps);
void bench_progress_end(BenchProgress *progress);

/// Sets the present step, counted from 1, and the report that it fills.
void bench_progress_begin_step(BenchProgress *progress, int step, const StepReport *report);

/// Reports the step if a report is due, and the first step that had to be split.
void bench_progress_end_step(BenchProgress *progress);
