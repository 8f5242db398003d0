// Measures the times of the stages of steps (assembly, solve, ...). It records events in the streams of the stages and
// reads them later, so that steps do not wait for the measurement.
#pragma once
#include "device/device.h"
#include "device/timed_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// A span is a measured interval. Its kind is a TimedStage, TIMED_STEP for a whole step, or TIMED_CONTACT + a
// TimedContact. TIMED_SPANS is the number of kinds.
enum { TIMED_STEP = TIMED_STAGES, TIMED_CONTACT, TIMED_SPANS = TIMED_CONTACT + TIMED_CONTACTS };

// A zeroed clock is stopped: stage_begin and stage_end then do nothing.
typedef struct StageClock {
  bool running;
  int span_count, span_capacity;
  struct StageSpan *spans;       // spans (measured intervals) since the last stage_clock_collect; owned
  double total_ms[TIMED_SPANS];  // total time by kind, ms. TIMED_SOLVER includes the time of products, which
                                 // stage_clock_shares subtracts. TIMED_REST is unused; stage_clock_shares computes it
} StageClock;

bool stage_clock_start(StageClock *clock, Error *error);
void stage_clock_destroy(StageClock *clock);

/// stage_begin starts a span of kind `stage`, and stage_end ends it. *span gets the index of the span; -1 if the clock
/// is stopped.
bool stage_begin(StageClock *clock, int stage, Stream stream, int *span, Error *error);
bool stage_end(StageClock *clock, int span, Stream stream, Error *error);

/// Adds a time, ms, that the clock did not measure. Solvers, for example, measure the times of their products
/// themselves.
void stage_clock_add(StageClock *clock, TimedStage stage, double elapsed_ms);

/// Adds the finished spans to clock->total_ms. Their streams must have been synchronised.
bool stage_clock_collect(StageClock *clock, Error *error);

/// Computes the times ms [TIMED_STAGES] of all stages. The time of products is subtracted from that of the solver, so
/// that no time is counted twice. Returns the sum of all times, which is the time of all measured steps, ms.
double stage_clock_shares(const StageClock *clock, double ms[TIMED_STAGES]);

/// Computes the times ms [TIMED_CONTACTS] of the parts of contact. `search_ms` is the time of searches for pairs, which
/// contact measures itself.
void stage_clock_contact(const StageClock *clock, double search_ms, double ms[TIMED_CONTACTS]);

#ifdef __cplusplus
}
#endif
