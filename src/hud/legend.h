// The ends of the legend, which the mouse can drag to fix the range of the colours.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HudOverlay HudOverlay;

// Result of a drag. A zeroed HudLegend is valid.
typedef struct HudLegend {
  bool changed;       // the mouse has changed the range in this frame
  double range[2];    // new range, if `changed`; range[0] < range[1]
  double pressed[2];  // range when the mouse button was pressed
} HudLegend;

/// Places invisible widgets on the values at both ends of the legend, whose colours go from y = top to y = bottom,
/// pixels, right of x = left. While the mouse drags an end, the legend is read with the range that it had when the
/// button was pressed. The dragged end gets the field value at the height to which the mouse has moved it, rounded by
/// legend_round. The other end is rounded too, unless the range is fixed already. The range keeps at least 1/100 of its
/// previous width. Must be called within a frame of Dear ImGui.
void hud_legend_drag(HudLegend *legend, const HudOverlay *overlay, float left, float top, float bottom);

#ifdef __cplusplus
}
#endif
