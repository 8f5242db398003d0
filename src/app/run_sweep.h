// `pliant bench --sweep`: compares assemblies on the CPU and the GPU, as Figs. 16.10 to 16.12 of paper 000 do. It also
// compares solvers, matrix formats, orders of the nodes, partitions and precisions, and makes the measurement that
// pliant-lab adds (BenchExtra).
#pragma once
#include "app/run_bench.h"

/// Runs the scene's steps `repeat` times with each choice of methods, prints tables, and writes them to the file `json`
/// unless that is empty. Without a GPU, choices that need one are skipped and reported as skipped.
bool run_sweep(const Scene *scene, int repeat, const char *json, const BenchExtra *extra, Error *error);
