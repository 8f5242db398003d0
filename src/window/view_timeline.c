// Moves the simulation to earlier or later stored steps (the timeline): see view.h.
#include <math.h>

#include "base/timer.h"
#include "window/view.h"

static const double MOMENT = 1;  // s; a move within this time after another one counts from the other one's target

void view_go(View *view, int64_t position) {
  const SimStatus *n = &view->status;
  if (!view->has_positions || view->mode != MOUSE_FREE || view->sim->replay.file) return;
  if (position < n->first) position = n->first;
  if (position > n->newest) position = n->newest;
  view->back_to = position;
  view->back_since = timer_seconds();
  view_post(view, &(Command){ .kind = COMMAND_GO, .to = position });
}

void view_go_by(View *view, int64_t steps) {
  const bool sent = view->status.paused && timer_seconds() - view->back_since < MOMENT;
  view_go(view, (sent ? view->back_to : view->status.now) + steps);
}

void view_toggle_backwards(View *view) {
  view->backwards = !view->backwards && view->has_positions && !view->sim->replay.file;
  view->back_since = timer_seconds();
  view->back_to = view->status.now;
}

void view_go_back(View *view) {
  const SimStatus *n = &view->status;
  const double now = timer_seconds(), speed = n->speed > 0 ? n->speed : 1;
  const int64_t steps = (int64_t)fmin((now - view->back_since) * speed / n->settings.dt, TIMELINE_STEPS);
  if (!view->backwards) return;
  // waits until the simulation has reached the position that the last call requested, since it may have to repeat steps
  if (n->now != view->back_to && n->now > n->first) return;
  if (n->now <= n->first || view->mode != MOUSE_FREE) {
    view->backwards = false;
  } else if (steps > 0) {
    view_go(view, n->now - steps);
  }
}
