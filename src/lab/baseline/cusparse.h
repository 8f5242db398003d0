// Times NVIDIA's libraries cuSPARSE and cuBLAS on a matrix of Pliant, for comparison with Pliant. cuSPARSE computes
// products y = A x in two formats: CSR (compressed sparse rows) and BSR (compressed sparse rows of blocks). Conjugate
// gradients with a diagonal preconditioner are a loop that calls cuSPARSE and cuBLAS for each operation, as in NVIDIA's
// samples. The libraries are opened at run time, so Pliant does not depend on them.
#pragma once
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Baseline {
  double csr_us, bsr_us;  // time of one product in CSR and in BSR, microseconds; 0 if the library lacks this product
  double cg_us;           // time of one iteration of conjugate gradients, microseconds
  // iterations until ||b - A x|| <= tolerance * ||b||, with the tolerance SolverSystem.relative; at most 5000
  int cg_iterations;
  // ||y' - y|| / ||y|| in the L2 norm, where y' is cuSPARSE's product A x in CSR and y is Pliant's
  double product_difference;
} Baseline;

/// Returns NULL if the libraries can be opened. Otherwise returns the reason, as one clause.
const char *baseline_absence(void);

/// Measures all members of *baseline with the matrix and right-hand side of `system`, which must be on the GPU.
/// Overwrites system->x, the solution vector. Waits for the GPU.
bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error);

/// Times products y = A x by cuSPARSE. `csr` is a stored matrix in format csr, of any size; cuSPARSE reads its arrays
/// without a copy. *seconds gets the time of one product, s. *difference gets ||y' - y|| / ||y|| in the L2 norm, where
/// y' is cuSPARSE's product and y is Pliant's. Waits for the GPU.
bool baseline_product(const Operator *csr, Stream stream, double *seconds, double *difference, Error *error);

#ifdef __cplusplus
}
#endif
