// One timed run of a scene: where the time of its steps goes, with counts. The benchmark and its sweep share it.
#pragma once
#include "scene/session.h"

typedef struct Measurement {
  SimulationSettings settings;  // with the stages' names filled in
  SimulationSize size;
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];  // simulation_reason's
  int nodes, tets, steps, repeat;
  const char *cells;                                 // what `tets` counts, "tets" or "hexes"
  Profile profile;                                   // of one run with its stages timed
  double median_ms, fastest_ms, slowest_ms;          // ms of a step, over `repeat` runs without that
  double waits_per_step;                             // of the host for a GPU, in these runs
  double longest_step_ms;                            // of all of their steps, with what is recorded or cut before it
  double assembly_us, vector_us, product_us, cg_us;  // us of one of each; 0 where there was none
} Measurement;

/// Takes `steps` steps from rest, `repeat` times, and once more with the stages timed. With `repeat` 0 nothing
/// is timed.
bool measure_session(Session *session, int steps, int repeat, Measurement *measurement, Error *error);

/// Adds stages, counts and times to a JSON object.
void measurement_add_json(const Measurement *measurement, cJSON *object);
