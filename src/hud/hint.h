// A hint for new users: a short text with a line to the widget or to the point of the picture that it explains.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The caller fills a hint before hud_draw, which stores the user's clicks in it.
typedef struct HudHint {
  const char *name, *text;  // name: for tests (items.h)
  const char *item;         // name of the widget that the hint explains (items.h); NULL: it explains `pixel`
  double pixel[2];          // point of the picture; a negative coordinate: the hint explains the line at the bottom
  int number, count;        // number of this hint, from 1, and number of all hints
  bool next, end;           // buttons that were pressed in this frame: the next hint, no more hints
} HudHint;

/// Draws a hint into the area from corner `low` to corner `high`, pixels. Must be called within a frame of Dear ImGui,
/// after the widgets that hints explain.
void hud_hint_draw(HudHint *hint, const float low[2], const float high[2]);

#ifdef __cplusplus
}
#endif
