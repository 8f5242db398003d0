// Runs a scene and measures its stages, such as assembly, matrix product and solver: the time that each stage takes per
// time step, and the number of its calls. `pliant bench` and its option --sweep use these functions.
#pragma once
#include "scene/session.h"

typedef struct Measurement {
  SimulationSettings settings;  // settings of the simulation, with the names of the stages that it chose
  SimulationSize size;
  // the reasons why the simulation chose its assembly and its solver, as simulation_reason returns them
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];
  int nodes, tets, steps, repeat;
  const char *cells;                         // kind of the cells that `tets` counts: "tets" or "hexes"
  Profile profile;                           // times of the last run, in which each stage is timed
  double median_ms, fastest_ms, slowest_ms;  // ms per step over `repeat` runs without timed stages
  double waits_per_step;  // number of times per step that the host waits for a GPU, in runs without timed stages
  // ms, longest step of the runs without timed stages, including the time of a cut or tear before it
  double longest_step_ms;
  double assembly_us, vector_us, product_us, cg_us;  // us, mean time of a call; 0: no call
} Measurement;

/// Takes `steps` time steps from rest, `repeat` times, and measures the time of each of these runs and of the longest
/// step. Then takes the steps once more, with a timer for each stage of a step. If `repeat` is 0, runs and measures
/// nothing.
bool measure_session(Session *session, int steps, int repeat, Measurement *measurement, Error *error);

/// Adds stages, counts and times of a measurement to a JSON object.
void measurement_add_json(const Measurement *measurement, cJSON *object);
