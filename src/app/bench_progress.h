// Progress of `pliant bench` on standard error, while it runs the scene. Progress is reported between time steps, and
// also within a time step that takes long.
#pragma once
#include "scene/session.h"

typedef struct BenchProgress {
  const Session *session;
  int steps;               // number of time steps in the run
  bool terminal;           // standard error is a terminal: each report overwrites the last one; else it is a new line
  double begin, reported;  // clock times of the start and of the last report, s
  double period;           // minimum time between two reports, s: 0.2 on a terminal, else 5, later 60
  bool split;              // the notice about a step that was divided into substeps was written; it is written once
  int step;                // number of the present step, from 1; 0: no step is running
  const StepReport *now;   // the present step's report, which the solver updates; NULL: no step has begun
  double step_begin;       // clock time at which the present step began, s
} BenchProgress;

/// Begins the reports of a run; bench_progress_end must end them. Until then, each call of interrupt_requested in this
/// thread may write a report. Time steps call interrupt_requested repeatedly, so that reports also appear within a long
/// step.
void bench_progress_begin(BenchProgress *progress, const Session *session, int steps);
void bench_progress_end(BenchProgress *progress);

/// Must be called before step number `step`, counted from 1. While the step runs, it writes its numbers of iterations
/// to `report`, and reports of progress print them.
void bench_progress_begin_step(BenchProgress *progress, int step, const StepReport *report);

/// Must be called after each step. Writes a report if `period` has passed. Also writes a notice, once in a run, about a
/// step that was divided into substeps, but none in the first second of the run.
void bench_progress_end_step(BenchProgress *progress);
