// What both twins of solver `pmg` share (pmg.c says what it does), and the cycle on the GPU, around which are cg.cu's
// iterations.
#pragma once
#include <math.h>
#include <stdint.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/solver/multigrid/pmg_bytes.h"
#include "sim/solver/solver.h"

#define PMG_RANGE_ALL 6.0
#define PMG_RANGE_CORNERS 20.0

/// Chebyshev's polynomial for [largest / range, largest]: step k is d = a[k] d + b[k] D^-1 r, z += d.
HOST_DEVICE void pmg_steps(double largest, double range, int degree, real *a, real *b) {
  const double low = largest / range, theta = (largest + low) / 2, delta = (largest - low) / 2, sigma = theta / delta;
  double rho = 1 / sigma;
  a[0] = 0, b[0] = (real)(1 / theta);
  for (int k = 1; k < degree; k++) {
    const double next = 1 / (2 * sigma - rho);
    a[k] = (real)(next * rho), b[k] = (real)(2 * next / delta);
    rho = next;
  }
}

/// The largest eigenvalue of D^-1 A, from how much its power has grown in the end, which is one from below.
HOST_DEVICE double pmg_largest(double grown) {
  const double ABOVE = 1.15, largest = ABOVE * grown;
  return largest > 0 && largest < INFINITY ? largest : 1;
}

/// What powers begin with: numbers between -1 and 1, the same in every run.
HOST_DEVICE real pmg_begin(int i) {
  const uint32_t mixed = ((uint32_t)i * 2654435761u) ^ (((uint32_t)i * 40503u) >> 7);
  return (real)((double)(mixed >> 8) / (1 << 23) - 1);
}

#ifdef __cplusplus
extern "C" {
#endif

// The cycle on the GPU. A zeroed one is empty.
typedef struct PmgCuda {
  struct PmgLevels *levels;  // owned
  real *z;                   // [n], what a cycle makes; owned
} PmgCuda;

/// Fails for lack of memory, or interrupted.
bool REAL_NAME(pmg_cuda_create)(PmgCuda *pmg, const SolverSystem *system, Error *error);
void REAL_NAME(pmg_cuda_destroy)(PmgCuda *pmg);

/// Queue: all that a cycle needs of the system's matrix and state; and z = cycle(r), from a residual [n] that is zero
/// where unknowns are held, unless *done (NULL: always).
bool REAL_NAME(pmg_cuda_make)(const PmgCuda *pmg, const SolverSystem *system, Stream stream, Error *error);
bool REAL_NAME(pmg_cuda_cycle)(const PmgCuda *pmg, const real *r, const int *done, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
