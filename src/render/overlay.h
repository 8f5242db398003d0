// What explains a picture, in the window and in recordings: the legend of its colours, and forces in numbers.
#pragma once
#include "render/hud.h"
#include "render/surface_renderer.h"

/// The legend of what the renderer shows in this style; none without a field.
void overlay_legend(HudOverlay *overlay, const SurfaceRenderer *renderer, const Style *style);

/// The spacing of the floor's grid, where the picture has a floor.
void overlay_floor(HudOverlay *overlay, const Picture *picture);

/// What the longest arrow stands for, where arrows are shown.
void overlay_vectors(HudOverlay *overlay, const SurfaceRenderer *renderer, const Style *style);

/// The world's axes as this camera sees them.
void overlay_axes(HudAxes *axes, const Camera *camera);

/// Looks from where the axis points that was clicked; false where none was.
bool overlay_look(const HudAxes *axes, Camera *camera);

/// A scale bar, where the style has one, for a picture of this height.
void overlay_scale(HudOverlay *overlay, const Picture *picture, int height);

/// A force, N, beside the place it acts at, m, in a picture of width x height pixels; nothing behind the eye.
void overlay_force(HudOverlay *overlay, const Camera *camera, const double place[3], double force, int width,
                   int height);
