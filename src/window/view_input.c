// Mouse and keys: see view.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "live/camera_input.h"
#include "live/mouse_pull.h"
#include "window/view.h"

static const double DOUBLE_CLICK = 0.35;  // s, longest time between the two presses of a double click
static const double SMALLEST_MOVE = 6;    // pixels at content scale 1; nearer points count as one

const char *const view_keys =
    "On the body\n"
    "  left drag        pull with a spring at the patch under the pointer\n"
    "    wheel           pull nearer or push away\n"
    "    K               keep this pull after the button is released\n"
    "  shift + left     pin or unpin the patch\n"
    "  ctrl + left      without self_contact: draw a line across the body to cut it\n"
    "    or              with self_contact: push with a ball; the wheel moves it nearer or away\n"
    "  double click     rotate the view about this point from now on\n"
    "On the background\n"
    "  left drag        rotate the view; with shift: pan; double click: frame the whole body\n"
    "Anywhere\n"
    "  right drag       rotate the view\n"
    "  middle drag      pan the view\n"
    "  wheel            zoom at the pointer\n"
    "  drop a file      open a scene or mesh\n"
    "Keys\n"
    "  space            pause or play\n"
    "  S                take one step, then pause\n"
    "  , and .          one step back or forward; with shift: ten; B: play backwards (the last 1,000 steps)\n"
    "  [ and ]          halve or double the speed, down to 1/64\n"
    "  L                release all pulls and hand-made pins\n"
    "  R                reset the simulation, without pulls and hand-made pins\n"
    "  C                reset the camera\n"
    "  1, 3, 7          view from the front, the side or the top; with shift: from the opposite side; or click an "
    "axis\n"
    "  arrows           rotate the view\n"
    "  Ctrl+Z           undo a change of pins, pulls, settings or view; Ctrl+Shift+Z: redo\n"
    "  F                colours: von Mises stress, principal stress, det F, contact pressure, none\n"
    "  W, P, X          show triangle edges; pinned nodes; a section\n"
    "  I                show values under the pointer: node, tet, displacement, stress\n"
    "  V                start or stop a recording\n"
    "  Ctrl+O           open a scene or mesh; Ctrl+S: save the scene; F12: save a picture\n"
    "  Tab              show or hide the panel: material, solver, view, plots, files\n"
    "  F1               show or hide this page\n"
    "  Esc              close the open list, page, file browser or panel; otherwise quit, as Ctrl+Q";

static bool pick_at(View *view, const double pixel[2], Pick *pick, Error *error) {
  const Picture picture = view_picture(view);
  return picker_pick(&view->picker, &view->renderer, &view->form->surface, &picture, pixel, view->width, view->height,
                     pick, error);
}

// Grabs the picked patch or, if `pushes`, places a ball in front of the picked point.
static void grab(View *view, const Pick *pick, bool pushes) {
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

static void pin(View *view, const Pick *pick) {
  Command command = { .kind = COMMAND_PIN, .radius = view->radius };
  mouse_point_at_rest(&view->form->mesh, pick, command.X);
  view_change(view, &command);
  view->style.pins = view->history.style.pins = true;  // shows pins, without an entry for undo
  view->trace_event = "pin";
  view->pick = *pick;
}

// Moves the target of the grab to the mouse, at the depth that the wheel has set.
static void pull(View *view) {
  Command command = { .kind = COMMAND_DRAG };
  const int size[2] = { view->width, view->height };
  double target[3];
  mouse_target(&view->camera, view->cursor, size, &view->pick, view->depth, target);
  if (memcmp(target, view->target, sizeof target) == 0) return;
  for (int i = 0; i < 3; i++) command.offset[i] = target[i] - view->pick.point[i];
  command.frame = view->frame;
  if (!mailbox_send(&view->sim->commands, &command)) return;
  memcpy(view->target, target, sizeof target);
  if (!view->awaited_drag) view->awaited_drag = view->frame;
}

// Returns true if two pixels count as one point.
static bool is_same_point(const View *view, const double a[2], const double b[2]) {
  return hypot(a[0] - b[0], a[1] - b[1]) < SMALLEST_MOVE * window_scale(view->window);
}

// Cuts along the drawn line.
static void cut(View *view) {
  const int size[2] = { view->width, view->height };
  if (is_same_point(view, view->cursor, view->cut_from)) return;  // there is no line
  const Command command = mouse_cut(&view->camera, view->cut_from, view->cursor, size);
  view_post(view, &command);
}

// Returns true if a press is the second one of a double click: at the same point, less than DOUBLE_CLICK later, without
// shift and Ctrl. The time of a press is only known to be between event->after and event->before, which are far apart
// if pictures are slow. A double click counts if these bounds permit it.
static bool is_double(View *view, const WindowEvent *event) {
  const bool twice = !event->shift && !event->control && event->after - view->pressed_time < DOUBLE_CLICK &&
                     is_same_point(view, event->pixel, view->pressed_at);
  memcpy(view->pressed_at, event->pixel, sizeof view->pressed_at);
  view->pressed_time = twice || event->shift || event->control ? 0 : event->before;
  return twice;
}

// Moves the camera so that it shows the whole body as it is now.
static bool show_all(View *view, Error *error) {
  double low[3], high[3];
  if (!surface_renderer_bounds(&view->renderer, low, high, error)) return false;
  camera_show(&view->camera, low, high, (double)view->width / fmax(1, view->height));
  return true;
}

static bool press(View *view, const WindowEvent *event, Error *error) {
  if (view->mode != MOUSE_FREE || hud_wants_mouse() || !view->has_positions) return true;
  view->button = event->code;
  view_note(view, false);
  Pick pick = { .triangle = -1 };
  const bool left = event->code == BUTTON_LEFT;
  if (left && event->control && !view->status.settings.self_contact) {
    view->mode = MOUSE_CUT;
    memcpy(view->cut_from, event->pixel, sizeof view->cut_from);
    return true;
  }
  if (left && !pick_at(view, event->pixel, &pick, error)) return false;
  const bool on_body = pick.triangle >= 0;
  if (left && is_double(view, event)) {
    if (on_body)
      memcpy(view->camera.target, pick.point, sizeof view->camera.target);
    else if (!show_all(view, error))
      return false;
  } else if (on_body && event->shift) {
    pin(view, &pick);
  } else if (on_body) {
    grab(view, &pick, event->control);
  } else {
    view->mode = event->code == BUTTON_MIDDLE || event->shift ? MOUSE_PAN : MOUSE_ORBIT;
  }
  return true;
}

static void let_go(View *view, CommandKind how) {
  if (view->mode == MOUSE_PULL) {
    if (how == COMMAND_KEEP)
      view_change(view, &(Command){ .kind = how });
    else
      view_post(view, &(Command){ .kind = how });
    view->trace_event = "release";
  }
  view->mode = MOUSE_FREE;
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

// Quits. During a recording, the first call only shows a message.
static void leave(View *view) {
  const double now = timer_seconds();
  view->quit = !view->recording || now < view->quit_asked_until;
  if (view->quit) return;
  view_say(view, "recording: press Esc or Ctrl+Q again to stop it and quit, or V only to stop it");
  view->quit_asked_until = view->message_until;
}

// Handles Esc: cancels the line of a cut, or closes the topmost list, page or panel, or quits.
static void escape(View *view) {
  if (view->mode == MOUSE_CUT) {
    view->mode = MOUSE_FREE;
    return;
  }
  if (view->shows_panel && hud_close_list()) return;
  if (view->shows_keys)
    view->shows_keys = false;
  else if (view->shows_panel)
    view->shows_panel = false;
  else
    leave(view);
}

// Handles a key with Ctrl, by its letter on the user's keyboard.
static void control_key(View *view, const WindowEvent *event) {
  if (event->code == KEY_ESCAPE && view->mode == MOUSE_CUT) escape(view);  // Ctrl is held while a cut is drawn
  if (event->letter == 'O') view_browse(view);
  if (event->letter == 'S') view_save(view);
  if (event->letter == 'Q') leave(view);
  if (event->letter == 'Z') (event->shift ? view_redo : view_undo)(view);
}

// Returns the field after the shown one. Contact pressure follows only with self_contact.
static FieldKind next_field(const View *view) {
  const FieldKind next = view->style.field >= FIELD_PRESSURE ? FIELD_NONE : (FieldKind)(view->style.field + 1);
  return next == FIELD_PRESSURE && !view->status.settings.self_contact ? FIELD_NONE : next;
}

static void key(View *view, const WindowEvent *event) {
  const double speed = view->status.speed > 0 ? view->status.speed : 1;
  view_note(view, false);
  if (camera_take_key(&view->camera, event)) return;
  switch (event->code) {
    case KEY_LOWER:
      if (view->has_positions) view_adjust(view, &view->status.settings, fmax(speed / 2, 1.0 / 64), "");
      break;
    case KEY_RAISE:
      if (view->has_positions) view_adjust(view, &view->status.settings, fmin(speed * 2, 64), "");
      break;
    case KEY_C:
      view->camera = view->first_camera;
      break;
    case KEY_F:
      view->style.field = next_field(view);
      view->style.low = view->style.high = 0;
      break;
    case KEY_W:
      view->style.wireframe = !view->style.wireframe;
      break;
    case KEY_P:
      view->style.pins = !view->style.pins;
      break;
    case KEY_X:
      view->style.section = !view->style.section;
      if (view->style.section_at == 0) view->style.section_at = 0.5;
      break;
    case KEY_I:
      view->probes = !view->probes;
      break;
    case KEY_K:
      let_go(view, COMMAND_KEEP);
      break;
    case KEY_L:
      let_go(view, COMMAND_RELEASE);
      view_change(view, &(Command){ .kind = COMMAND_RELEASE_ALL });
      break;
    case KEY_V:
      view_toggle_recording(view);
      break;
    case KEY_TAB:
      view->shows_panel = !view->shows_panel;
      break;
    case KEY_F1:
      view->shows_keys = !view->shows_keys;
      break;
    case KEY_F12:
      view->picture_asked = true;
      break;
    case KEY_BACK:
    case KEY_FORTH:
      view->backwards = false;
      view_go_by(view, (event->code == KEY_BACK ? -1 : 1) * (event->shift ? 10 : 1));
      break;
    case KEY_B:
      view_toggle_backwards(view);
      break;
    case KEY_SPACE:
      view->backwards = false;
      view->back_since = 0;
      view_post(view, &(Command){ .kind = COMMAND_PAUSE });
      break;
    case KEY_S:
      view->back_since = 0;
      view_post(view, &(Command){ .kind = COMMAND_STEP });
      break;
    case KEY_R:
      let_go(view, COMMAND_RELEASE);
      view_change(view, &(Command){ .kind = COMMAND_RESET });
      break;
    case KEY_ESCAPE:
      escape(view);
      break;
    default:
      break;
  }
}

// Finds and highlights the patch that the mouse would grab. Runs only if the mouse has moved, because picking waits for
// the GPU.
static bool probe_under_mouse(View *view, Error *error) {
  Pick pick;
  // values under the mouse are found in each frame, since the body may move under a resting mouse
  const bool moved = memcmp(view->cursor, view->hovered_at, sizeof view->cursor) != 0;
  if (!view->probes && (view->mode == MOUSE_PULL || !moved)) return true;
  view->under.tet = -1;
  if (moved) view->hover.radius = 0;
  memcpy(view->hovered_at, view->cursor, sizeof view->cursor);
  if ((view->mode != MOUSE_FREE && !view->probes) || hud_wants_mouse()) return true;
  if (!pick_at(view, view->cursor, &pick, error)) return false;
  view->under = pick;
  if (pick.triangle < 0 || view->mode != MOUSE_FREE) return true;
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
  // the HUD gets the events first; hud_wants_mouse and hud_wants_keys then say which ones it has used
  if (count > 0) hud_begin(events, count);
  for (int k = 0; k < count; k++) {
    const WindowEvent *event = &events[k];
    if (event->kind == WINDOW_MOVE) move(view, event->pixel);
    memcpy(view->cursor, event->pixel, sizeof view->cursor);
    if (event->kind == WINDOW_PRESS && !press(view, event, error)) return false;
    if (event->kind == WINDOW_RELEASE && event->code == view->button) {
      if (view->mode == MOUSE_CUT) cut(view);
      let_go(view, COMMAND_RELEASE);
    }
    if (event->kind == WINDOW_SCROLL && !hud_wants_mouse()) scroll(view, event);
    if (event->kind == WINDOW_KEY && event->control && !hud_wants_keys())
      control_key(view, event);
    else if (event->kind == WINDOW_KEY && view->browses && !view->shows_keys && !hud_wants_keys())
      view_browser_key(view, event);
    else if (event->kind == WINDOW_KEY && !hud_wants_keys())
      key(view, event);
  }
  if (window_dropped(view->window, path, sizeof path)) view_open(view, path);
  if (view->mode == MOUSE_PULL) pull(view);
  if (window_closed(view->window)) {
    window_keep_open(view->window);
    leave(view);
  }
  return !view->has_positions || probe_under_mouse(view, error);
}
