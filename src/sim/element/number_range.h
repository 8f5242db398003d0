// Permitted ranges of numbers in each precision, float and double. Scenes, settings and restored states are checked on
// input, so that all results of a time step are finite.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "sim/element/precision.h"

// The smallest and the largest value of a quantity: the permitted values in a precision (precision_range), or the
// values that occur in a mesh (BodyRange in sim/range.h).
typedef struct Extremes {
  double low, high;  // smallest and largest value
} Extremes;

/// Returns the range in which the magnitudes of all numbers of a time step must be, products included: 1e-30 to 1e30
/// for float, 1e-90 to 1e90 for double.
Extremes precision_range(Precision precision);

/// Returns the largest permitted magnitude of a number with the unit `unit` (NULL: the number has no unit). For "m" and
/// "m/s" it is the square root of the largest number of precision_range, since time steps compute squares of lengths
/// and velocities.
double range_largest(const char *unit, Precision precision);

/// Fails if a number is not finite or too large for the precision. The message has `name`, the value with its unit, the
/// range and a remedy.
bool range_check_number(double value, const char *unit, Precision precision, const char *name, Error *error);

/// Fails if the largest magnitude of `count` values is outside the range of the precision. Zero is accepted. The
/// message names the values by `what` and their unit by `unit`.
bool range_check_values(const double *values, int64_t count, Precision precision, const char *what, const char *unit,
                        Error *error);
