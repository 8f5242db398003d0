// What ceilings.c and ceilings.cu share.
#pragma once
#include "device/ceilings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The largest size that is measured on a device: beyond its caches, but within a quarter of the memory that is free.
double ceilings_largest(Device device);

/// The sizes from some hundred KiB to the largest, rising; rates are left zero. Returns how many.
int ceilings_sizes(double largest, MemoryRate rate[CEILING_SIZES]);

bool ceilings_measure_cuda(Ceilings *ceilings, Error *error);

#ifdef __cplusplus
}
#endif
