// Computes rates such as steps per second: see step_rates.h.
#include "live/step_rates.h"

#include "base/timer.h"

static const double RATE_SPAN = 0.5;  // s, time over which rates are averaged

void step_rates_begin(StepRates *rates) {
  *rates = (StepRates){ .begin = timer_seconds() };
}

void step_rates_add(StepRates *t, const StepReport *report, double dt, SimStatus *status) {
  status->report = *report;
  t->steps++;
  t->newton += report->newton_iterations;
  t->cg += report->cg_iterations;
  t->halved += report->substeps > 1;
  t->damped += report->damped > 0;
  t->unfinished += !report->converged;
  t->simulated += dt;

  // The status must show a halved, damped or unfinished step immediately. So these three counts may rise after each
  // step, but fall only at the end of the time span.
  if (t->halved > status->halved) status->halved = t->halved;
  if (t->damped > status->damped) status->damped = t->damped;
  if (t->unfinished > status->unfinished) status->unfinished = t->unfinished;
  const double span = timer_seconds() - t->begin;
  if (span < RATE_SPAN) return;
  status->steps_per_s = t->steps / span;
  status->newton_per_step = (double)t->newton / t->steps;
  status->cg_per_step = (double)t->cg / t->steps;
  status->real_time = t->simulated / span;
  status->halved = t->halved;
  status->damped = t->damped;
  status->unfinished = t->unfinished;
  step_rates_begin(t);
}
