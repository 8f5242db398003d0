// `pliant bench --sweep`: compares assemblies on the CPU and the GPU, like Figs. 16.10 to 16.12 of paper 000. It also
// compares solvers, matrix formats, orders of the nodes, partitions and precisions. It makes the measurements that
// pliant-lab adds (BenchExtra).
#pragma once
#include "app/run_bench.h"

/// Runs the scene's steps `repeat` times with each set of methods, prints tables, and writes them to the file `json`,
/// unless that is empty. Without a GPU, the rows that need one are reported as skipped.
bool run_sweep(const Scene *scene, int repeat, const char *json, const BenchExtra *extra, Error *error);
