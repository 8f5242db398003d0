// Numbers in double on the host, as reals of either precision on a device.
#pragma once
#include "device/device.h"
#include "sim/element/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

/// [count] reals on the device, to be freed by device_free; NULL on failure.
void *device_reals(Device device, Precision precision, const double *values, int64_t count, Error *error);

/// Writes them over [count] reals that are there, and waits for it.
bool device_put_reals(Stream stream, Precision precision, void *memory, const double *values, int64_t count,
                      Error *error);

/// The other way.
bool device_get_reals(Stream stream, Precision precision, const void *memory, double *values, int64_t count,
                      Error *error);

#ifdef __cplusplus
}
#endif
