// Copies numbers in double on the host to and from reals of either precision on a device.
#pragma once
#include "device/device.h"
#include "sim/element/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns [count] reals on the device, which the caller frees with device_free; NULL on failure.
void *device_reals(Device device, Precision precision, const double *values, int64_t count, Error *error);

/// Overwrites [count] reals on the device with `values`, and waits.
bool device_put_reals(Stream stream, Precision precision, void *memory, const double *values, int64_t count,
                      Error *error);

/// Reads [count] reals on the device into `values`, and waits.
bool device_get_reals(Stream stream, Precision precision, const void *memory, double *values, int64_t count,
                      Error *error);

#ifdef __cplusplus
}
#endif
