// Bytes and operations of solver `pmg` (CG with multigrid over the elements' degree) on CPU and GPU: see pmg.c.
#pragma once
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PMG_POWER_TURNS = 12,  // power iterations that estimate the largest eigenvalue of D^-1 A
  // Degree of the smoother, a polynomial in the matrix, on the level of all nodes. A cycle runs it twice: 2 * 2
  // products.
  PMG_DEGREE_ALL = 2,
  // degree of the smoother on the level of the corners, whose products take much less time than those of all nodes
  PMG_DEGREE_CORNERS = 4
};

/// Returns the name of the matrix format on the level of the corners; NULL: the format that is used if the user names
/// none.
static inline const char *pmg_matrix(Device device) {
  return device == DEVICE_CUDA ? "sell" : NULL;
}

/// Estimates memory and work of the solver "pmg". Assumes that the operator of all nodes stores its matrix; if it
/// stores no matrix, the lists for P^T A P need less memory.
StageBytes pmg_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
