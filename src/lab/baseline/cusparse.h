// What NVIDIA's libraries take for the same matrix: products by cuSPARSE in CSR and BSR, and the loop that users write
// with cuSPARSE and cuBLAS for conjugate gradients with a diagonal preconditioner. To be measured against, nothing
// else. The libraries are opened when asked for, so that nobody needs them to run Pliant.
#pragma once
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Baseline {
  double csr_us, bsr_us;      // one product; 0 where the library has none
  double cg_us;               // one iteration of the loop
  int cg_iterations;          // until ||r|| <= relative ||b||
  double product_difference;  // relative L2 difference of the products in CSR and of the system's own format
} Baseline;

/// Why there is no baseline: one clause, or NULL where the libraries can be opened.
const char *baseline_absence(void);

/// Measures on the system's matrix as it is, which must lie on the GPU. x is overwritten. Waits.
bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error);

/// Products of a matrix in csr on its own arrays, whatever its size: the time of one, s, and how far it is from the
/// operator's, relative L2. Waits.
bool baseline_product(const Operator *csr, Stream stream, double *seconds, double *difference, Error *error);

#ifdef __cplusplus
}
#endif
