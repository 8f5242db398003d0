// The colours of fields.
#pragma once
#include "base/style.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { COLOR_MAP_POINTS = 32 };  // turbo, drawn straight between them, is off by 4 of 255

/// sRGB, 0 to 1, evenly spaced from the range's low end to its high end. COLOR_MAP_AUTO: dark to light for what has no
/// sign, blue to red through grey for what differs from a middle.
void color_map(ColorMap map, FieldKind kind, float colors[COLOR_MAP_POINTS][3]);

/// A legend's title, such as "von Mises stress" and "Pa".
const char *field_title(FieldKind kind, const char **unit);

/// The next of 1, 2, 5 times a power of ten; 1 where there is nothing.
double field_round_up(double value);

/// A range of round numbers that holds [low, high]: from 0 for von Mises' stress, about 0 or 1 for the others.
void field_range(FieldKind kind, double low, double high, double range[2]);

#ifdef __cplusplus
}
#endif
