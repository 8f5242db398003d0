// The baseline in a build without CUDA, or without the headers of its libraries.
#include "sim/baseline/cusparse.h"

const char *baseline_absence(void) {
  return "this build has no cuSPARSE";
}

bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error) {
  (void)system, (void)stream, (void)baseline;
  return error_set(error, "%s", baseline_absence());
}
