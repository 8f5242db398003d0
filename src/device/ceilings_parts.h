// Functions that two files share: ceilings.c measures the limits of the CPU, and ceilings.cu those of the GPU.
#pragma once
#include "device/ceilings.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the largest size, bytes, of the arrays with which a device is measured: larger than its caches, but at most
/// a quarter of its free memory.
double ceilings_largest(Device device);

/// Sets the sizes in `rate`, ascending from some hundred KiB to `largest` bytes, and all rates to 0. Returns the number
/// of sizes.
int ceilings_sizes(double largest, MemoryRate rate[CEILING_SIZES]);

/// Measures the limits of the GPU, as ceilings_measure does for the CPU. Defined in ceilings.cu.
bool ceilings_measure_cuda(Ceilings *ceilings, Error *error);

#ifdef __cplusplus
}
#endif
