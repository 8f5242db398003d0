// Values that a legend shows next to its colours.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEGEND_TICKS_MAX = 16 };

typedef struct LegendTick {
  double value;  // field value
  double part;   // position along the colours: 0 at the low end, 1 at the high end
} LegendTick;

/// Chooses the values that a legend for the range from range[0] to range[1] shows. `tick` gets first both ends, then
/// values between them in any order. gap: smallest distance of two values, as a fraction of the legend's height. A
/// linear scale gets 5 values at equal distances, or 3 if `gap` does not permit 5. A logarithmic scale (`log` is true,
/// range[0] > 0) gets powers of ten between the ends. If fewer than two of these fit, it also gets 2 and 5 times powers
/// of ten. Returns the number of values.
int legend_ticks(const double range[2], bool log, double gap, LegendTick tick[LEGEND_TICKS_MAX]);

/// Returns the field value at a position along the colours; `part` may be outside 0 to 1.
double legend_value(const double range[2], bool log, double part);

/// Rounds a field value that the user has chosen as an end of a range, so that it has few digits. The result differs
/// from `value` by at most 1/200 of the width of `range`, and on a logarithmic scale also by at most 1/200 of the
/// value. If range[0] is not less than range[1], returns `value`.
double legend_round(const double range[2], bool log, double value);

#ifdef __cplusplus
}
#endif
