// Hints for new users: see view.h. They appear one after another at the first start of the window. A hint ends when the
// user does the action that it explains, or closes it. The look (look.h) stores the number of ended hints.
#include <math.h>

#include "window/view_tools.h"

static bool pulls(const View *view) {
  return view->mode == MOUSE_PULL;
}

static bool paused(const View *view) {
  return view->status.paused != view->hint_paused;
}

static bool chose_tool(const View *view) {
  return view->tool != view->hint_tool;
}

static bool opened_palette(const View *view) {
  return view->shows_palette;
}

static bool opened_keys(const View *view) {
  return view->shows_keys;
}

static const struct {
  const char *name, *text;
  const char *item;  // widget that the hint explains; NULL: the body or the line at the bottom
  bool on_body;      // the hint explains the body
  bool (*done)(const View *view);
} HINTS[] = {
  { "pull", "Drag a point of the body with the left mouse button to pull it. Drag the background to turn the view.",
    NULL, true, pulls },
  { "pause", "Press the space bar to stop the simulation, and press it again to let it continue.",
    "button:pause or play", false, paused },
  { "tools", "These tools change the effect of the left mouse button: for example, pin or cut the body.", "button:pin",
    false, chose_tool },
  { "palette", "Press Ctrl+P to search all commands and settings by words.", NULL, false, opened_palette },
  { "keys", "Press F1 to see all keys.", NULL, false, opened_keys },
};
enum { HINT_COUNT = sizeof HINTS / sizeof *HINTS };

// Returns the node that is nearest to the eye in the undeformed body. It is on the surface.
static int nearest_node(const View *view) {
  const TetMesh *mesh = &view->form->mesh;
  double eye[3], least = INFINITY;
  int nearest = 0;
  camera_eye(&view->camera, eye);
  for (int a = 0; a < mesh->node_count; a++) {
    const double *X = mesh->X[a];
    const double distance = hypot(hypot(X[0] - eye[0], X[1] - eye[1]), X[2] - eye[2]);
    if (distance < least) {
      least = distance;
      nearest = a;
    }
  }
  return nearest;
}

static void go_to(View *view, int number) {
  Look now = view->look;
  now.hints = number;
  view->hint_begun = false;
  view_choose_look(view, &now);
}

void view_begin_hints(View *view) {
  const WindowOptions *o = view->options;
  const bool automatic = !o->trace[0] && o->frames == 0 && !o->log[0];
  view->hints = o->hints == HINTS_ON || (o->hints == HINTS_AUTO && automatic);
}

void view_show_hints(View *view) {
  view->hints = true;
  go_to(view, 0);
}

bool view_fill_hint(View *view) {
  const int k = view->look.hints;
  const bool covered = view->start.shown || view->browses || view->shows_messages;
  if (!view->hints || k >= HINT_COUNT || covered || view->recording || view->sim->replay.file) return false;
  if (!view->hint_begun) {
    view->hint_begun = true;
    view->hint_paused = view->status.paused;
    view->hint_tool = view->tool;
  }
  if (HINTS[k].done(view)) {
    go_to(view, k + 1);
    return view_fill_hint(view);
  }
  view->hint = (HudHint){ .name = HINTS[k].name, .text = HINTS[k].text, .item = HINTS[k].item, .number = k + 1 };
  view->hint.count = HINT_COUNT;
  view->hint.pixel[0] = -1;
  double point[3];
  Error ignored = { 0 };
  if (HINTS[k].on_body && surface_renderer_node(&view->renderer, nearest_node(view), point, &ignored) &&
      !camera_project(&view->camera, point, view->width, view->height, view->hint.pixel))
    view->hint.pixel[0] = -1;
  return !view->shows_palette && !view->shows_keys;
}

void view_apply_hint(View *view) {
  if (view->hint.next) go_to(view, view->look.hints + 1);
  if (view->hint.end) go_to(view, HINT_COUNT);
  view->hint.next = view->hint.end = false;
}
