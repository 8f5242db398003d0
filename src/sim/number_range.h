// Ranges of numbers in each precision. Scenes, settings and restored states are checked on input, so that all results
// of a step are finite.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "sim/element/precision.h"

typedef struct Extremes {
  double low, high;
} Extremes;

/// Returns the range of magnitudes that intermediate products of a step may have.
Extremes precision_range(Precision precision);

/// Returns the largest permitted magnitude of a number with this unit (NULL: none). Steps square lengths and
/// velocities, "m" and "m/s", so their squares must be in the range.
double range_largest(const char *unit, Precision precision);

/// Fails if a number is not finite or too large for the precision. The message has its name, value, range and a remedy.
bool range_check_number(double value, const char *unit, Precision precision, const char *name, Error *error);

/// Fails if the largest magnitude of `count` values is not zero but outside the precision's range: it would underflow
/// or overflow. `what` and `unit` appear in the message.
bool range_check_values(const double *values, int64_t count, Precision precision, const char *what, const char *unit,
                        Error *error);
