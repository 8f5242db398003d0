// Handles the window's mouse and key events: see view.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "live/camera_input.h"
#include "live/mouse_pull.h"
#include "window/view_tools.h"

static const double DOUBLE_CLICK = 0.35;  // s, longest time between the two presses of a double click

static bool pick_at(View *view, const double pixel[2], Pick *pick, Error *error) {
  const Picture picture = view_picture(view);
  return picker_pick(&view->picker, &view->renderer, &view->form->surface, &picture, pixel, view->width, view->height,
                     pick, error);
}

// Returns true if a press is the second one of a double click: at the same point, less than DOUBLE_CLICK later, without
// shift and Ctrl. The exact time of a press is unknown: it lies between event->after and event->before, which differ
// much if pictures are slow to draw. The function assumes the shortest time between the presses that these bounds
// permit.
static bool is_double(View *view, const WindowEvent *event) {
  const bool twice = !event->shift && !event->control && event->after - view->pressed_time < DOUBLE_CLICK &&
                     view_is_same_point(view, event->pixel, view->pressed_at);
  memcpy(view->pressed_at, event->pixel, sizeof view->pressed_at);
  view->pressed_time = twice || event->shift || event->control ? 0 : event->before;
  return twice;
}

static bool press(View *view, const WindowEvent *event, Error *error) {
  if (!hud_wants_mouse()) view->start.shown = false;  // a press outside of the start page closes it
  if (view->mode != MOUSE_FREE || hud_wants_mouse() || !view->has_positions) return true;
  view->button = event->code;
  view->editor.hit_count = 0;
  view_note(view, false);
  Pick pick = { .triangle = -1 };
  const bool left = event->code == BUTTON_LEFT;
  if (left && view_grab_handle(view, event->pixel, event->control))
    return pick_at(view, event->pixel, &pick, error) && view_list_hits(view, &pick, event->pixel, error);
  const Tool *tool = left ? view_tool_of_press(view, event->shift, event->control) : NULL;
  if (left && !pick_at(view, event->pixel, &pick, error)) return false;
  if (tool && tool->anywhere) {
    view_press_tool(view, tool, &pick);
    return true;
  }
  const bool on_body = pick.triangle >= 0;
  if (left && !view_list_hits(view, &pick, event->pixel, error)) return false;

  // on the body, only the tool grab has a double click; the other tools handle its second press as a single click
  const bool twice = left && is_double(view, event) && (!on_body || tool == view_tools);
  if (twice) view->editor.hit_count = 0;
  if (twice && on_body) {
    memcpy(view->camera.target, pick.point, sizeof view->camera.target);
  } else if (twice) {
    return view_show_all(view, error);
  } else if (on_body) {
    view_press_tool(view, tool, &pick);
  } else {
    view->mode = event->code == BUTTON_MIDDLE || event->shift ? MOUSE_PAN : MOUSE_ORBIT;
  }
  return true;
}

static void move(View *view, const double pixel[2]) {
  const double dx = pixel[0] - view->cursor[0], dy = pixel[1] - view->cursor[1];
  if (view->mode == MOUSE_ORBIT) camera_take_turn(&view->camera, dx, dy, view->height);
  if (view->mode == MOUSE_PAN) camera_pan(&view->camera, dx, dy, view->height);
}

static void scroll(View *view, const WindowEvent *event) {
  const double notches = event->scroll[1];
  if (view->mode == MOUSE_PULL) {
    view->depth += 0.04 * view->camera.radius * notches;
    return;
  }
  view_note(view, true);
  camera_zoom_at(&view->camera, pow(0.9, notches), event->pixel, view->width, view->height);
}

// Handles a key during a drag of a handle: Ctrl switches round steps on and off, Esc cancels the drag. Other keys have
// no effect, because they could change the entry or the simulation.
static void take_key_of_drag(View *view, const WindowEvent *event) {
  if (event->code == KEY_LEFT_CONTROL || event->code == KEY_RIGHT_CONTROL)
    view_snap_handle(view, event->kind == WINDOW_KEY);
  else if (event->kind == WINDOW_KEY && event->code == KEY_ESCAPE)
    view_escape(view);
}

// Handles a pressed key or a typed character. While the palette is open, it gets all of them. Ctrl+P opens the palette
// even while the user types in a field of the panel.
static void take_key(View *view, const WindowEvent *event) {
  if (view->shows_palette) {
    view_palette_key(view, event);
    return;
  }
  const Action *action = event->kind == WINDOW_KEY ? view_action_of(event) : NULL;
  const bool opens_palette = action && action->run == view_open_palette;

  // While the panel is about to focus a field, keys are ignored: the field does not get characters yet, and no other
  // part of the window must take them.
  const bool ignored = hud_wants_keys() || (view->shows_panel && view->panel.show_row.name[0]);
  if (event->kind != WINDOW_KEY || (ignored && !opens_palette)) return;

  // The user may still hold Ctrl, which selects the cut by the mouse. Esc must cancel this cut nevertheless.
  if (event->control && event->code == KEY_ESCAPE && view->mode == MOUSE_CUT)
    view_escape(view);
  else if (!event->control && view->browses && !view->shows_keys)
    view_browser_key(view, event);
  else if (action)
    view_act(view, action);
  else if (view_tool_of_key(event))
    view_choose_tool(view, view_tool_of_key(event));
}

// Finds and highlights the patch of surface that the mouse would pull. Picking waits for the GPU, so it runs only if
// the mouse has moved, or if values under the mouse are shown.
static bool probe_under_mouse(View *view, Error *error) {
  Pick pick;

  // values under the mouse are found in each frame, since the body may move under a resting mouse
  const bool moved = memcmp(view->cursor, view->hovered_at, sizeof view->cursor) != 0;
  if (!view->probes && (view->mode == MOUSE_PULL || !moved)) return true;
  view->under.tet = view->under.triangle = -1;
  if (moved) view->hover.radius = 0;
  memcpy(view->hovered_at, view->cursor, sizeof view->cursor);
  if ((view->mode != MOUSE_FREE && !view->probes) || hud_wants_mouse()) return true;
  if (!pick_at(view, view->cursor, &pick, error)) return false;
  view->under = pick;
  if (pick.triangle < 0 || view->mode != MOUSE_FREE || !view->tool->lights_patch) return true;
  mouse_point_at_rest(&view->form->mesh, &pick, view->hover.X);
  view->hover.radius = view->radius;
  view->hover.body = mesh_body(&view->form->mesh, pick.nodes[0]);
  return true;
}

bool view_handle_events(View *view, Error *error) {
  WindowEvent events[WINDOW_EVENTS_MAX];
  char path[SCENE_PATH_LENGTH];
  int count = 0;
  if (window_poll(view->window)) view->changed = true;
  while (count < WINDOW_EVENTS_MAX && window_next_event(view->window, &events[count])) count++;

  // the HUD gets the events first; hud_wants_mouse and hud_wants_keys then return true for events that it has used
  if (count > 0) hud_begin(events, count);
  for (int k = 0; k < count; k++) {
    const WindowEvent *event = &events[k];
    if (event->kind == WINDOW_MOVE) move(view, event->pixel);
    if (event->kind == WINDOW_MOVE) view_drag_handle(view, event->pixel);
    memcpy(view->cursor, event->pixel, sizeof view->cursor);
    if (event->kind == WINDOW_PRESS && !press(view, event, error)) return false;
    if (event->kind == WINDOW_RELEASE && event->code == view->button) {
      view_release_tool(view);
      view_drop_handle(view);
      view_select_hit(view, event->pixel);
      view_let_go(view, COMMAND_RELEASE);
    }
    if (event->kind == WINDOW_SCROLL && !hud_wants_mouse()) scroll(view, event);
    const bool types = event->kind == WINDOW_KEY || event->kind == WINDOW_TEXT;
    if (view->mode == MOUSE_HANDLE && (types || event->kind == WINDOW_KEY_UP))
      take_key_of_drag(view, event);
    else if (types)
      take_key(view, event);
  }

  if (window_dropped(view->window, path, sizeof path)) {
    const bool adds = view->shows_panel && view->panel.edits && !path_ends_with(path, ".json");
    (adds ? view_add_mesh : view_open)(view, path);
  }
  view_move_tool(view);
  if (window_closed(view->window)) {
    window_keep_open(view->window);
    view_leave(view);
  }
  return !view->has_positions || probe_under_mouse(view, error);
}
