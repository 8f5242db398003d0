// Measures the times of the stages of time steps, such as assembly and solve. Events in the stages' streams mark the
// times and are read later, so time steps do not wait for the measurement.
#pragma once
#include "device/device.h"
#include "device/timed_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of spans (measured intervals): a TimedStage, TIMED_STEP for a whole time step, or TIMED_CONTACT + a
// TimedContact. TIMED_SPANS is the number of kinds.
enum { TIMED_STEP = TIMED_STAGES, TIMED_CONTACT, TIMED_SPANS = TIMED_CONTACT + TIMED_CONTACTS };

// A clock of stages; while it is zeroed, it is stopped, and stage_begin and stage_end do nothing.
typedef struct StageClock {
  bool running;
  int span_count, span_capacity;
  struct StageSpan *spans;  // spans (measured intervals) since the last stage_clock_collect; owned
  // ms, total time of each kind: of its collected spans (measured intervals), and of stage_clock_add. The time of
  // TIMED_SOLVER includes the time of TIMED_PRODUCT. The entry TIMED_REST stays 0: stage_clock_shares computes the rest
  // as a difference
  double total_ms[TIMED_SPANS];
} StageClock;

bool stage_clock_start(StageClock *clock, Error *error);
void stage_clock_destroy(StageClock *clock);

/// stage_begin: begins a span (measured interval) of kind `stage`, and stores its index in *span, or -1 if the clock is
/// stopped or full. stage_end: ends the span with this index; does nothing for -1.
bool stage_begin(StageClock *clock, int stage, Stream stream, int *span, Error *error);
bool stage_end(StageClock *clock, int span, Stream stream, Error *error);

/// Adds a time, ms, to the total time of a stage. The clock itself has not measured this time; for example, solvers
/// measure the time of their products.
void stage_clock_add(StageClock *clock, TimedStage stage, double elapsed_ms);

/// Adds the times of all ended spans (measured intervals) to clock->total_ms, and removes the spans. All work on their
/// streams must be done, for example after stream_sync.
bool stage_clock_collect(StageClock *clock, Error *error);

/// Computes the time of each stage, ms [TIMED_STAGES]. ms[TIMED_SOLVER] is the measured time of the solver minus the
/// time of its products. ms[TIMED_REST] is the time of the steps that no stage has used. Returns the time of all
/// measured steps, ms.
double stage_clock_shares(const StageClock *clock, double ms[TIMED_STAGES]);

/// Computes the time of each part of contact, ms [TIMED_CONTACTS]. `search_ms` is the time of searches for contact
/// pairs, which the code of contact measures without this clock.
void stage_clock_contact(const StageClock *clock, double search_ms, double ms[TIMED_CONTACTS]);

#ifdef __cplusplus
}
#endif
