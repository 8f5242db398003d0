// Replaces cusparse.cu in builds without CUDA, or without the headers of cuSPARSE and cuBLAS. Its functions report that
// these libraries are not available.
#include "lab/baseline/cusparse.h"

const char *baseline_absence(void) {
  return "this build has no cuSPARSE";
}

bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error) {
  (void)system, (void)stream, (void)baseline;
  return error_set(error, "%s", baseline_absence());
}

bool baseline_product(const Operator *csr, Stream stream, double *seconds, double *difference, Error *error) {
  (void)csr, (void)stream, (void)seconds, (void)difference;
  return error_set(error, "%s", baseline_absence());
}
