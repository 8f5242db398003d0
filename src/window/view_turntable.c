// Turns the camera around the body: see view.h.
#include <math.h>

#include "base/timer.h"
#include "window/view.h"

static const double PERIOD = 12;  // s, duration of a whole turn in the window

void view_toggle_turntable(View *view) {
  view->turns = !view->turns;
  view->turned_at = timer_seconds();
  view_say(view, view->turns ? "the camera turns; turn it with the mouse, or use this command again, to stop it"
                             : "the camera stands still");
}

void view_turn(View *view) {
  const double now = timer_seconds(), span = fmin(now - view->turned_at, 0.2);
  if (!view->turns) return;
  if (view->mode == MOUSE_ORBIT) view->turns = false;
  view->turned_at = now;
  camera_orbit(&view->camera, 2 * M_PI * span / PERIOD, 0);
  view->changed = true;
}
