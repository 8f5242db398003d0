// Estimates memory and work of the solver "pmg", CG with a multigrid preconditioner (pmg.c).
#pragma once
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PMG_POWER_TURNS = 12,  // steps of the power iteration for the largest eigenvalue of D^-1 A
  // degree of the smoother, a polynomial in D^-1 A (D: diagonal), on the level of all nodes; a cycle has 4 products
  PMG_DEGREE_ALL = 2,
  // degree on the level of the corners; it is larger, because products take much less time there
  PMG_DEGREE_CORNERS = 4
};

/// Returns the name of the format that stores the matrix of the level of corners (nodes at corners of cells); NULL: the
/// program's default format.
static inline const char *pmg_matrix(Device device) {
  return device == DEVICE_CUDA ? "sell" : NULL;
}

/// Estimates memory and work of the solver "pmg" for an operator that stores its matrix. For a matrix-free operator the
/// estimate is too large: its lists for computing the corners' matrix need less memory than those of a stored one.
StageBytes pmg_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
