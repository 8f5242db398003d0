// The axes of the world in a corner, for hud.cpp.
#pragma once
#include "render/hud.h"

/// Draws them with their lower left corner there, within Dear ImGui's frame. Returns how high they reach.
float hud_axes_draw(HudAxes *axes, float left, float bottom);
