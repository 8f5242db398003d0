// Applies the events of the mouse on the page in the user's browser: see mouse.h.
#include "serve/mouse.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "live/camera_input.h"
#include "live/mouse_pull.h"

static const double SMALLEST_CUT = 6;  // pixels, shorter lines do not cut
enum { LEFT, MIDDLE, RIGHT };          // numbers of buttons in browsers

static void post(const Shown *shown, const Command *command) {
  if (!mailbox_send(&shown->sim->commands, command))
    log_notice("serve: the simulation is busy and ignores an input of the page");
}

static double grab_radius(const Shown *shown) {
  const double radius = shown->sim->live.session.scene.mouse_radius;
  return radius > 0 ? radius : shown->first_camera.radius / 10;
}

static void grab(Mouse *m, Shown *shown, const Pick *pick, bool pushes) {
  m->pick = *pick;
  const Command command = mouse_grab(&shown->form->mesh, &shown->camera, m->at, shown->size, grab_radius(shown),
                                     shown->sim->live.session.scene.mouse_stiffness, pushes, &m->pick);
  post(shown, &command);
  memcpy(m->target, m->pick.point, sizeof m->target);
  m->pushes = pushes;
  m->depth = 0;
  m->target_sent = true;
  m->mode = MOUSE_PULL;
}

static void pin(Shown *shown, const Pick *pick) {
  Command command = { .kind = COMMAND_PIN, .radius = grab_radius(shown) };
  mouse_point_at_rest(&shown->form->mesh, pick, command.X);
  post(shown, &command);
  shown->style.pins = true;
}

static bool press(Mouse *m, Shown *shown, const Message *message, Error *error) {
  Pick pick = { .triangle = -1 };
  const bool left = message->button == LEFT;
  if (m->mode != MOUSE_FREE) return true;
  m->button = message->button;
  if (left && message->control && !shown->status.settings.self_contact) {
    m->mode = MOUSE_CUT;
    memcpy(m->cut_from, m->at, sizeof m->cut_from);
    return true;
  }
  if (left && !shown_pick(shown, m->at, &pick, error)) return false;
  const bool on_body = pick.triangle >= 0;
  if (left && message->twice && !message->shift && !message->control) {
    if (!on_body) return shown_show_all(shown, error);
    memcpy(shown->camera.target, pick.point, sizeof shown->camera.target);
  } else if (on_body && message->shift) {
    pin(shown, &pick);
  } else if (on_body) {
    grab(m, shown, &pick, message->control);
  } else {
    m->mode = message->button == MIDDLE || message->shift ? MOUSE_PAN : MOUSE_ORBIT;
  }
  return true;
}

static void aim(Mouse *m, const Shown *shown) {
  double target[3];
  mouse_target(&shown->camera, m->at, shown->size, &m->pick, m->depth, target);
  if (memcmp(target, m->target, sizeof target) == 0) return;
  memcpy(m->target, target, sizeof target);
  m->target_sent = false;
}

static void move(Mouse *m, Shown *shown, const double at[2]) {
  const double dx = at[0] - m->at[0], dy = at[1] - m->at[1];
  memcpy(m->at, at, sizeof m->at);
  if (m->mode == MOUSE_ORBIT) camera_take_turn(&shown->camera, dx, dy, shown->size[1]);
  if (m->mode == MOUSE_PAN) camera_pan(&shown->camera, dx, dy, shown->size[1]);
  if (m->mode == MOUSE_PULL) aim(m, shown);
  m->moved = true;
  shown->hover.radius = 0;
  if (m->mode == MOUSE_FREE) shown->changed = true;
}

static void turn_wheel(Mouse *m, Shown *shown, double notches) {
  if (m->mode == MOUSE_PULL) {
    m->depth += 0.04 * shown->camera.radius * notches;
    aim(m, shown);
  } else {
    camera_zoom_at(&shown->camera, pow(0.9, notches), m->at, shown->size[0], shown->size[1]);
  }
}

bool mouse_apply(Mouse *m, Shown *shown, const Message *message, Error *error) {
  // moves `at` to the centre of its pixel, because picking computes the point of the surface there
  const double at[2] = { floor(message->at[0]) + 0.5, floor(message->at[1]) + 0.5 };
  move(m, shown, at);
  switch (message->kind) {
    case MESSAGE_PRESS:
      return press(m, shown, message, error);
    case MESSAGE_RELEASE:
      if (message->button == m->button) mouse_let_go(m, shown, COMMAND_RELEASE);
      return true;
    case MESSAGE_WHEEL:
      turn_wheel(m, shown, message->notches);
      return true;
    default:
      return true;
  }
}

bool mouse_hover(Mouse *m, Shown *shown, Error *error) {
  Pick pick;
  if (!m->moved || m->mode != MOUSE_FREE) return true;
  m->moved = false;
  if (!shown_pick(shown, m->at, &pick, error)) return false;
  if (pick.triangle < 0) return true;
  mouse_point_at_rest(&shown->form->mesh, &pick, shown->hover.X);
  shown->hover.radius = grab_radius(shown);
  shown->hover.body = mesh_body(&shown->form->mesh, pick.nodes[0]);
  return true;
}

void mouse_send(Mouse *m, Shown *shown) {
  Command command = { .kind = COMMAND_DRAG };
  if (m->mode != MOUSE_PULL || m->target_sent) return;
  for (int i = 0; i < 3; i++) command.offset[i] = m->target[i] - m->pick.point[i];
  m->target_sent = mailbox_send(&shown->sim->commands, &command);
  shown->changed = true;
}

void mouse_let_go(Mouse *m, Shown *shown, CommandKind how) {
  if (m->mode == MOUSE_PULL) {
    mouse_send(m, shown);
    post(shown, &(Command){ .kind = how });
  }
  if (m->mode == MOUSE_CUT && hypot(m->at[0] - m->cut_from[0], m->at[1] - m->cut_from[1]) >= SMALLEST_CUT) {
    const Command command = mouse_cut(&shown->camera, m->cut_from, m->at, shown->size);
    post(shown, &command);
  }
  m->mode = MOUSE_FREE;
}
