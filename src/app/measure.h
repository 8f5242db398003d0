// Runs a scene and measures the times of the stages of a step, such as assembly, product and solver, and their counts.
// `pliant bench` and its option --sweep use them.
#pragma once
#include "scene/session.h"

typedef struct Measurement {
  SimulationSettings settings;  // settings, with the names of the stages that were used
  SimulationSize size;
  // reasons for the choice of assembly and solver, from simulation_reason
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];
  int nodes, tets, steps, repeat;
  const char *cells;                                 // "tets" or "hexes": the kind of the cells that `tets` counts
  Profile profile;                                   // times of the additional run, in which each stage is timed
  double median_ms, fastest_ms, slowest_ms;          // ms per step, over `repeat` runs in which stages are not timed
  double waits_per_step;                             // number of times per step that the host waits for a GPU, in these
                                                     // runs
  double longest_step_ms;                            // ms, longest step of these runs, including a cut or tear before
                                                     // the step
  double assembly_us, vector_us, product_us, cg_us;  // us, mean time of one call of each stage; 0: the stage was not
                                                     // called
} Measurement;

/// Runs `steps` steps from rest `repeat` times, and then once more with timed stages. If `repeat` is 0, nothing is run
/// or timed.
bool measure_session(Session *session, int steps, int repeat, Measurement *measurement, Error *error);

/// Adds stages, counts and times to a JSON object.
void measurement_add_json(const Measurement *measurement, cJSON *object);
