// Memory and work of solver `pmg` on either device: see pmg.c.
#pragma once
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PMG_POWER_TURNS = 12,   // iterations that estimate the largest eigenvalue
  PMG_DEGREE_ALL = 2,     // degree of S on all nodes: 2 * 2 products per cycle
  PMG_DEGREE_CORNERS = 4  // degree on the corners, with much cheaper products
};

/// Name of the format of the corners' matrix on a device; NULL: the default.
static inline const char *pmg_matrix(Device device) {
  return device == DEVICE_CUDA ? "sell" : NULL;
}

/// Assumes that the matrix is stored; without one the lists are shorter.
StageBytes pmg_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
