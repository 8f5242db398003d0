// Copies doubles on the host to floats or doubles on a device (CPU or GPU), and back. `precision` chooses float or
// double on the device.
#pragma once
#include "device/device.h"
#include "sim/element/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates an array of floats or doubles, as `precision` says, on the device from values [count]. The caller frees the
/// array with device_free. Returns NULL on failure.
void *device_reals(Device device, Precision precision, const double *values, int64_t count, Error *error);

/// Converts values [count] to floats or doubles, as `precision` says, and copies them to `memory` on the device. Waits
/// until this is done.
bool device_put_reals(Stream stream, Precision precision, void *memory, const double *values, int64_t count,
                      Error *error);

/// Copies `count` numbers, floats or doubles as `precision` says, from `memory` on the device to `values`. Waits until
/// this is done.
bool device_get_reals(Stream stream, Precision precision, const void *memory, double *values, int64_t count,
                      Error *error);

#ifdef __cplusplus
}
#endif
