// Progress of the recorded run of a benchmark, on standard error. It is reported between steps, and within a step that
// takes long.
#pragma once
#include "scene/session.h"

typedef struct BenchProgress {
  const Session *session;
  int steps;               // number of steps in the run
  bool terminal;           // true: standard error is a terminal, and one line is overwritten; false: a notice is
                           // written now and then
  double begin, reported;  // clock times at which the run began and the last report was written, s
  double period;           // time between two reports, s
  bool split;              // a step that was divided into parts has been reported
  int step;                // number of the present step, from 1; 0: no step is running
  const StepReport *now;   // counts of the present step so far
  double step_begin;       // clock time at which the present step began, s
} BenchProgress;

/// Begins a run. Until bench_progress_end, which must follow, a report may be written whenever the calling thread calls
/// interrupt_requested. Long steps call it often.
void bench_progress_begin(BenchProgress *progress, const Session *session, int steps);
void bench_progress_end(BenchProgress *progress);

/// Sets the number of the present step, counted from 1, and its report, which the step fills while it runs.
void bench_progress_begin_step(BenchProgress *progress, int step, const StepReport *report);

/// Writes a report if it is time for one, or if this is the first step that had to be divided into parts.
void bench_progress_end_step(BenchProgress *progress);
