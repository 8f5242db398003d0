// `pliant bench --sweep`: times many combinations of methods for one scene. It compares assemblies on the CPU and the
// GPU (Figs. 16.10 to 16.12 of paper 000), solvers, matrix formats, node orders, partitions and precisions.
#pragma once
#include "app/run_bench.h"

/// Runs the scene's steps with each combination of methods, and prints all tables or the one that options->table
/// selects. In tables of the times of whole steps, each combination runs options->repeat times. Writes the tables as
/// JSON to the file options->json, unless its name is empty. Rows that need a GPU are reported as skipped if there is
/// none. `extra` has functions by which the program pliant-lab adds measurements.
bool run_sweep(const Scene *scene, const BenchOptions *options, const BenchExtra *extra, Error *error);
