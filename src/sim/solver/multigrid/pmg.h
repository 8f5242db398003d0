// Functions that the CPU and the GPU versions of the multigrid solver "pmg" share, and the GPU's multigrid cycle. The
// method is conjugate gradients with a multigrid cycle as preconditioner. The levels of the cycle are all nodes, the
// corners of the cells, and rigid motions of groups of nodes (pmg.c). cg.cu has the iterations on the GPU.
#pragma once
#include <math.h>
#include <stdint.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/solver/multigrid/pmg_bytes.h"
#include "sim/solver/solver.h"

// The smoother of a level damps the components of the error along eigenvectors of D^-1 A, where D is the diagonal of A.
// It damps components with eigenvalues from largest / range to `largest`, the largest eigenvalue of D^-1 A. `range` is
// PMG_RANGE_ALL on the level of all nodes, and PMG_RANGE_CORNERS on the level of the corners.
#define PMG_RANGE_ALL 6.0
#define PMG_RANGE_CORNERS 20.0

/// Computes the coefficients a and b [degree] of the smoother, a Chebyshev polynomial in D^-1 A for eigenvalues from
/// largest / range to largest. Step k of the smoother is d = a[k] d + b[k] D^-1 r, z += d. D is the diagonal of A.
HOST_DEVICE void pmg_steps(double largest, double range, int degree, real *a, real *b) {
  const double low = largest / range, theta = (largest + low) / 2, delta = (largest - low) / 2, sigma = theta / delta;
  double rho = 1 / sigma;
  a[0] = 0;
  b[0] = (real)(1 / theta);
  for (int k = 1; k < degree; k++) {
    const double next = 1 / (2 * sigma - rho);
    a[k] = (real)(next * rho);
    b[k] = (real)(2 * next / delta);
    rho = next;
  }
}

/// Returns an estimate of the largest eigenvalue of D^-1 A: 1.15 times `grown`. `grown` is the factor by which the last
/// step of a power iteration lengthened its vector, which is a lower bound of the eigenvalue. D is the diagonal of A.
HOST_DEVICE double pmg_largest(double grown) {
  const double ABOVE = 1.15, largest = ABOVE * grown;
  return largest > 0 && largest < INFINITY ? largest : 1;
}

/// Returns element i of the start vector of a power iteration: a pseudo-random number from -1 to 1, equal in every run.
HOST_DEVICE real pmg_begin(int i) {
  const uint32_t mixed = ((uint32_t)i * 2654435761u) ^ (((uint32_t)i * 40503u) >> 7);
  return (real)((double)(mixed >> 8) / (1 << 23) - 1);
}

#ifdef __cplusplus
extern "C" {
#endif

// The multigrid cycle on the GPU, a preconditioner. A zeroed PmgCuda is empty.
typedef struct PmgCuda {
  struct PmgLevels *levels;  // vectors and matrices of the levels (all nodes, corners, rigid motions); owned
  real *z;                   // [n], result of a multigrid cycle; one of the vectors of `levels`
} PmgCuda;

/// Creates the levels (all nodes, corners, rigid motions) for a system. Fails if memory runs out or on interrupt.
bool REAL_NAME(pmg_cuda_create)(PmgCuda *pmg, const SolverSystem *system, Error *error);
void REAL_NAME(pmg_cuda_destroy)(PmgCuda *pmg);

/// These functions queue work on the stream. pmg_cuda_make prepares the cycle for the present matrix and system->u.
/// pmg_cuda_cycle computes z = M^-1 r by one cycle; r [n] must be zero at fixed unknowns. If `done` is not NULL and
/// *done is not 0, pmg_cuda_cycle does nothing.
bool REAL_NAME(pmg_cuda_make)(const PmgCuda *pmg, const SolverSystem *system, Stream stream, Error *error);
bool REAL_NAME(pmg_cuda_cycle)(const PmgCuda *pmg, const real *r, const int *done, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
