// Turns the camera around the body: see view.h.
#include <math.h>

#include "base/timer.h"
#include "window/view.h"

static const double PERIOD = 12;  // s, duration of a whole turn in the window
// s, longest time between two frames that counts. After a pause, for example while a scene is opened, the camera
// continues from its last direction and does not jump.
static const double LONGEST_FRAME = 0.2;

void view_toggle_turntable(View *view) {
  view->turns = !view->turns;
  view->turned_at = timer_seconds();
  view_say(view, view->turns ? "the camera turns; turn it with the mouse, or use this command again, to stop it"
                             : "the camera stands still");
}

void view_turn(View *view) {
  if (!view->turns) return;
  if (view->mode == MOUSE_ORBIT) view->turns = false;  // the user turns the camera with the mouse
  const double now = timer_seconds();
  const double span = fmin(now - view->turned_at, LONGEST_FRAME);
  view->turned_at = now;
  camera_orbit(&view->camera, 2 * M_PI * span / PERIOD, 0);
  view->changed = true;
}
