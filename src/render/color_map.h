// Colour maps and value ranges for displaying fields.
#pragma once
#include "base/style.h"

#ifdef __cplusplus
extern "C" {
#endif

// Colours between these points are interpolated linearly. The error is at most 4 of 255 for turbo, and less for the
// other maps.
enum { COLOR_MAP_POINTS = 32 };

/// Fills `colors` with sRGB values from 0 to 1, evenly spaced from the low to the high end of the range. COLOR_MAP_AUTO
/// selects viridis for fields that are never negative, and coolwarm for fields that deviate from a middle value to both
/// sides.
void color_map(ColorMap map, FieldKind kind, float colors[COLOR_MAP_POINTS][3]);

/// Returns the title of a field for the legend, such as "von Mises stress", and its unit, such as "Pa".
const char *field_title(FieldKind kind, const char **unit);

/// Rounds up to 1, 2 or 5 times a power of ten. Returns 1 if the value is not positive.
double field_round_up(double value);

/// Computes a range of round numbers that contains [low, high]. It begins at 0 for von Mises stress and contact
/// pressure, and is symmetric about 1 for det F and about 0 for the other fields.
void field_range(FieldKind kind, double low, double high, double range[2]);

#ifdef __cplusplus
}
#endif
