// How long each stage of the time steps took, by events in the stream: nothing waits while a step runs.
#pragma once
#include "device/device.h"
#include "sim/dynamics/timed_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// whole steps, the first of contact's spans, and how many kinds of spans there are
enum { TIMED_STEP = TIMED_STAGES, TIMED_CONTACT, TIMED_SPANS = TIMED_CONTACT + TIMED_CONTACTS };

// A zeroed clock is stopped, and then costs nothing.
typedef struct StageClock {
  bool running;
  int span_count, span_capacity;
  struct StageSpan *spans;       // of the steps since the last stage_clock_collect; owned
  double total_ms[TIMED_SPANS];  // solver: the whole solves; rest: none, it is what no span covers
} StageClock;

bool stage_clock_start(StageClock *clock, Error *error);
void stage_clock_destroy(StageClock *clock);

/// Marks the begin of a stage and returns a number for the end; -1 where the clock is stopped.
bool stage_begin(StageClock *clock, int stage, Stream stream, int *span, Error *error);
bool stage_end(StageClock *clock, int span, Stream stream, Error *error);

/// Adds a time that something else has taken: the products', which a solver times within its solve.
void stage_clock_add(StageClock *clock, TimedStage stage, double elapsed_ms);

/// Adds the finished spans to total_ms. The stream must have been synchronised.
bool stage_clock_collect(StageClock *clock, Error *error);

/// The shares [TIMED_STAGES] of the total that it returns, ms. None is negative.
double stage_clock_shares(const StageClock *clock, double ms[TIMED_STAGES]);

/// What contact has taken [TIMED_CONTACTS], ms, each for itself; `search_ms` of it searches have, which wait.
void stage_clock_contact(const StageClock *clock, double search_ms, double ms[TIMED_CONTACTS]);

#ifdef __cplusplus
}
#endif
