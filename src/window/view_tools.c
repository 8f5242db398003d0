// The tools of the window, and the table of all tools: see view_tools.h.
#include "window/view_tools.h"

#include <stdio.h>
#include <string.h>

#include "live/mouse_pull.h"

// ---- grab and push

// Grabs the body: springs then pull the patch of surface around the picked point to the mouse. If `pushes`, instead
// places a ball in front of this point. The ball pushes the body.
static void take_hold(View *view, const Pick *pick, bool pushes) {
  const int size[2] = { view->width, view->height };
  Pick picked = *pick;
  const Command command =
      mouse_grab(&view->form->mesh, &view->camera, view->cursor, size, view->radius, view->stiffness, pushes, &picked);
  view->pushes = pushes;
  view_post(view, &command);
  view->pick = picked;
  view->depth = 0;
  view->hover.radius = 0;
  memcpy(view->target, picked.point, sizeof view->target);
  view->mode = MOUSE_PULL;
  view->trace_event = "pick";
}

static void grab(View *view, const Pick *pick) {
  take_hold(view, pick, false);
}

static void push(View *view, const Pick *pick) {
  take_hold(view, pick, true);
}

// Moves the target of the pulling springs, or the pushing ball, to the mouse, at the depth that the wheel has set.
static void pull(View *view) {
  Command command = { .kind = COMMAND_DRAG };
  const int size[2] = { view->width, view->height };
  double target[3];
  if (view->mode != MOUSE_PULL) return;
  mouse_target(&view->camera, view->cursor, size, &view->pick, view->depth, target);
  if (memcmp(target, view->target, sizeof target) == 0) return;
  for (int i = 0; i < 3; i++) command.offset[i] = target[i] - view->pick.point[i];
  command.frame = view->frame;
  if (!mailbox_send(&view->sim->commands, &command)) return;
  memcpy(view->target, target, sizeof target);
  if (!view->awaited_drag) view->awaited_drag = view->frame;
}

static const char *push_obstacle(const View *view) {
  return view->status.settings.self_contact ? NULL : "the tool push needs a scene with \"self_contact\": true";
}

// ---- pin

static void pin(View *view, const Pick *pick) {
  Command command = { .kind = COMMAND_PIN, .radius = view->radius };
  mouse_point_at_rest(&view->form->mesh, pick, command.X);
  view_change(view, &command);
  view->style.pins = view->history.style.pins = true;  // shows pins; equal values get no separate entry for undo
  view->trace_event = "pin";
  view->pick = *pick;
}

// ---- cut

static void begin_cut(View *view, const Pick *pick) {
  (void)pick;
  view->mode = MOUSE_CUT;
  memcpy(view->cut_from, view->cursor, sizeof view->cut_from);
}

// Cuts the body along the line that the mouse has drawn.
static void end_cut(View *view) {
  const int size[2] = { view->width, view->height };
  if (view->mode != MOUSE_CUT) return;
  view->mode = MOUSE_FREE;
  if (view_is_same_point(view, view->cursor, view->cut_from)) return;  // there is no line
  const Command command = mouse_cut(&view->camera, view->cut_from, view->cursor, size);
  view_post(view, &command);
}

static const char *cut_obstacle(const View *view) {
  const SimStatus *now = &view->status;
  return now->settings.self_contact && !now->contact_yields ? "bodies cannot be cut in scenes with self_contact" : NULL;
}

// ---- the table

const Tool view_tools[] = {
  { .name = "grab",
    .label = "Grab",
    .help = "pull the body with a spring at the point under the mouse",
    .hint = "Drag the surface to pull it",
    .icon = "M5.4 10.6 L13 3 M8 3 L13 3 L13 8 O4 12 2",
    .key = KEY_G,
    .key_text = "G",
    .lights_patch = true,
    .cursor = CURSOR_HAND,
    .press = grab,
    .move = pull },
  { .name = "pin",
    .label = "Pin",
    .help = "pin the nodes near the mouse at their present positions, or release pinned ones",
    .hint = "Click the surface to pin it there, click pins to release them",
    .icon = "M5 2 L11 2 M6 2 L6 7 L4 9.5 L12 9.5 L10 7 L10 2 M8 9.5 L8 15",
    .key = KEY_N,
    .key_text = "N",
    .shortcut = "Shift + click",
    .with_shift = true,
    .lights_patch = true,
    .cursor = CURSOR_CROSSHAIR,
    .press = pin },
  { .name = "cut",
    .label = "Cut",
    .help = "cut the body along a line that the mouse draws across it",
    .hint = "Draw a line across the body to cut it",
    .icon = "O4 12.5 2 O12 12.5 2 M5 10.7 L11 1.5 M11 10.7 L5 1.5",
    .key = KEY_T,
    .key_text = "T",
    .shortcut = "Ctrl + left drag",
    .with_control = true,
    .cursor = CURSOR_CROSSHAIR,
    .anywhere = true,
    .obstacle = cut_obstacle,
    .press = begin_cut,
    .release = end_cut },
  { .name = "push",
    .label = "Push",
    .help = "push the body with a ball; the wheel moves the ball nearer or away",
    .hint = "Press on the surface and drag: a ball pushes the body",
    .icon = "O5.5 8 4 M13.5 2 L11 5.5 L11 10.5 L13.5 14",
    .key = KEY_U,
    .key_text = "U",
    .shortcut = "Ctrl + left drag",
    .with_control = true,
    .lights_patch = true,
    .cursor = CURSOR_HAND,
    .obstacle = push_obstacle,
    .press = push,
    .move = pull },
  { .name = "probe",
    .label = "Probe",
    .help = "place a probe on a node: the panel's tab Plots then shows the node's displacement",
    .hint = "Click the surface to plot the displacement of a node",
    .icon = "M2 2 L2 14 L14 14 M4 11 L7 5.5 L10 8.5 L13.5 3",
    .key = KEY_O,
    .key_text = "O",
    .cursor = CURSOR_CROSSHAIR,
    .press = view_add_probe },
  { .name = "patch",
    .label = "Patch",
    .help = "plot means over a patch of the surface, such as displacement and stress, and its contact force",
    .hint = "Click the surface to plot the displacement of a patch; Mouse radius in the tab Body sets its size",
    .icon = "O8 8 3 M2 2 L5 2 M2 2 L2 5 M14 2 L11 2 M14 2 L14 5 M2 14 L5 14 M2 14 L2 11 M14 14 L11 14 M14 14 L14 11",
    .key = KEY_A,
    .key_text = "A",
    .lights_patch = true,
    .cursor = CURSOR_CROSSHAIR,
    .press = view_add_patch },
  { .name = "pair",
    .label = "Pair",
    .help = "plot the contact force between two bodies, or between a body and an obstacle or the floor",
    .hint = "Click two bodies, or a body and an obstacle or the floor, to plot their contact force",
    .icon = "O5 5 3 O11 11 3 M3 13 L7 13 M3 13 L3 9",
    .key = KEY_J,
    .key_text = "J",
    .cursor = CURSOR_CROSSHAIR,
    .anywhere = true,
    .press = view_add_pair },
  { .name = "measure",
    .label = "Measure",
    .help = "measure the distance between two points of the surface, while the body moves",
    .hint = "Click two points of the surface to measure their distance",
    .icon = "M2 4 L2 12 M14 4 L14 12 M2 8 L14 8 M5 5.5 L2 8 L5 10.5 M11 5.5 L14 8 L11 10.5",
    .key = KEY_M,
    .key_text = "M",
    .cursor = CURSOR_CROSSHAIR,
    .press = view_measure },
  { 0 },
};

static const char *obstacle_of(const View *view, const Tool *tool) {
  return tool->obstacle ? tool->obstacle(view) : NULL;
}

void view_choose_tool(View *view, const Tool *tool) {
  const char *why = view->has_positions ? obstacle_of(view, tool) : NULL;
  if (why)
    view_warn(view, "%s", why);
  else
    view->tool = tool;
  view->has_first = false;
}

const Tool *view_tool_of_key(const WindowEvent *event) {
  if (event->control || event->shift) return NULL;
  for (const Tool *t = view_tools; t->name; t++)
    if (t->key == event->code) return t;
  return NULL;
}

const Tool *view_tool_of_press(const View *view, bool shift, bool control) {
  for (const Tool *t = view_tools; t->name; t++) {
    const bool held = (control && t->with_control) || (shift && t->with_shift);
    if (held && !obstacle_of(view, t)) return t;
  }
  return view->tool;
}

void view_press_tool(View *view, const Tool *tool, const Pick *pick) {
  const char *why = obstacle_of(view, tool);  // another scene may have been opened since the tool was chosen
  view->held = why ? NULL : tool;
  if (why)
    view_warn(view, "%s", why);
  else
    tool->press(view, pick);
}

void view_move_tool(View *view) {
  if (view->held && view->held->move) view->held->move(view);
}

void view_release_tool(View *view) {
  if (view->held && view->held->release) view->held->release(view);
  view->held = NULL;
}

void view_show_cursor(View *view) {
  const bool ours = !hud_wants_mouse();
  const bool usable = view->tool->anywhere || view->under.triangle >= 0 || view->held;
  const int wanted = !ours ? -1 : usable && view->has_positions ? (int)view->tool->cursor : CURSOR_ARROW;
  hud_choose_cursor(!ours);
  if (wanted == view->shown_cursor) return;
  view->shown_cursor = wanted;
  if (ours) window_set_cursor(view->window, (WindowCursor)wanted);
}
