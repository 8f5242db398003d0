// Functions that ceilings.c and ceilings.cu call in each other.
#pragma once
#include "device/ceilings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the largest size that is measured on a device, bytes: beyond its caches, but within a quarter of its free
/// memory.
double ceilings_largest(Device device);

/// Sets the sizes in `rate`, ascending from some hundred KiB to `largest` bytes, and the rates to 0. Returns their
/// number.
int ceilings_sizes(double largest, MemoryRate rate[CEILING_SIZES]);

bool ceilings_measure_cuda(Ceilings *ceilings, Error *error);

#ifdef __cplusplus
}
#endif
