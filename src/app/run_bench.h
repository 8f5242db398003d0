// `pliant bench SCENE`: how fast the steps of a scene run, and where their time goes.
#pragma once
#include "app/command_line.h"
#include "scene/json.h"
#include "scene/probes.h"
#include "scene/session.h"

enum { BENCH_REPEAT = 5 };  // runs, unless --repeat says otherwise

typedef struct BenchOptions {
  bool sweep;                     // run_sweep.h in place of one run
  bool roofline;                  // also what bounds each stage: roofline.h
  int repeat;                     // runs from rest that are timed
  char json[SCENE_PATH_LENGTH];   // file for all results as JSON; empty: none
  char state[SCENE_PATH_LENGTH];  // file for the final state (.npz); empty: none
  ProbeOptions probe;
  bool verbose;  // reports the time of cuts and tears too
} BenchOptions;

// Measurements that another program adds to a bench. Each function may be NULL.
typedef struct BenchExtra {
  void *context;
  // before the first step of the run that is recorded
  bool (*begin)(void *context, Session *session, Error *error);
  // after that run; `ok` says that it went well
  bool (*recorded)(void *context, Session *session, bool ok, Error *error);
  // after the timed runs: prints its results and adds them to the JSON object
  bool (*measured)(void *context, Session *session, cJSON *object, Error *error);
} BenchExtra;

extern const Option bench_options[];
extern const OptionTerm bench_terms[];

/// Runs the scene's `steps` from rest: once to record counts, displacements and energies, `repeat` times for the time
/// as a user would see it, and once with every stage timed; with `repeat` 0 only the first. Prints a table.
/// `extra` may be NULL.
bool run_bench(const Scene *scene, const BenchOptions *options, const BenchExtra *extra, Error *error);
