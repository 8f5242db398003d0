// What `pliant-lab bench` adds to `pliant bench`: NVIDIA's libraries on the same matrix, and the first linear system
// written to a file.
#pragma once
#include "app/run_bench.h"

typedef struct LabBenchOptions {
  BenchOptions bench;  // first, since bench_options fill it
  bool baseline;
  char system[SCENE_PATH_LENGTH];  // empty: no system is written
} LabBenchOptions;

/// The options of bench, and the lab's after them. Valid as long as the program runs.
const Option *lab_bench_options(void);

/// Runs a bench with the lab's additions.
bool lab_bench(const Scene *scene, const LabBenchOptions *options, Error *error);
