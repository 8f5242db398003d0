// The numbers that each precision has room for. Scenes, settings and restored states are held to them at the door, so
// that what a step computes of them stays finite.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "sim/element/precision.h"

typedef struct Extremes {
  double low, high;
} Extremes;

/// The sizes that products of steps may have.
Extremes precision_range(Precision precision);

/// The largest size of a number with this unit, NULL: none. Steps square lengths and velocities, "m" and "m/s": their
/// squares stay within the range.
double range_largest(const char *unit, Precision precision);

/// Fails if a number is not finite or too large for the precision: with its name, value, range and the remedy.
bool range_check_number(double value, const char *unit, Precision precision, const char *name, Error *error);

/// Fails if a number that is not zero would be zero in the precision as the largest of `count`, or one be infinite.
/// `what` and `unit` name them.
bool range_check_values(const double *values, int64_t count, Precision precision, const char *what, const char *unit,
                        Error *error);
