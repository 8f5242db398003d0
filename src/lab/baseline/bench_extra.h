// Additions of `pliant-lab bench` to `pliant bench`: timings of NVIDIA's libraries on the same matrix, and the first
// linear system written to a file.
#pragma once
#include "app/run_bench.h"

typedef struct LabBenchOptions {
  BenchOptions bench;  // must be first, since bench_options fill it
  bool baseline;
  char system[SCENE_PATH_LENGTH];  // empty: no system is written
} LabBenchOptions;

/// Options of bench, followed by those of the lab. The array is static.
const Option *lab_bench_options(void);

/// Runs a bench with the lab's additions.
bool lab_bench(const Scene *scene, const LabBenchOptions *options, Error *error);
