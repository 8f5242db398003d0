// Sends commands, shows messages and compares pixels, for the other files of the window: see view.h.
#include "window/view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/timer.h"

// pixels at content scale 1 (see render/pixels.h): points that are closer to each other than this count as one
static const double SMALLEST_MOVE = 6;

bool view_post(View *view, const Command *command) {
  if (!view->sim) return false;
  const bool sent = mailbox_send(&view->sim->commands, command);
  if (!sent) log_notice("the simulation is busy and ignores this input; try again");
  return sent;
}

void view_say(View *view, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(view->message, sizeof view->message, format, arguments);
  va_end(arguments);
  trace_message(&view->trace, view->frame, view->message);
  view->message_until = timer_seconds() + 8;
}

bool view_edits(View *view) {
  const bool open = view->shows_panel && view->panel.edits;
  if (!open) view_say(view, "open the panel's tab Scene first, by the command \"edit scene\" (Ctrl+P)");
  return open;
}

Picture view_picture(const View *view) {
  const SimulationSettings *s = &view->status.settings;
  return (Picture){ .camera = &view->camera,
                    .style = &view->style,
                    .springs = view->status.springs,
                    .spring_count = view->status.spring_count,
                    .hover = view->recording ? NULL : &view->hover,
                    .floor = s->has_floor ? &s->floor_height : NULL,
                    .hidden = view->editor.hidden,
                    .hidden_obstacles = view->editor.hidden_obstacles };
}

bool view_is_same_point(const View *view, const double a[2], const double b[2]) {
  return hypot(a[0] - b[0], a[1] - b[1]) < SMALLEST_MOVE * window_scale(view->window);
}
