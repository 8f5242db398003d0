// Computes the statistics of a field, such as mean and standard deviation, that are stored after its nodal values:
// extra [FIELD_EXTRA], described in base/field_kind.h. Inputs: the smallest value `low`, the largest value `high`, the
// sum `sum` of all `count` values, and the sum `squares` of their squares.
#pragma once
#include <math.h>

#include "base/field_kind.h"
#include "device/host_device.h"

HOST_DEVICE void field_extra(float low, float high, double sum, double squares, int count, float extra[FIELD_EXTRA]) {
  const double mean = sum / count, variance = squares / count - mean * mean;
  extra[FIELD_SMALLEST] = low;
  extra[FIELD_LARGEST] = high;
  extra[FIELD_MEAN] = (float)mean;
  extra[FIELD_SPREAD] = variance > 0 ? (float)sqrt(variance) : 0;
}
