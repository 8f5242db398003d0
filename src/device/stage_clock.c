// Measures the times of the stages of time steps (stage_clock.h). Contains the tables of the stages' names.
#include "device/stage_clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const TimedName timed_names[TIMED_STAGES] = {
  [TIMED_ASSEMBLY] = { "assembly", "assembly", "assembly" },
  [TIMED_VECTOR] = { "force vector only", "vector_alone", "vector" },
  [TIMED_PRODUCT] = { "SpMV", "spmv", "SpMV" },
  [TIMED_SOLVER] = { "CG without SpMV", "cg_without_spmv", "CG rest" },
  [TIMED_TRANSFER] = { "transfers", "transfers", "transfer" },
  [TIMED_REST] = { "rest", "rest", "rest" },
};

const TimedName timed_contact_names[TIMED_CONTACTS] = {
  [TIMED_SEARCHES] = { "searches for pairs", "searches", "searches" },
  [TIMED_BOUNDS] = { "collision tests", "bounds", "bounds" },
  [TIMED_PAIRS] = { "contact forces", "forces", "forces" },
  [TIMED_COUPLINGS] = { "contact tangent", "tangent", "tangent" },
  [TIMED_HEIGHTS] = { "contact energies", "energies", "energies" },
};

typedef struct StageSpan {
  int stage;
  Event begin, end;  // events on the stage's device; handles of GPU events are kept for later spans
} StageSpan;

bool stage_clock_start(StageClock *clock, Error *error) {
  if (!clock->spans) {
    clock->span_capacity = 4096;  // number of spans of a time step with thousands of Newton iterations
    clock->spans = calloc((size_t)clock->span_capacity, sizeof *clock->spans);
    if (!clock->spans)
      return error_set(error, "out of memory: cannot store the times of %d stages; close other programs",
                       clock->span_capacity);
  }
  memset(clock->total_ms, 0, sizeof clock->total_ms);
  clock->span_count = 0;
  clock->running = true;
  return true;
}

void stage_clock_destroy(StageClock *clock) {
  for (int k = 0; k < clock->span_capacity && clock->spans; k++) {
    clock->spans[k].begin.device = clock->spans[k].end.device = DEVICE_CUDA;
    if (clock->spans[k].begin.handle) event_destroy(&clock->spans[k].begin);
    if (clock->spans[k].end.handle) event_destroy(&clock->spans[k].end);
  }
  free(clock->spans);
  *clock = (StageClock){ 0 };
}

// Sets the device of an event, and creates its handle on a GPU unless it has one.
static bool prepare(Event *event, Device device, Error *error) {
  if (device == DEVICE_CUDA && !event->handle) return event_create(device, event, error);
  event->device = device;
  return true;
}

bool stage_begin(StageClock *clock, int stage, Stream stream, int *span, Error *error) {
  *span = -1;
  if (!clock->running || clock->span_count == clock->span_capacity) return true;
  StageSpan *s = &clock->spans[clock->span_count];
  s->stage = stage;
  if (!prepare(&s->begin, stream.device, error) || !prepare(&s->end, stream.device, error)) return false;
  *span = clock->span_count++;
  return event_record(&s->begin, stream, error);
}

bool stage_end(StageClock *clock, int span, Stream stream, Error *error) {
  return span < 0 || event_record(&clock->spans[span].end, stream, error);
}

bool stage_clock_collect(StageClock *clock, Error *error) {
  for (int k = 0; k < clock->span_count; k++) {
    double elapsed_ms;
    if (!event_elapsed(&clock->spans[k].begin, &clock->spans[k].end, &elapsed_ms, error)) return false;
    clock->total_ms[clock->spans[k].stage] += elapsed_ms;
  }
  clock->span_count = 0;
  return true;
}

void stage_clock_add(StageClock *clock, TimedStage stage, double elapsed_ms) {
  if (clock->running) clock->total_ms[stage] += elapsed_ms;
}

double stage_clock_shares(const StageClock *clock, double ms[TIMED_STAGES]) {
  double known = 0;
  memcpy(ms, clock->total_ms, sizeof *ms * TIMED_STAGES);
  ms[TIMED_SOLVER] = fmax(0, ms[TIMED_SOLVER] - ms[TIMED_PRODUCT]);
  for (int k = 0; k < TIMED_REST; k++) known += ms[k];
  // All measured intervals lie within time steps. So the difference can be negative only because the clock has a
  // limited resolution; the rest is then 0.
  ms[TIMED_REST] = fmax(0, clock->total_ms[TIMED_STEP] - known);
  return clock->total_ms[TIMED_STEP];
}

void stage_clock_contact(const StageClock *clock, double search_ms, double ms[TIMED_CONTACTS]) {
  memcpy(ms, clock->total_ms + TIMED_CONTACT, sizeof *ms * TIMED_CONTACTS);
  ms[TIMED_SEARCHES] = search_ms;
  // Searches for pairs run within the collision tests, so their time is subtracted from that of the tests.
  ms[TIMED_BOUNDS] = fmax(0, ms[TIMED_BOUNDS] - search_ms);
}
