// Fills a HudOverlay for windows and recordings: legend of the colours, scales, and labels that show forces.
#pragma once
#include "render/hud.h"
#include "render/surface_renderer.h"

/// Sets the legend for the field that the renderer shows in this style. Without a field there is no legend.
void overlay_legend(HudOverlay *overlay, const SurfaceRenderer *renderer, const Style *style);

/// Sets the spacing of the floor's grid, or 0 if the picture has no floor.
void overlay_floor(HudOverlay *overlay, const Picture *picture);

/// Sets title, unit and value of the longest arrow. The value is 0 if the picture has no arrows.
void overlay_vectors(HudOverlay *overlay, const SurfaceRenderer *renderer, const Style *style);

/// Sets the directions of the world's axes as seen by this camera.
void overlay_axes(HudAxes *axes, const Camera *camera);

/// Turns the camera so that it views from the end of the axis that was clicked. Returns false if no end was clicked.
bool overlay_turn_camera(const HudAxes *axes, Camera *camera);

/// Sets the scale bar for a picture of this height, pixels. The scale is 0 if the style has no scale bar.
void overlay_scale(HudOverlay *overlay, const Picture *picture, int height);

/// Adds a label with a force, N, next to the point at which it acts, m. The picture has width x height pixels. A point
/// behind the eye gets no label.
void overlay_force(HudOverlay *overlay, const Camera *camera, const double point[3], double force, int width,
                   int height);
