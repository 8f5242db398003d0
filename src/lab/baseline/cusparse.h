// Reference timings of NVIDIA's libraries on Pliant's matrix: products y = A x by cuSPARSE in the formats CSR and BSR,
// and conjugate gradients with a diagonal preconditioner in a loop of calls of cuSPARSE and cuBLAS, as users of these
// libraries write it. The libraries are opened at run time, so Pliant does not depend on them.
#pragma once
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Baseline {
  double csr_us, bsr_us;  // one product; 0 if the library does not offer it
  double cg_us;           // time of one iteration of conjugate gradients
  int cg_iterations;      // until ||r|| <= relative ||b||
  // relative L2 norm of the difference between cuSPARSE's product in CSR and Pliant's product
  double product_difference;
} Baseline;

/// Returns NULL if the libraries can be opened. Otherwise returns the reason, as one clause.
const char *baseline_absence(void);

/// Measures all times of a Baseline with the matrix of `system`, which must be on the GPU. Overwrites the vector x of
/// the system. Waits for the GPU.
bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error);

/// Times products y = A x by cuSPARSE. `csr` is an operator in format csr, of any size; cuSPARSE reads its arrays in
/// place. *seconds gets the time of one product, and *difference the relative L2 norm of its difference from the
/// operator's product. Waits for the GPU.
bool baseline_product(const Operator *csr, Stream stream, double *seconds, double *difference, Error *error);

#ifdef __cplusplus
}
#endif
