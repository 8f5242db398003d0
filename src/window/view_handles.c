// Handles at the selected body or obstacle, by which the mouse moves, turns or scales it: see view.h. They are drawn
// only where the entry is at its position in the scene: before the first time step or, if it is an obstacle that does
// not move, at any time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window/view.h"

static const double NEAR = 9;  // pixels at content scale 1, max distance at which the mouse grabs a handle
static const char *const NAMES[TRANSFORM_KINDS][4] = { { "move x", "move y", "move z" },
                                                       { "turn x", "turn y", "turn z" },
                                                       { "scale", "scale x", "scale y", "scale z" } };
static const float COLORS[3][3] = { { 0.93f, 0.33f, 0.26f }, { 0.45f, 0.78f, 0.3f }, { 0.3f, 0.55f, 0.95f } };
static const float WHITE[3] = { 1, 1, 1 };

// Returns true if the selected entry is at its position in the scene.
static bool is_in_place(const View *view) {
  const SceneEntry *entry = &view->editor.edits.entry[view->editor.edits.selected];
  const SimulationSettings *s = &view->status.settings;
  const bool obstacle = entry->list && strcmp(entry->list, "obstacles") == 0 && entry->index < s->obstacle_count;
  return view->status.step == 0 || (obstacle && !motion_moves(&s->obstacles[entry->index].motion));
}

bool view_handles_away(const View *view) {
  const Editor *e = &view->editor;
  bool usable = false;
  for (int k = 0; k < TRANSFORM_KINDS; k++) usable = usable || e->handles.usable[k];
  return usable && e->edits.wanted < 0 && !view->sim->replay.file && !is_in_place(view);
}

static bool is_shown(const View *view) {
  const Editor *e = &view->editor;
  return view->shows_panel && view->panel.edits && view->has_positions && e->handles.usable[e->handles.kind] &&
         e->edits.wanted < 0 && !view->recording && is_in_place(view);
}

static HandleView picture_of(const View *view) {
  return (HandleView){ &view->camera, view->width, view->height };
}

void view_next_handles(View *view) {
  Handles *h = &view->editor.handles;
  if (!view_edits(view)) return;
  if (view_handles_away(view)) {
    view_warn(view, "handles are shown at the start of the simulation; click \"Go to the start\" in the tab Scene");
    return;
  }
  for (int k = 1; k <= TRANSFORM_KINDS; k++) {
    const TransformKind next = (TransformKind)((h->kind + k) % TRANSFORM_KINDS);
    if (!h->usable[next]) continue;
    h->kind = next;
    return;
  }
  view_warn(view, "choose a body or an obstacle to move, turn or scale it");
}

// ---- the mouse

// Returns the distance of a pixel from a line segment.
static double distance_of(const double pixel[2], const double from[2], const double to[2]) {
  const double dx = to[0] - from[0], dy = to[1] - from[1], square = dx * dx + dy * dy;
  const double dot = (pixel[0] - from[0]) * dx + (pixel[1] - from[1]) * dy;
  const double t = square > 0 ? fmin(fmax(dot / square, 0), 1) : 0;
  return hypot(pixel[0] - from[0] - t * dx, pixel[1] - from[1] - t * dy);
}

// Returns the distance of a pixel from handle k, pixels. Returns infinity if the handle is too short to be grabbed,
// because the camera looks along it.
static double distance_from_handle(const View *view, int k, const double pixel[2]) {
  const HandleView picture = picture_of(view);
  double nearest = HUGE_VAL, length = 0, from[2], to[2];
  HandleLine line;
  handle_line(&view->editor.handles, &picture, k, false, &line);
  for (int p = 0; p + 1 < line.count; p++) {
    if (!line.shown[p] || !line.shown[p + 1] ||
        !camera_project(&view->camera, line.point[p], view->width, view->height, from) ||
        !camera_project(&view->camera, line.point[p + 1], view->width, view->height, to))
      continue;
    nearest = fmin(nearest, distance_of(pixel, from, to));
    length += hypot(to[0] - from[0], to[1] - from[1]);
  }
  return length < NEAR * window_scale(view->window) ? HUGE_VAL : nearest;
}

bool view_grab_handle(View *view, const double pixel[2], bool snaps) {
  Handles *h = &view->editor.handles;
  const HandleView picture = picture_of(view);
  double nearest = NEAR * window_scale(view->window);
  int found = -1;
  for (int k = 0; k < handles_count(h) && is_shown(view); k++) {
    const double distance = distance_from_handle(view, k, pixel);
    if (distance < nearest) {
      nearest = distance;
      found = k;
    }
  }
  if (found < 0 || !handle_grab(h, &picture, found, pixel)) return false;
  h->snaps = snaps;
  view->mode = MOUSE_HANDLE;
  return true;
}

void view_drag_handle(View *view, const double pixel[2]) {
  const HandleView picture = picture_of(view);
  if (view->mode == MOUSE_HANDLE) handle_drag(&view->editor.handles, &picture, pixel);
}

void view_snap_handle(View *view, bool snaps) {
  view->editor.handles.snaps = snaps;
  view_drag_handle(view, view->cursor);
}

void view_drop_handle(View *view) {
  const Handles *h = &view->editor.handles;
  const Transform transform = handles_transform(h);
  if (view->mode != MOUSE_HANDLE) return;
  view->mode = MOUSE_FREE;
  if (!handles_change(h)) return;
  view->editor.hit_count = 0;  // this was a drag, which selects nothing
  view_transform_selected(view, &transform);
}

// ---- the picture

// Adds a line to the overlay. Returns it, or NULL if one of its ends is behind the eye or the overlay is full.
static HudLine *add_line(const View *view, const double a[3], const double b[3], const float color[3],
                         HudOverlay *overlay) {
  HudLine *line = &overlay->line[overlay->line_count];
  if (overlay->line_count == HUD_LINES_MAX ||
      !camera_project(&view->camera, a, view->width, view->height, line->from) ||
      !camera_project(&view->camera, b, view->width, view->height, line->to))
    return NULL;
  memcpy(line->color, color, sizeof line->color);
  overlay->line_count++;
  return line;
}

// Adds handle k. During a drag, the handle follows the mouse, unless it is a ring.
static void add_handle(const View *view, int k, const char *name, HudOverlay *overlay) {
  const Handles *h = &view->editor.handles;
  const HandleView picture = picture_of(view);
  const Transform transform = handles_transform(h);
  const bool held = view->mode == MOUSE_HANDLE, turns = h->kind == TRANSFORM_TURN;
  HandleLine line;
  handle_line(h, &picture, k, held, &line);
  for (int p = 0; p < line.count && held && !turns; p++) transform_point(&transform, line.point[p]);
  for (int p = 0; p + 1 < line.count; p++) {
    if (!line.shown[p] || !line.shown[p + 1]) continue;
    const bool scales = h->kind == TRANSFORM_SCALE;
    const float *color = !scales ? COLORS[k] : k > 0 ? COLORS[k - 1] : WHITE;
    HudLine *part = add_line(view, line.point[p], line.point[p + 1], color, overlay);
    if (!part) continue;
    part->handle = true;
    part->knob = p + 1 == line.knob && !turns;
    part->name = p + 1 == line.knob ? name : NULL;
  }
}

// Adds the edges of the box around the selected entry, as the present change moves it.
static void add_box(const View *view, HudOverlay *overlay) {
  const Handles *h = &view->editor.handles;
  const Transform transform = handles_transform(h);
  double corner[8][3];
  memcpy(corner, h->corner, sizeof corner);
  for (int k = 0; k < 8; k++) transform_point(&transform, corner[k]);
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 3; i++)
      if (!(k >> i & 1)) add_line(view, corner[k], corner[k | 1 << i], WHITE, overlay);
}

void view_draw_handles(const View *view, HudOverlay *overlay) {
  const Handles *h = &view->editor.handles;
  if (!is_shown(view)) return;
  if (view->mode != MOUSE_HANDLE) {
    for (int k = 0; k < handles_count(h); k++) add_handle(view, k, NAMES[h->kind][k], overlay);
    return;
  }

  // during a drag, the held handle has the label's text as its name, for tests
  const char *name = NAMES[h->kind][h->held];
  if (overlay->label_count < HUD_LABELS_MAX) {
    char *text = overlay->labels[overlay->label_count].text;
    const char axis = (char)('x' + h->held);
    memcpy(overlay->labels[overlay->label_count++].pixel, view->cursor, sizeof view->cursor);
    if (h->kind == TRANSFORM_MOVE)
      snprintf(text, sizeof overlay->labels->text, "%c = %.6g m", axis, h->position[h->held] + h->amount);
    else if (h->kind == TRANSFORM_TURN)
      snprintf(text, sizeof overlay->labels->text, "%.5g° about %c", h->amount, axis);
    else if (h->held > 0)
      snprintf(text, sizeof overlay->labels->text, "× %.4g along %c", h->amount, (char)(axis - 1));
    else
      snprintf(text, sizeof overlay->labels->text, "× %.4g", h->amount);
    name = text;
  }

  add_handle(view, h->held, name, overlay);
  add_box(view, overlay);
}
