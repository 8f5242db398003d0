// Timed runs of a scene: times of the stages of a step, such as assembly, product and solver, and counts. The benchmark
// and its sweep use them.
#pragma once
#include "scene/session.h"

typedef struct Measurement {
  SimulationSettings settings;  // with the names of the stages that were chosen
  SimulationSize size;
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];  // results of simulation_reason
  int nodes, tets, steps, repeat;
  const char *cells;                                 // kind of the cells that `tets` counts: "tets" or "hexes"
  Profile profile;                                   // times of the additional run, in which stages are timed
  double median_ms, fastest_ms, slowest_ms;          // ms of a step, over `repeat` runs without timed stages
  double waits_per_step;                             // number of times that the host waits for a GPU, in these runs
  double longest_step_ms;                            // longest step of these runs, including a cut or tear before it
  double assembly_us, vector_us, product_us, cg_us;  // us of one call of each stage; 0: no call
} Measurement;

/// Runs `steps` steps from rest `repeat` times, and once more with timed stages. With `repeat` 0 it runs and times
/// nothing.
bool measure_session(Session *session, int steps, int repeat, Measurement *measurement, Error *error);

/// Adds stages, counts and times to a JSON object.
void measurement_add_json(const Measurement *measurement, cJSON *object);
