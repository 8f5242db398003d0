// `pliant bench --sweep`: the stages against each other, as in Figs. 16.10 to 16.12 of paper 000, and what else decides
// the time of a step: matrix formats, orders of the nodes, partitions, precision, and the extra measurement.
#pragma once
#include "app/run_bench.h"

/// Runs the scene's steps with each choice, prints tables and writes them to `json` if that is not empty. What needs a
/// GPU is left out where there is none, and said so.
bool run_sweep(const Scene *scene, int repeat, const char *json, const BenchExtra *extra, Error *error);
