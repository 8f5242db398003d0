// Arrows along x, y and z at the selected body or obstacle, by which the mouse moves it: see view.h. They are drawn
// only before the first time step, while all bodies are at their positions in the scene.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window/view.h"

static const double ARROW = 0.3;  // length of an arrow / (distance from the eye * tan(field of view / 2))
static const double NEAR = 9;     // pixels at content scale 1, max distance at which the mouse grabs an arrow
static const char *const NAMES[] = { "move x", "move y", "move z" };
static const float COLORS[3][3] = { { 0.93f, 0.33f, 0.26f }, { 0.45f, 0.78f, 0.3f }, { 0.3f, 0.55f, 0.95f } };

static bool is_shown(const View *view) {
  const Editor *e = &view->editor;
  return view->shows_panel && view->panel.edits && e->movable && e->wanted < 0 && view->status.step == 0 &&
         !view->recording && view->has_positions;
}

// Computes the point on the axis of arrow k at a distance `along`, m, from the centre of the selected entry.
static void point_on(const Editor *e, int k, double along, double point[3]) {
  memcpy(point, e->centre, sizeof e->centre);
  point[k] += along;
}

static double length_of(const View *view) {
  double eye[3], square = 0;
  if (view->camera.orthographic) return ARROW * view->camera.distance * tan(view->camera.fov / 2);
  camera_eye(&view->camera, eye);
  for (int i = 0; i < 3; i++) square += (view->editor.centre[i] - eye[i]) * (view->editor.centre[i] - eye[i]);
  return ARROW * sqrt(square) * tan(view->camera.fov / 2);
}

// Computes the ends of arrow k in pixels. Returns false if one is behind the eye.
static bool ends_of(const View *view, int k, double from[2], double to[2]) {
  const Editor *e = &view->editor;
  double a[3], b[3];
  const double shift = e->axis == k ? e->shift : 0;
  point_on(e, k, shift, a);
  point_on(e, k, shift + length_of(view), b);
  return camera_project(&view->camera, a, view->width, view->height, from) &&
         camera_project(&view->camera, b, view->width, view->height, to);
}

// Returns the distance of a pixel from a line segment.
static double distance_of(const double pixel[2], const double from[2], const double to[2]) {
  const double dx = to[0] - from[0], dy = to[1] - from[1], square = dx * dx + dy * dy;
  const double dot = (pixel[0] - from[0]) * dx + (pixel[1] - from[1]) * dy;
  const double t = square > 0 ? fmin(fmax(dot / square, 0), 1) : 0;
  return hypot(pixel[0] - from[0] - t * dx, pixel[1] - from[1] - t * dy);
}

// Computes the distance, m, from the centre of the selected entry along axis k to the point that is nearest to the ray
// under a pixel. Returns false if the camera looks along the axis.
static bool along_axis(const View *view, int k, const double pixel[2], double *along) {
  double origin[3], ray[3], dot = 0, reach = 0;
  camera_ray(&view->camera, pixel, view->width, view->height, origin, ray);
  const double sine_squared = 1 - ray[k] * ray[k];
  if (sine_squared < 1e-4) return false;
  for (int i = 0; i < 3; i++) dot += (origin[i] - view->editor.centre[i]) * ray[i];
  reach = origin[k] - view->editor.centre[k];
  *along = (reach - dot * ray[k]) / sine_squared;
  return true;
}

bool view_grab_arrow(View *view, const double pixel[2], bool snaps) {
  Editor *e = &view->editor;
  double nearest = NEAR * window_scale(view->window), from[2], to[2];
  int found = -1;
  e->axis = -1;
  for (int k = 0; k < 3 && is_shown(view); k++) {
    if (!ends_of(view, k, from, to) || hypot(to[0] - from[0], to[1] - from[1]) < nearest) continue;
    const double distance = distance_of(pixel, from, to);
    if (distance < nearest) nearest = distance, found = k;
  }
  if (found < 0 || !along_axis(view, found, pixel, &e->grabbed)) return false;
  e->axis = found;
  e->snaps = snaps;
  e->shift = 0;
  view->mode = MOUSE_MOVE;
  return true;
}

void view_pull_arrow(View *view, const double pixel[2]) {
  Editor *e = &view->editor;
  double along;
  if (view->mode != MOUSE_MOVE || !along_axis(view, e->axis, pixel, &along)) return;
  // with Ctrl, positions are rounded to multiples of the largest power of ten below half of the arrow's length;
  // otherwise to multiples of 1/1000 of this power
  const double step = pow(10, floor(log10(length_of(view) / 2))) * (e->snaps ? 1 : 1e-3);
  const double position = e->position[e->axis];
  e->shift = round((position + along - e->grabbed) / step) * step - position;
}

void view_drop_arrow(View *view) {
  Editor *e = &view->editor;
  double by[3] = { 0 };
  if (view->mode != MOUSE_MOVE) return;
  by[e->axis] = e->shift;
  e->axis = -1;
  view->mode = MOUSE_FREE;
  if (e->shift != 0) view_move_selected(view, by);
}

static void add_line(const View *view, const double a[3], const double b[3], const float color[3], const char *name,
                     HudOverlay *overlay) {
  HudLine *line = &overlay->line[overlay->line_count];
  if (overlay->line_count == HUD_LINES_MAX ||
      !camera_project(&view->camera, a, view->width, view->height, line->from) ||
      !camera_project(&view->camera, b, view->width, view->height, line->to))
    return;
  memcpy(line->color, color, sizeof line->color);
  line->name = name;
  overlay->line_count++;
}

// Adds to the overlay the edges of the selected body's bounding box, at the position to which the mouse has moved it.
static void add_box(const View *view, HudOverlay *overlay) {
  static const float white[3] = { 1, 1, 1 };
  const Editor *e = &view->editor;
  for (int k = 0; k < 3; k++)
    for (int corner = 0; corner < 4; corner++) {
      double a[3], b[3];
      const int side[2] = { (k + 1) % 3, (k + 2) % 3 };
      for (int i = 0; i < 3; i++) a[i] = e->low[i] + (i == e->axis ? e->shift : 0);
      for (int j = 0; j < 2; j++)
        if (corner >> j & 1) a[side[j]] += e->high[side[j]] - e->low[side[j]];
      memcpy(b, a, sizeof a);
      b[k] += e->high[k] - e->low[k];
      add_line(view, a, b, white, NULL, overlay);
    }
}

void view_draw_arrows(const View *view, HudOverlay *overlay) {
  const Editor *e = &view->editor;
  const bool moves = view->mode == MOUSE_MOVE;
  if (!is_shown(view)) return;
  for (int k = 0; k < 3; k++) {
    double a[3], b[3];
    if (moves && e->axis != k) continue;
    point_on(e, k, moves ? e->shift : 0, a);
    point_on(e, k, (moves ? e->shift : 0) + length_of(view), b);
    add_line(view, a, b, COLORS[k], NAMES[k], overlay);
  }
  if (!moves) return;
  add_box(view, overlay);
  if (overlay->label_count == HUD_LABELS_MAX) return;
  memcpy(overlay->labels[overlay->label_count].pixel, view->cursor, sizeof view->cursor);
  snprintf(overlay->labels[overlay->label_count++].text, sizeof overlay->labels->text, "%c = %.6g m", 'x' + e->axis,
           e->position[e->axis] + e->shift);
}
