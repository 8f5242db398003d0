// Fills legend, scale bar and labels: see overlay.h.
#include "hud/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/color_map.h"

void overlay_legend(HudOverlay *overlay, SurfaceRenderer *renderer, const Style *style) {
  if (style->field == FIELD_NONE || renderer->field != style->field) return;
  overlay->title = field_title(style->field, &overlay->unit);
  if (style->title) {
    overlay->title = style->title;
    overlay->unit = style->unit;
  }
  color_map(style, overlay->colors);
  surface_renderer_range(renderer, style, overlay->range);
  overlay->fixed = style->high > style->low;
  overlay->below = renderer->field_range[0] < overlay->range[0];
  overlay->above = renderer->field_range[1] > overlay->range[1];
  overlay->log = color_scale_is_log(style, overlay->range);
  char note[2][48] = { "", "" };
  if (style->range == FIELD_RANGE_PERCENTILES && !(style->high > style->low))
    snprintf(note[0], sizeof *note, "\npercentiles %.4g to %.4g", style->percentile, 100 - style->percentile);
  if (style->color_scale == COLOR_SCALE_LOG)
    snprintf(note[1], sizeof *note, overlay->log ? "\nlogarithmic" : "\nlinear scale:\nno positive values");
  snprintf(overlay->note, sizeof overlay->note, "%s%s", note[0], note[1]);
}

void overlay_floor(HudOverlay *overlay, const Picture *picture) {
  overlay->grid = picture->floor ? surface_renderer_grid(picture->camera) : 0;
}

void overlay_vectors(HudOverlay *overlay, const SurfaceRenderer *renderer, const Style *style) {
  const bool velocity = style->vectors == VECTORS_VELOCITY, contact = style->vectors == VECTORS_CONTACT;
  overlay->arrow = surface_renderer_longest(renderer, style);
  overlay->arrow_title = velocity ? "velocity" : contact ? "contact force" : "external force";
  overlay->arrow_unit = velocity ? "m/s" : "N";
}

void overlay_axes(HudAxes *axes, const Camera *camera) {
  double right[3], up[3], forward[3];
  camera_axes(camera, right, up, forward);
  for (int i = 0; i < 3; i++) {
    double *direction = axes->direction[i];
    direction[0] = right[i];
    direction[1] = up[i];
    direction[2] = forward[i];
  }
}

bool overlay_turn_camera(const HudAxes *axes, Camera *camera) {
  double from[3] = { 0, 0, 0 };
  if (axes->clicked < 0) return false;
  from[axes->clicked / 2] = axes->clicked % 2 ? -1 : 1;
  camera_look_along(camera, from);
  return true;
}

void overlay_scale(HudOverlay *overlay, const Picture *picture, int height) {
  const Camera *c = picture->camera;
  overlay->scale = picture->style && picture->style->scale ? 2 * c->distance * tan(c->fov / 2) / height : 0;
}

void overlay_force(HudOverlay *overlay, const Camera *camera, const double point[3], double force, int width,
                   int height) {
  double pixel[2];
  if (overlay->label_count == HUD_LABELS_MAX || !camera_project(camera, point, width, height, pixel)) return;
  for (int i = 0; i < 2; i++) overlay->labels[overlay->label_count].pixel[i] = pixel[i];
  snprintf(overlay->labels[overlay->label_count].text, sizeof overlay->labels->text, "%.3g N", force);
  overlay->label_count++;
}

void overlay_mark(HudOverlay *overlay, const double pixel[2], const float color[3]) {
  if (overlay->mark_count == HUD_MARKS_MAX) return;
  HudMark *mark = &overlay->mark[overlay->mark_count++];
  memcpy(mark->pixel, pixel, sizeof mark->pixel);
  memcpy(mark->color, color, sizeof mark->color);
}
