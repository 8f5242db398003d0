// Fills a HudOverlay, for windows and recordings: legend of the colours, scale bar, and labels with forces.
#pragma once
#include "hud/hud.h"
#include "render/surface_renderer.h"

/// Sets the legend for the field that the renderer shows. If the renderer shows no field, the picture gets no legend.
void overlay_legend(HudOverlay *overlay, SurfaceRenderer *renderer, const Style *style);

/// Sets overlay->grid, the spacing of the floor's grid lines, m; 0 if the picture has no floor.
void overlay_floor(HudOverlay *overlay, const Picture *picture);

/// Sets the explanation of the arrows in the overlay: name and unit of the vectors that they show, and the length of
/// the vector that is drawn as an arrow of the largest size. This length is 0 if the picture has no arrows.
void overlay_vectors(HudOverlay *overlay, const SurfaceRenderer *renderer, const Style *style);

/// Adds a small circle at a pixel. color: sRGB. Does nothing if the overlay has HUD_MARKS_MAX circles already.
void overlay_mark(HudOverlay *overlay, const double pixel[2], const float color[3]);

/// Computes the directions of the world's axes in the picture of this camera: their components to the right, upward and
/// away from the eye.
void overlay_axes(HudAxes *axes, const Camera *camera);

/// If the user has clicked an end of an axis in the small picture of the axes, turns the camera so that it looks at its
/// target from this side. Returns false if no axis was clicked.
bool overlay_turn_camera(const HudAxes *axes, Camera *camera);

/// Sets overlay->scale, the length in m that a pixel shows at the depth of the camera's target; the scale bar is drawn
/// from it. 0 if the style has no scale bar. height: height of the picture, pixels.
void overlay_scale(HudOverlay *overlay, const Picture *picture, int height);

/// Adds a label with a force, N, next to the point where it acts, m. The picture has width x height pixels. A point
/// behind the eye gets no label.
void overlay_force(HudOverlay *overlay, const Camera *camera, const double point[3], double force, int width,
                   int height);
