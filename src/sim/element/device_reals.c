// Converts doubles on the host to floats or doubles on a device, and back (device_reals.h).
#include "sim/element/device_reals.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// Returns a new array with values [count] as floats, which the caller frees. Returns NULL if memory runs out.
static float *rounded(const double *values, int64_t count, Error *error) {
  float *made = array_new(count, sizeof *made, "values", error);
  for (int64_t k = 0; made && k < count; k++) made[k] = (float)values[k];
  return made;
}

void *device_reals(Device device, Precision precision, const double *values, int64_t count, Error *error) {
  if (precision == PRECISION_F64) return device_clone(device, values, sizeof *values * (size_t)count, error);
  float *floats = rounded(values, count, error);
  void *memory = floats ? device_clone(device, floats, sizeof *floats * (size_t)count, error) : NULL;
  free(floats);
  return memory;
}

bool device_put_reals(Stream stream, Precision precision, void *memory, const double *values, int64_t count,
                      Error *error) {
  float *floats = precision == PRECISION_F32 ? rounded(values, count, error) : NULL;
  const bool ok = (floats || precision == PRECISION_F64) &&
                  device_upload(stream, memory, floats ? (const void *)floats : values,
                                precision_size(precision) * (size_t)count, error) &&
                  stream_sync(stream, error);
  free(floats);
  return ok;
}

bool device_get_reals(Stream stream, Precision precision, const void *memory, double *values, int64_t count,
                      Error *error) {
  const size_t size = precision_size(precision);
  if (!device_download(stream, values, memory, size * (size_t)count, error) || !stream_sync(stream, error))
    return false;
  // Convert floats to doubles in place. Begin at the end, so that each float is read before it is overwritten.
  if (precision == PRECISION_F32)
    for (int64_t k = count - 1; k >= 0; k--) {
      float value;
      memcpy(&value, (char *)values + size * (size_t)k, sizeof value);
      values[k] = value;
    }
  return true;
}
