// Reference timings of NVIDIA's libraries on the same matrix: products by cuSPARSE in CSR and BSR, and conjugate
// gradients with a diagonal preconditioner in a loop of cuSPARSE and cuBLAS calls, as users write it. The libraries are
// opened at run time, so that Pliant does not depend on them.
#pragma once
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Baseline {
  double csr_us, bsr_us;      // one product; 0 if the library does not offer it
  double cg_us;               // one iteration of the loop
  int cg_iterations;          // until ||r|| <= relative ||b||
  double product_difference;  // relative L2 difference of the product in CSR from that in the system's format
} Baseline;

/// Returns the reason why the libraries are not available, as one clause, or NULL if they can be opened.
const char *baseline_absence(void);

/// Measures on the system's matrix, which must be on the GPU. Overwrites x. Waits.
bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error);

/// Times products by cuSPARSE with a matrix in csr, in its own arrays, of any size: time of one, s, and relative L2
/// difference from the operator's product. Waits.
bool baseline_product(const Operator *csr, Stream stream, double *seconds, double *difference, Error *error);

#ifdef __cplusplus
}
#endif
