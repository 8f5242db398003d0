// Random numbers. Equal seeds give equal numbers on every machine.
#pragma once
#include <stdint.h>

/// Returns a random number, uniform in [-1, 1], and advances the seed.
static inline double random_unit(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)(*seed >> 11) / (double)(INT64_C(1) << 52) - 1;
}
