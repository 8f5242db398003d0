// How long each stage of the time steps took, by events in the stream: nothing waits while a step runs.
#pragma once
#include "device/device.h"

typedef enum StageTimed {
  TIMED_ASSEMBLY,
  TIMED_VECTOR,
  TIMED_SOLVER,
  TIMED_TRANSFER,
  TIMED_STEP,
  TIMED_COUNT
} StageTimed;

// A zeroed clock is stopped, and then costs nothing.
typedef struct StageClock {
  bool running;
  int span_count, span_capacity;
  struct StageSpan *spans;  // of the steps since the last stage_clock_collect; owned
  double total_ms[TIMED_COUNT];
} StageClock;

bool stage_clock_start(StageClock *clock, Error *error);
void stage_clock_destroy(StageClock *clock);

/// Marks the begin of a stage and returns a number for the end; -1 where the clock is stopped.
bool stage_begin(StageClock *clock, StageTimed stage, Stream stream, int *span, Error *error);
bool stage_end(StageClock *clock, int span, Stream stream, Error *error);

/// Adds the finished spans to total_ms. The stream must have been synchronised.
bool stage_clock_collect(StageClock *clock, Error *error);
