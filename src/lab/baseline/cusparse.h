// Reference timings of NVIDIA's libraries on Pliant's matrix. cuSPARSE computes products y = A x in two formats: CSR
// (compressed sparse rows) and BSR (compressed sparse rows of blocks). A loop of calls of cuSPARSE and cuBLAS runs
// conjugate gradients with a diagonal preconditioner, as users of these libraries write it. The libraries are opened at
// run time, so Pliant does not depend on them.
#pragma once
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Baseline {
  double csr_us, bsr_us;  // time of one product in CSR and in BSR, microseconds; 0 if the library lacks this product
  double cg_us;           // time of one iteration of conjugate gradients, microseconds
  int cg_iterations;      // iterations until ||b - A x|| <= tolerance * ||b||, with the tolerance SolverSystem.relative
  // ||y' - y|| / ||y|| in the L2 norm, where y' is cuSPARSE's product A x in CSR and y is Pliant's
  double product_difference;
} Baseline;

/// Returns NULL if the libraries can be opened. Otherwise returns the reason, as one clause.
const char *baseline_absence(void);

/// Fills *baseline: measures all its times with the matrix of `system`, which must be on the GPU. Overwrites the
/// solution vector x of the system. Waits for the GPU.
bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error);

/// Times products y = A x by cuSPARSE. `csr` is an operator (a stored matrix) of any size in format csr; cuSPARSE reads
/// its arrays in place. *seconds gets the time of one product, s. *difference gets the L2 norm of cuSPARSE's product
/// minus Pliant's, over the norm of Pliant's product. Waits for the GPU.
bool baseline_product(const Operator *csr, Stream stream, double *seconds, double *difference, Error *error);

#ifdef __cplusplus
}
#endif
