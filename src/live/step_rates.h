// Rates in the status of a simulation, such as steps per second: means over the last half second.
#pragma once
#include "live/sim_thread.h"

// Sums over all steps since the time `begin`.
typedef struct StepRates {
  double begin;      // s, clock time at which the counting began
  double simulated;  // s, simulated time of all counted steps
  int steps, newton, cg, halved, damped, unfinished;
} StepRates;

/// Begins a new span of time, in which no step was taken yet.
void step_rates_begin(StepRates *rates);

/// Adds a step of dt, s. At the end of the span, writes the rates to the status and begins the next span.
void step_rates_add(StepRates *rates, const StepReport *report, double dt, SimStatus *status);
