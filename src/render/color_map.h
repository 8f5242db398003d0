// Colour maps and value ranges for displaying fields.
#pragma once
#include "base/style.h"

#ifdef __cplusplus
extern "C" {
#endif

// Number of stored colours in a map. Colours between two stored ones are interpolated linearly. A colour
// component then deviates from the published map by at most 4 of 255 (turbo), and by less in the other maps.
enum { COLOR_MAP_POINTS = 32 };

/// Fills `colors` with the colours of the style's map, from its low to its high end, as sRGB values from 0 to 1.
/// COLOR_MAP_AUTO selects coolwarm for fields with values on both sides of a middle value, such as det F. It selects
/// viridis for all other fields, and for logarithmic scales.
void color_map(const Style *style, float colors[COLOR_MAP_POINTS][3]);

/// Returns true if the colours of `range` have a logarithmic scale. A range whose low end is 0 or less has a linear
/// scale.
bool color_scale_is_log(const Style *style, const double range[2]);

/// Returns the title of a field for the legend, such as "von Mises stress", and its unit, such as "Pa".
const char *field_title(FieldKind kind, const char **unit);

/// Rounds `value` up to 1, 2 or 5 times a power of ten. (It is rounded down if it exceeds a power of ten by less than
/// 0.01 %.) Returns 1 if `value` is not positive.
double field_round_up(double value);

/// Computes a range of round numbers that contains [low, high]: from 0 for von Mises stress and contact pressure,
/// symmetric about 1 for det F, and symmetric about 0 for other fields.
void field_range(FieldKind kind, double low, double high, double range[2]);

/// As field_range, but the ends are not rounded, and the range of von Mises stress and contact pressure is [low, high].
void field_range_exact(FieldKind kind, double low, double high, double range[2]);

/// Computes a range for a logarithmic scale: its ends are positive round numbers that contain [low, high]. But the low
/// end is at least 1e-6 of the high end, even if `low` is smaller. low, high: positive.
void field_range_log(double low, double high, double range[2]);

#ifdef __cplusplus
}
#endif
