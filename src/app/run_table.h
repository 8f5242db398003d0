// `pliant bench --set "KEY=VALUES ..."`: times a scene with each combination of the given values of scene keys, and
// prints a table with a row for each combination.
#pragma once
#include "app/run_bench.h"

/// Fails if `text`, the value of --set, has a wrong form, or names keys that cannot have several values.
bool run_table_check(const Scene *scene, const char *text, Error *error);

/// Runs the scene's steps with each combination of the values in options->set, and prints a row of times for each
/// combination. In the text "dt=0.01,0.02 matrix=csr,dbcsr", a space separates keys and a comma separates values, so
/// there are four combinations. If the text of a key contains a semicolon, semicolons separate the values. So vectors
/// can be values: "gravity=0,0,-9.81;0,0,-1.62". Writes the rows as JSON to options->json, unless its name is empty. A
/// combination that fails gets its message in place of times. The other combinations still run, and the function fails
/// at the end.
bool run_table(const Scene *scene, const BenchOptions *options, Error *error);
