// `pliant bench SCENE`: how fast the steps of a scene run, and where their time goes.
#pragma once
#include "scene/scene.h"

typedef struct BenchOptions {
  bool sweep;                      // run_sweep.h in place of one run
  bool baseline;                   // also what NVIDIA's libraries take on the same matrix
  bool roofline;                   // also what bounds each stage: roofline.h
  int repeat;                      // runs from rest that are timed
  char json[SCENE_PATH_LENGTH];    // where to write everything as JSON; empty: nowhere
  char state[SCENE_PATH_LENGTH];   // where to write the final state (.npz); empty: nowhere
  char system[SCENE_PATH_LENGTH];  // and the first linear system, see sim/solver/system_tap.h
} BenchOptions;

extern const Option bench_options[];

/// Runs the scene's `steps` from rest: once to record counts, displacements and energies, `repeat` times for the time
/// as a user would see it, and once with every stage timed; with `repeat` 0 only the first. Prints a table.
bool run_bench(const Scene *scene, const BenchOptions *options, Error *error);
