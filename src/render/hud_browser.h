// The file browser's widgets, for hud.cpp.
#pragma once
#include "render/hud.h"

/// Draws it in the middle of what lies left of `right`, in a window of this height, within Dear ImGui's frame.
void hud_browser_draw(HudBrowser *browser, float right, float height, float margin);
