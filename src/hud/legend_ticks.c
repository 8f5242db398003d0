// Values that a legend shows: see legend_ticks.h.
#include "hud/legend_ticks.h"

#include <math.h>
#include <stdlib.h>

double legend_value(const double range[2], bool log, double part) {
  return log ? range[0] * pow(range[1] / range[0], part) : range[0] + part * (range[1] - range[0]);
}

double legend_round(const double range[2], bool log, double value) {
  const double width = range[1] - range[0], size = log ? fmin(width, value) : width;
  if (!(size > 0)) return value;
  const int power = (int)floor(log10(size)) - 2;
  // divides by a power of ten that is an integer, since negative powers of ten are not exact
  const double unit = pow(10, abs(power));
  return power < 0 ? round(value * unit) / unit : round(value / unit) * unit;
}

// Adds ticks for the numbers `factor` times a power of ten. Leaves out numbers outside the range, and numbers whose
// distance from a tick in the list would be less than `gap`, a fraction of the legend's height.
static int add_multiples(const double range[2], double gap, double factor, LegendTick tick[LEGEND_TICKS_MAX],
                         int count) {
  const double decades = log10(range[1] / range[0]);
  for (int power = (int)floor(log10(range[0])); power <= (int)ceil(log10(range[1])); power++) {
    const double value = factor * pow(10, power), part = log10(value / range[0]) / decades;
    bool fits = part > 0 && part < 1 && count < LEGEND_TICKS_MAX;
    for (int k = 0; k < count; k++) fits = fits && fabs(tick[k].part - part) >= gap;
    if (fits) tick[count++] = (LegendTick){ value, part };
  }
  return count;
}

int legend_ticks(const double range[2], bool log, double gap, LegendTick tick[LEGEND_TICKS_MAX]) {
  int count = 2;
  tick[0] = (LegendTick){ range[0], 0 };
  tick[1] = (LegendTick){ range[1], 1 };
  if (log) {
    count = add_multiples(range, gap, 1, tick, count);
    if (count >= 4) return count;
    return add_multiples(range, gap, 5, tick, add_multiples(range, gap, 2, tick, count));
  }
  const int intervals = gap < 0.25 ? 4 : 2;
  for (int k = 1; k < intervals; k++) {
    const double part = (double)k / intervals, value = legend_value(range, false, part);
    const bool is_zero = fabs(value) < 1e-9 * (range[1] - range[0]);
    tick[count++] = (LegendTick){ is_zero ? 0 : value, part };
  }
  return count;
}
