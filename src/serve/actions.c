// Runs the actions of the page's buttons and keys: see actions.h.
#include "serve/actions.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "live/camera_input.h"

static const double SLOWEST = 1.0 / 64, FASTEST = 64;  // limits of the speed, the ratio of simulated to real time

// An action of the page. Depending on its members, it ends the mouse's pull, moves the camera, calls a function, and
// sends a command, in this order.
typedef struct Action {
  const char *name;
  bool sends;        // sends a command of the kind `kind` to the simulation
  bool lets_go;      // first ends the pull by the mouse, and leaves no spring in place
  CommandKind kind;  // command to send, if `sends`
  // key that moves the camera in the desktop window (camera_take_key); 0: none
  int key;
  bool shift;                               // the key is pressed together with Shift
  void (*run)(Mouse *mouse, Shown *shown);  // a further function; NULL: none
} Action;

static void home(Mouse *mouse, Shown *shown) {
  (void)mouse;
  shown->camera = shown->first_camera;
}

static void keep(Mouse *mouse, Shown *shown) {
  if (mouse->mode == MOUSE_PULL) mouse_let_go(mouse, shown, COMMAND_KEEP);
}

static void next_field(Mouse *mouse, Shown *shown) {
  (void)mouse;
  Style *style = &shown->style;
  style->field = style->field >= FIELD_PRESSURE ? FIELD_NONE : (FieldKind)(style->field + 1);
  if (style->field == FIELD_PRESSURE && !shown->status.settings.self_contact) style->field = FIELD_NONE;
  style->low = style->high = 0;
}

static void edges(Mouse *mouse, Shown *shown) {
  (void)mouse;
  shown->style.wireframe = !shown->style.wireframe;
}

static void pins(Mouse *mouse, Shown *shown) {
  (void)mouse;
  shown->style.pins = !shown->style.pins;
}

static void section(Mouse *mouse, Shown *shown) {
  (void)mouse;
  shown->style.section = !shown->style.section;
  if (shown->style.section_at == 0) shown->style.section_at = 0.5;
}

static void set_speed(const Shown *shown, double factor) {
  const double speed = shown->status.speed > 0 ? shown->status.speed : 1;
  Command command = { .kind = COMMAND_ADJUST, .settings = shown->status.settings, .unchanged = UINT64_MAX };
  command.speed = fmin(fmax(speed * factor, SLOWEST), FASTEST);
  mailbox_send(&shown->sim->commands, &command);
}

static void slower(Mouse *mouse, Shown *shown) {
  (void)mouse;
  set_speed(shown, 0.5);
}

static void faster(Mouse *mouse, Shown *shown) {
  (void)mouse;
  set_speed(shown, 2);
}

void action_go(int64_t step, Mouse *mouse, Shown *shown) {
  const SimStatus *status = &shown->status;
  const int64_t to = step < status->first ? status->first : step > status->newest ? status->newest : step;
  mouse_let_go(mouse, shown, COMMAND_RELEASE);
  mailbox_send(&shown->sim->commands, &(Command){ .kind = COMMAND_GO, .to = to });
}

static void back(Mouse *mouse, Shown *shown) {
  action_go(shown->status.now - 1, mouse, shown);
}

static void forward(Mouse *mouse, Shown *shown) {
  action_go(shown->status.now + 1, mouse, shown);
}

static const Action actions[] = {
  { "pause", .sends = true, .kind = COMMAND_PAUSE },
  { "step", .sends = true, .kind = COMMAND_STEP },
  { "reset", .lets_go = true, .sends = true, .kind = COMMAND_RESET },
  { "release_all", .lets_go = true, .sends = true, .kind = COMMAND_RELEASE_ALL },
  { "undo", .sends = true, .kind = COMMAND_UNDO },
  { "redo", .sends = true, .kind = COMMAND_REDO },
  { "keep", .run = keep },
  { "back", .run = back },
  { "forward", .run = forward },
  { "slower", .run = slower },
  { "faster", .run = faster },
  { "camera_home", .run = home },
  { "field", .run = next_field },
  { "edges", .run = edges },
  { "pins", .run = pins },
  { "section", .run = section },
  { "view_front", .key = KEY_1 },
  { "view_back", .key = KEY_1, .shift = true },
  { "view_right", .key = KEY_3 },
  { "view_left", .key = KEY_3, .shift = true },
  { "view_top", .key = KEY_7 },
  { "view_bottom", .key = KEY_7, .shift = true },
  { "turn_left", .key = KEY_LEFT },
  { "turn_right", .key = KEY_RIGHT },
  { "turn_up", .key = KEY_UP },
  { "turn_down", .key = KEY_DOWN },
  { 0 },
};

static const Action *find(const char *name) {
  const Action *action = actions;
  while (action->name && strcmp(action->name, name) != 0) action++;
  return action->name ? action : NULL;
}

bool action_check(const char *name, Error *error) {
  return find(name) || error_set(error, "message: there is no action \"%s\"", name);
}

void action_do(const char *name, Mouse *mouse, Shown *shown) {
  const Action *action = find(name);
  if (!action) return;
  const WindowEvent key = { .kind = WINDOW_KEY, .code = action->key, .shift = action->shift };
  if (action->lets_go) mouse_let_go(mouse, shown, COMMAND_RELEASE);
  if (action->key) camera_take_key(&shown->camera, &key);
  if (action->run) action->run(mouse, shown);
  if (action->sends && !mailbox_send(&shown->sim->commands, &(Command){ .kind = action->kind }))
    log_notice("serve: the simulation is busy and ignores an input of the page");
}
