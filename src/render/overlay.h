// Fills a HudOverlay, for windows and recordings: legend of the colours, scale bar, and labels with forces.
#pragma once
#include "render/hud.h"
#include "render/surface_renderer.h"

/// Sets the legend for the field that the renderer shows. If the renderer shows no field, the picture gets no legend.
void overlay_legend(HudOverlay *overlay, SurfaceRenderer *renderer, const Style *style);

/// Sets overlay->grid, the spacing of the floor's grid lines, m; 0 if the picture has no floor.
void overlay_floor(HudOverlay *overlay, const Picture *picture);

/// Sets the overlay's entry for arrows: name and unit of the drawn vectors, and the value that an arrow of the largest
/// drawn size represents. This value is 0 if the picture has no arrows.
void overlay_vectors(HudOverlay *overlay, const SurfaceRenderer *renderer, const Style *style);

/// Adds a small circle at a pixel. color: sRGB. Does nothing if the overlay has HUD_MARKS_MAX circles already.
void overlay_mark(HudOverlay *overlay, const double pixel[2], const float color[3]);

/// Computes the directions of the world's axes as this camera sees them.
void overlay_axes(HudAxes *axes, const Camera *camera);

/// Makes the camera look from the end of the axis that was clicked. Returns false if no axis was clicked.
bool overlay_turn_camera(const HudAxes *axes, Camera *camera);

/// Sets overlay->scale, m per pixel, from which the scale bar is drawn. height: height of the picture, pixels. The
/// result is 0 if the style has no scale bar.
void overlay_scale(HudOverlay *overlay, const Picture *picture, int height);

/// Adds a label with a force, N, next to the point where it acts, m. The picture has width x height pixels. A point
/// behind the eye gets no label.
void overlay_force(HudOverlay *overlay, const Camera *camera, const double point[3], double force, int width,
                   int height);
