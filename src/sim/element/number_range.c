// Defines the permitted range of numbers in each precision, and tests numbers against it (number_range.h).
#include "sim/element/number_range.h"

#include <math.h>
#include <string.h>

// The ranges are smaller than the ranges of the types, which are 1e-38 to 1e38 for float and 1e-308 to 1e308 for
// double. Reason: a time step multiplies these numbers, and computes differences far smaller than their terms. The
// margin is small for float, since sums of squares are computed in double. The margin is large for double: no wider
// type is used for sums of doubles, and CG without a preconditioner multiplies three numbers.
Extremes precision_range(Precision precision) {
  return precision == PRECISION_F32 ? (Extremes){ 1e-30, 1e30 } : (Extremes){ 1e-90, 1e90 };
}

double range_largest(const char *unit, Precision precision) {
  const double largest = precision_range(precision).high;
  return unit && (strcmp(unit, "m") == 0 || strcmp(unit, "m/s") == 0) ? sqrt(largest) : largest;
}

bool range_check_number(double value, const char *unit, Precision precision, const char *name, Error *error) {
  const double largest = range_largest(unit, precision);
  if (fabs(value) <= largest) return true;  // false for NaN too
  const bool fits_double = precision == PRECISION_F32 && fabs(value) <= range_largest(unit, PRECISION_F64);
  return error_set(error, "%s is %.6g%s%s, outside the range of precision %s, %g to %g; use a number nearer to 0%s",
                   name, value, unit ? " " : "", unit ? unit : "", precision_name(precision), -largest, largest,
                   fits_double ? ", or precision double" : "");
}

bool range_check_values(const double *values, int64_t count, Precision precision, const char *what, const char *unit,
                        Error *error) {
  const Extremes capacity = precision_range(precision);
  double maximum = 0;
  for (int64_t k = 0; k < count; k++) maximum = fmax(maximum, fabs(values[k]));
  if (maximum == 0 || (maximum >= capacity.low && maximum <= capacity.high)) return true;
  return error_set(error,
                   "%s: the largest absolute value is %.3g %s, outside the range of precision %s, 0 and %g to %g; use "
                   "%sanother value",
                   what, maximum, unit, precision_name(precision), capacity.low, capacity.high,
                   precision == PRECISION_F32 ? "precision double or " : "");
}
