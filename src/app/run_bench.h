// `pliant bench SCENE`: measures the time of a scene's time steps and of their stages.
#pragma once
#include "app/command_line.h"
#include "app/engine.h"
#include "scene/json.h"
#include "scene/probes.h"
#include "scene/session.h"

enum { BENCH_REPEAT = 5 };  // number of timed runs if --repeat is not given

// names of the tables of --sweep (run_sweep.h)
#define SWEEP_TABLES "all|devices|solvers|formats|orders|partitions"

typedef struct BenchOptions {
  bool sweep;                     // compares many combinations of methods (run_sweep.h) instead of timing one of them
  int table;                      // index in SWEEP_TABLES of the only table that `sweep` measures; 0: all tables
  bool roofline;                  // also computes a lower bound for each stage's time (roofline.h)
  char set[SCENE_PATH_LENGTH];    // scene keys with several values each, compared in a table (run_table.h); empty: none
  int repeat;                     // number of timed runs, each from rest
  char json[SCENE_PATH_LENGTH];   // file for all results as JSON; empty: none
  char state[SCENE_PATH_LENGTH];  // file for the final state (.npz); empty: none
  ProbeOptions probe;
  EngineOptions engine;
  bool verbose;  // also reports how long each cut and tear takes to compute
} BenchOptions;

// Functions by which the program pliant-lab adds measurements to a benchmark. Each may be NULL.
typedef struct BenchExtra {
  void *context;
  // called before the first step of the recorded run, whose counts and results are stored
  bool (*begin)(void *context, Session *session, Error *error);
  // called after the recorded run; ok: all its steps succeeded
  bool (*recorded)(void *context, Session *session, bool ok, Error *error);
  // called after the timed runs; prints results and adds them to the JSON object
  bool (*measured)(void *context, Session *session, cJSON *object, Error *error);
} BenchExtra;

extern const CommandRow bench_command;
extern const Option bench_options[];
extern const OptionTerm bench_terms[];

/// Fails if options exclude each other, or if the text of --set or --probe is wrong.
bool bench_check(const Scene *scene, const BenchOptions *options, Error *error);

/// Runs the scene's `steps` steps from rest: once to record iterations, displacements and energies, `repeat` times to
/// measure the total time, and once with timed stages. If `repeat` is 0, makes only the first run. Prints a table.
/// `extra` may be NULL. bench_check must have accepted the options.
bool run_bench(Scene *scene, const BenchOptions *options, const BenchExtra *extra, Error *error);
