// What the files of the window share: see view.h.
#include "window/view.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/timer.h"

void view_post(View *view, const Command *command) {
  if (view->sim && !mailbox_send(&view->sim->commands, command)) log_notice("the simulation is too busy to listen");
}

void view_tell(View *view, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(view->told, sizeof view->told, format, arguments);
  va_end(arguments);
  trace_message(&view->trace, view->frame, view->told);
  view->told_until = timer_seconds() + 8;
}

Picture view_picture(const View *view) {
  const SimulationSettings *s = &view->note.settings;
  return (Picture){ .camera = &view->camera,
                    .style = &view->style,
                    .springs = view->note.springs,
                    .spring_count = view->note.spring_count,
                    .hover = view->recording ? NULL : &view->hover,
                    .floor = s->has_floor ? &s->floor_height : NULL };
}

void view_adjust(View *view, const SimulationSettings *settings, double speed) {
  view_post(view, &(Command){ .kind = COMMAND_ADJUST, .settings = *settings, .speed = speed });
}
