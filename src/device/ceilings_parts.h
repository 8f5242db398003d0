// Functions that ceilings.c and ceilings.cu provide to each other.
#pragma once
#include "device/ceilings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The largest size that is measured on a device: beyond its caches, but within a quarter of its free memory.
double ceilings_largest(Device device);

/// Fills in the sizes, rising from some hundred KiB to the largest, with zero rates. Returns their number.
int ceilings_sizes(double largest, MemoryRate rate[CEILING_SIZES]);

bool ceilings_measure_cuda(Ceilings *ceilings, Error *error);

#ifdef __cplusplus
}
#endif
