// The actions of the window: see view.h. One table has their names, keys, help and functions. Key presses, the page of
// keys (F1) and the command palette (Ctrl+P) all read it, so a new action is one row.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "live/camera_input.h"
#include "window/view_tools.h"

void view_let_go(View *view, CommandKind how) {
  if (view->mode == MOUSE_PULL) {
    if (how == COMMAND_KEEP)
      view_change(view, &(Command){ .kind = how });
    else
      view_post(view, &(Command){ .kind = how });
    view->trace_event = "release";
  }
  view->mode = MOUSE_FREE;
}

void view_leave(View *view) {
  const double now = timer_seconds();
  view->quit = !view->recording || now < view->quit_asked_until;
  if (view->quit) return;
  view_warn(
      view,
      "recording: press Esc or Ctrl+Q again to stop the recording and quit, or V to stop the recording but not quit");
  view->quit_asked_until = now + 8;
}

void view_escape(View *view) {
  if (view->mode == MOUSE_CUT || view->mode == MOUSE_HANDLE) {
    view->mode = MOUSE_FREE;
    return;
  }
  if (view->shows_panel && hud_close_list()) return;
  if (view->shows_keys)
    view->shows_keys = false;
  else if (view->shows_messages)
    view->shows_messages = false;
  else if (view->browses)
    view->browses = false;
  else if (view->start.shown)
    view->start.shown = false;
  else if (view->shows_panel && view->panel.search[0])
    view->panel.search[0] = '\0';
  else if (view->tool != view_tools)
    view_choose_tool(view, view_tools);
  else if (view->shows_panel)
    view->shows_panel = false;
  else
    view_leave(view);
}

bool view_show_all(View *view, Error *error) {
  double low[3], high[3];
  if (!surface_renderer_bounds(&view->renderer, low, high, error)) return false;
  camera_show(&view->camera, low, high, (double)view->width / fmax(1, view->height));
  return true;
}

// ---- actions on the simulation

static void pause_or_play(View *view) {
  view->backwards = false;
  view->back_since = 0;
  view_post(view, &(Command){ .kind = COMMAND_PAUSE });
}

static void step(View *view) {
  view->back_since = 0;
  view_post(view, &(Command){ .kind = COMMAND_STEP });
}

static void go_by(View *view, int64_t steps) {
  view->backwards = false;
  view_go_by(view, steps);
}

static void step_back(View *view) {
  go_by(view, -1);
}

static void step_forward(View *view) {
  go_by(view, 1);
}

static void ten_back(View *view) {
  go_by(view, -10);
}

static void ten_forward(View *view) {
  go_by(view, 10);
}

static void change_speed(View *view, double factor) {
  const double speed = view->status.speed > 0 ? view->status.speed : 1;
  if (view->has_positions) view_adjust(view, &view->status.settings, fmin(fmax(speed * factor, 1.0 / 64), 64), "");
}

static void slower(View *view) {
  change_speed(view, 0.5);
}

static void faster(View *view) {
  change_speed(view, 2);
}

static void keep_pull(View *view) {
  view_let_go(view, COMMAND_KEEP);
}

static void release_all(View *view) {
  view_let_go(view, COMMAND_RELEASE);
  view_change(view, &(Command){ .kind = COMMAND_RELEASE_ALL });
}

static void reset(View *view) {
  view_let_go(view, COMMAND_RELEASE);
  view_change(view, &(Command){ .kind = COMMAND_RESET });
}

// ---- actions on camera and display

static void reset_camera(View *view) {
  view->camera = view->first_camera;
}

static void recall_1(View *view) {
  view_recall(view, 0);
}

static void recall_2(View *view) {
  view_recall(view, 1);
}

static void recall_3(View *view) {
  view_recall(view, 2);
}

static void recall_4(View *view) {
  view_recall(view, 3);
}

static void store_1(View *view) {
  view_store(view, 0);
}

static void store_2(View *view) {
  view_store(view, 1);
}

static void store_3(View *view) {
  view_store(view, 2);
}

static void store_4(View *view) {
  view_store(view, 3);
}

static void show_all(View *view) {
  Error error = { 0 };
  if (view->has_positions && !view_show_all(view, &error)) view_fail(view, "%.390s", error.message);
}

// Shows the next kind of field as colours. Contact pressure is the last kind, and exists only with self_contact.
static void next_field(View *view) {
  FieldKind next = view->style.field >= FIELD_PRESSURE ? FIELD_NONE : (FieldKind)(view->style.field + 1);
  if (next == FIELD_PRESSURE && !view->status.settings.self_contact) next = FIELD_NONE;
  view->style.field = next;
  view->style.low = view->style.high = 0;
}

static void show_edges(View *view) {
  view->style.wireframe = !view->style.wireframe;
}

static void show_orthographic(View *view) {
  view->style.orthographic = !view->style.orthographic;
}

static void show_xray(View *view) {
  view->style.xray = !view->style.xray;
}

static void show_pins(View *view) {
  view->style.pins = !view->style.pins;
}

static void show_section(View *view) {
  view->style.section = !view->style.section;
  if (view->style.section_at == 0) view->style.section_at = 0.5;
}

static void show_values(View *view) {
  view->probes = !view->probes;
}

// ---- actions on files and pages

static void take_picture(View *view) {
  view->picture_asked = true;
}

static void show_panel(View *view) {
  view->shows_panel = !view->shows_panel;
}

static void edit_scene(View *view) {
  view->shows_panel = true;
  view->panel.show_tab = "Scene";
}

static void show_keys(View *view) {
  view->shows_keys = !view->shows_keys;
}

void view_open_palette(View *view) {
  if (!view->has_positions) return;
  hud_close_list();
  view->palette.typed[0] = '\0';
  view->palette.listed = false;
  view->shows_palette = true;
}

#define KEY(code_, text_) .key = code_, .key_text = text_
#define SHIFT(code_, text_) KEY(code_, "Shift+" text_), .shift = true
#define CONTROL(letter_) KEY(letter_[0], "Ctrl+" letter_), .control = true
#define CONTROL_SHIFT(letter_) KEY(letter_[0], "Ctrl+Shift+" letter_), .control = true, .shift = true

// `joins` puts an action on the line of the previous one in the page of keys.
const Action view_actions[] = {
  { "pause or play", "stop the simulation, or let it continue", pause_or_play, KEY(KEY_SPACE, "space") },
  { "step", "take one time step, then pause", step, KEY(KEY_S, "S") },
  { "step back", "go back by one time step", step_back, KEY(KEY_BACK, ",") },
  { "step forward", "go forward by one time step", step_forward, KEY(KEY_FORTH, "."), .joins = true },
  { "ten steps back", "go back by ten time steps", ten_back, SHIFT(KEY_BACK, ",") },
  { "ten steps forward", "go forward by ten time steps", ten_forward, SHIFT(KEY_FORTH, "."), .joins = true },
  { "play backwards", "play the stored time steps backwards (the last 1,000)", view_toggle_backwards, KEY(KEY_B, "B") },
  { "slower", "halve the speed, down to 1/64", slower, KEY(KEY_LOWER, "[") },
  { "faster", "double the speed, up to 64", faster, KEY(KEY_RAISE, "]"), .joins = true },
  { "keep pull", "while pulling: keep this pull after the button is released", keep_pull, KEY(KEY_K, "K") },
  { "release all", "release all pulls and hand-made pins", release_all, KEY(KEY_L, "L") },
  { "reset", "reset the simulation, and remove all pulls and hand-made pins", reset, KEY(KEY_R, "R") },
  { "undo", "undo a change of the scene, pins, pulls, settings or view", view_undo, CONTROL("Z") },
  { "redo", "redo the change that was undone last", view_redo, CONTROL_SHIFT("Z"), .joins = true },
  { "reset camera", "reset the camera", reset_camera, KEY(KEY_C, "C") },
  { "view all", "show the whole body", show_all, .key_text = "double click on background" },
  { "view front", "view from the front", NULL, KEY(KEY_1, "1") },
  { "view side", "view from the side", NULL, KEY(KEY_3, "3"), .joins = true },
  { "view top", "view from the top", NULL, KEY(KEY_7, "7"), .joins = true },
  { "view back", "view from behind", NULL, SHIFT(KEY_1, "1") },
  { "view other side", "view from the other side", NULL, SHIFT(KEY_3, "3"), .joins = true },
  { "view bottom", "view from below; a click on an axis also turns the view", NULL, SHIFT(KEY_7, "7"), .joins = true },
  { "orthographic view", "view without perspective", show_orthographic, KEY(KEY_5, "5") },
  { "rotate left", "rotate the view left", NULL, KEY(KEY_LEFT, "Left") },
  { "rotate right", "rotate the view right", NULL, KEY(KEY_RIGHT, "Right"), .joins = true },
  { "rotate up", "rotate the view up", NULL, KEY(KEY_UP, "Up"), .joins = true },
  { "rotate down", "rotate the view down", NULL, KEY(KEY_DOWN, "Down"), .joins = true },
  { "view 1", "show the stored view 1", recall_1, KEY(KEY_F5, "F5") },
  { "store view 1", "store the present view as view 1", store_1, SHIFT(KEY_F5, "F5"), .joins = true },
  { "view 2", "show the stored view 2", recall_2, KEY(KEY_F6, "F6") },
  { "store view 2", "store the present view as view 2", store_2, SHIFT(KEY_F6, "F6"), .joins = true },
  { "view 3", "show the stored view 3", recall_3, KEY(KEY_F7, "F7") },
  { "store view 3", "store the present view as view 3", store_3, SHIFT(KEY_F7, "F7"), .joins = true },
  { "view 4", "show the stored view 4", recall_4, KEY(KEY_F8, "F8") },
  { "store view 4", "store the present view as view 4", store_4, SHIFT(KEY_F8, "F8"), .joins = true },
  { "remove measured line", "remove the line of the tool measure", view_remove_measure, .key = 0 },
  { "next colours", "show the next field: von Mises stress, principal stress, det F, contact pressure, none",
    next_field, KEY(KEY_F, "F") },
  { "edges", "show triangle edges", show_edges, KEY(KEY_W, "W") },
  { "pins", "show pinned nodes", show_pins, KEY(KEY_P, "P"), .joins = true },
  { "section plane", "show a section", show_section, KEY(KEY_X, "X"), .joins = true },
  { "values", "show values under the pointer: node, tet, displacement, stress", show_values, KEY(KEY_I, "I") },
  { "x-ray", "draw the surface transparent: pins, obstacles and sections behind it are visible", show_xray, .key = 0 },
  { "fit range", "fix the colour range to the present smallest and largest value", view_fit_range, .key = 0 },
  { "restart range", "restart the colour range with the present values", view_restart_range, .key = 0 },
  { "record", "start or stop a recording", view_toggle_recording, KEY(KEY_V, "V") },
  { "record turntable", "record a film in which the camera turns once around the body", view_record_turntable,
    .key = 0 },
  { "turntable", "turn the camera around the body, or stop it", view_toggle_turntable, .key = 0 },
  { "new scene", "open a new scene: a floor with one box, paused", view_new_scene, .key = 0 },
  { "edit scene", "open the panel's tab Scene: add, change and delete bodies, obstacles, pins and forces", edit_scene,
    .key = 0 },
  { "duplicate entry", "in the panel's tab Scene: copy the selected entry", view_duplicate_entry, CONTROL("D") },
  { "delete entry", "delete the selected entry", view_delete_entry, KEY(KEY_DELETE, "Delete"), .joins = true },
  { "rename entry", "in the panel's tab Scene: type a name for the selected entry", view_rename_entry,
    KEY(KEY_F2, "F2") },
  { "next handles", "in the panel's tab Scene: move, turn or scale the selected entry by the mouse", view_next_handles,
    KEY(KEY_E, "E") },
  { "place on the floor", "in the panel's tab Scene: move the selected body or obstacle up or down onto the floor",
    view_place_on_floor, KEY(KEY_END, "End") },
  { "hide entry", "in the panel's tab Scene: hide the selected body or obstacle, or show it again", view_hide_selected,
    KEY(KEY_H, "H") },
  { "show hidden entries", "show all hidden bodies and obstacles again", view_show_hidden, SHIFT(KEY_H, "H"),
    .joins = true },
  { "start page", "open the start page: examples, recent files, new scene", view_open_start, KEY(KEY_HOME, "Home") },
  { "open", "open a scene or mesh", view_browse, CONTROL("O"), .joins = true },
  { "save", "save the scene with its present state", view_save, CONTROL("S"), .joins = true },
  { "picture", "save a picture", take_picture, KEY(KEY_F12, "F12"), .joins = true },
  { "larger text", "make text and panels larger, up to 2 times", view_larger_text, .key = '+', .key_text = "Ctrl+plus",
    .control = true },
  { "smaller text", "make text and panels smaller, down to 0.75 times", view_smaller_text, .key = '-',
    .key_text = "Ctrl+minus", .control = true, .joins = true },
  { "normal text", "normal text size", view_normal_text, CONTROL("0"), .joins = true },
  { "switch theme", "show texts and panels in dark colours or in light ones", view_switch_theme, .key = 0 },
  { "panel", "show or hide the panel: material, scene, solver, view, plots, files", show_panel, KEY(KEY_TAB, "Tab") },
  { "switch panel side", "show the panel at the left edge of the window, or at the right one", view_switch_side,
    .key = 0 },
  { "plots at the bottom", "show the plots in a separate panel at the bottom of the window, or in the tab Plots",
    view_toggle_dock, .key = 0 },
  { "messages", "show or hide the list of all messages", view_toggle_messages, CONTROL("M") },
  { "clear messages", "delete all messages", view_clear_messages, .key = 0 },
  { "show hints again", "show the hints for new users again", view_show_hints, .key = 0 },
  { "all keys", "show or hide the page of all keys", show_keys, KEY(KEY_F1, "F1") },
  { "all commands", "search all commands and settings by words", view_open_palette, CONTROL("P"), .joins = true },
  { "close", "close the open list, page or browser; otherwise choose the tool grab; otherwise close the panel, or quit",
    view_escape, KEY(KEY_ESCAPE, "Esc") },
  { "quit", "quit", view_leave, CONTROL("Q"), .joins = true },
  { 0 },
};

void view_act(View *view, const Action *action) {
  const WindowEvent key = { .kind = WINDOW_KEY, .code = action->key, .shift = action->shift };
  view_note(view, false);
  if (action->run)
    action->run(view);
  else
    camera_take_key(&view->camera, &key);
}

const Action *view_action_of(const WindowEvent *event) {
  const Action *found = NULL;
  // with Ctrl, a key is the letter that it types in the user's layout; without Ctrl, it is its position on the keyboard
  const int key = event->control ? event->letter : event->code;
  for (const Action *a = view_actions; a->name; a++) {
    if (!a->key || a->key != key || a->control != event->control) continue;
    if (a->shift == event->shift) return a;
    if (!a->shift) found = a;  // shift has no effect on a key that has no action with shift
  }
  return found;
}
