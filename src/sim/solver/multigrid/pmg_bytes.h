// Memory and work of solver `pmg` on either device: see pmg.c.
#pragma once
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PMG_POWER_TURNS = 12,  // power iterations that estimate the largest eigenvalue of D^-1 A
  // Degree of the smoother S, a polynomial in the matrix (pmg.c), on the level of all nodes. S runs twice per cycle, so
  // this makes 2 * 2 products.
  PMG_DEGREE_ALL = 2,
  PMG_DEGREE_CORNERS = 4  // degree of S on the level of the corners, whose products are much cheaper
};

/// Name of the format of the corners' matrix on a device; NULL: the default.
static inline const char *pmg_matrix(Device device) {
  return device == DEVICE_CUDA ? "sell" : NULL;
}

/// Estimates memory and work. Assumes that the operator stores its matrix; without one the lists are shorter.
StageBytes pmg_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
