// What solver `pmg` takes, on either device: see pmg.c.
#pragma once
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PMG_POWER_TURNS = 12,   // for the largest eigenvalue
  PMG_DEGREE_ALL = 2,     // of S on all nodes: 2 * 2 products a cycle
  PMG_DEGREE_CORNERS = 4  // on the corners, where a product costs a fraction of that
};

/// The format of the corners' matrix there; NULL: the usual one.
static inline const char *pmg_matrix(Device device) {
  return device == DEVICE_CUDA ? "sell" : NULL;
}

/// With a matrix that is stored: one that is not has shorter lists.
StageBytes pmg_bytes(const Stage *stage, const StageSize *size);

#ifdef __cplusplus
}
#endif
