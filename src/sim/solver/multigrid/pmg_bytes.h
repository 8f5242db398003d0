// Estimates memory and work of the solver "pmg", CG with a multigrid preconditioner (pmg.c).
#pragma once
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PMG_POWER_TURNS = 12,  // steps of the power iteration for the largest eigenvalue of D^-1 A
  // degree of the smoother, a polynomial in D^-1 A (D: diagonal), on the level of all nodes: 4 products per cycle
  PMG_DEGREE_ALL = 2,
  // degree of the smoother on the level of the corners, whose products take much less time
  PMG_DEGREE_CORNERS = 4
};

/// Returns the name of the format that stores the matrix of the level of corners (nodes at corners of cells); NULL: the
/// program's default format.
static inline const char *pmg_matrix(Device device) {
  return device == DEVICE_CUDA ? "sell" : NULL;
}

/// Estimates memory and work of the solver "pmg" for an operator that stores its matrix. For a matrix-free operator the
/// estimate is too large: its lists for the matrix of the corners need less memory than those for a stored matrix.
StageBytes pmg_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
