// Times of the stages of steps, measured by events in the stream, so that no step waits.
#pragma once
#include "device/device.h"
#include "sim/dynamics/timed_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of spans after TimedStage: whole steps, then the parts of contact; TIMED_SPANS is their number.
enum { TIMED_STEP = TIMED_STAGES, TIMED_CONTACT, TIMED_SPANS = TIMED_CONTACT + TIMED_CONTACTS };

// A zeroed clock is stopped and costs nothing.
typedef struct StageClock {
  bool running;
  int span_count, span_capacity;
  struct StageSpan *spans;       // spans since the last stage_clock_collect; owned
  double total_ms[TIMED_SPANS];  // solver: whole solves; rest: not used, it is the time outside all spans
} StageClock;

bool stage_clock_start(StageClock *clock, Error *error);
void stage_clock_destroy(StageClock *clock);

/// Marks the begin of a stage and returns an index for its end; -1 if the clock is stopped.
bool stage_begin(StageClock *clock, int stage, Stream stream, int *span, Error *error);
bool stage_end(StageClock *clock, int span, Stream stream, Error *error);

/// Adds a time that was measured elsewhere: solvers time their products themselves.
void stage_clock_add(StageClock *clock, TimedStage stage, double elapsed_ms);

/// Adds the finished spans to total_ms. The stream must have been synchronised.
bool stage_clock_collect(StageClock *clock, Error *error);

/// Computes the times of stages [TIMED_STAGES], ms, none negative, and returns their total.
double stage_clock_shares(const StageClock *clock, double ms[TIMED_STAGES]);

/// Gives the times of contact [TIMED_CONTACTS], ms. `search_ms` is the time of searches, which wait.
void stage_clock_contact(const StageClock *clock, double search_ms, double ms[TIMED_CONTACTS]);

#ifdef __cplusplus
}
#endif
