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

static void add_message(View *view, HudMessageKind kind, const char *format, va_list arguments) {
  char text[HUD_MESSAGE_TEXT];
  vsnprintf(text, sizeof text, format, arguments);
  trace_message(&view->trace, view->frame, text);
  message_list_add(&view->messages, kind, text, timer_seconds());
  view->changed = true;
}

void view_say(View *view, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_message(view, HUD_INFORMATION, format, arguments);
  va_end(arguments);
}

void view_warn(View *view, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_message(view, HUD_WARNING, format, arguments);
  va_end(arguments);
}

void view_fail(View *view, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_message(view, HUD_ERROR, format, arguments);
  va_end(arguments);
}

void view_refuse(View *view, const char *key, const char *reason) {
  hud_refuse(&view->panel.refusals, key, reason);
  view_fail(view, "%.390s", reason);
}

void view_toggle_messages(View *view) {
  view->shows_messages = !view->shows_messages;
}

void view_clear_messages(View *view) {
  view->messages.count = 0;
}

void view_fill_messages(View *view) {
  const MessageList *m = &view->messages;
  view->message_list.message = m->message;
  view->message_list.count = m->count;
  view->message_list.moved = m->added != view->listed;
  view->listed = m->added;
}

void view_apply_messages(View *view) {
  if (view->message_list.clear) view_clear_messages(view);
  if (view->message_list.close) view->shows_messages = false;
}

bool view_edits(View *view) {
  const bool open = view->shows_panel && view->panel.edits;
  if (!open) view_warn(view, "open the panel's tab Scene first, by the command \"edit scene\" (Ctrl+P)");
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
                    .hidden_obstacles = view->editor.hidden_obstacles,
                    .lit_obstacles = view->editor.lit_obstacles };
}

bool view_is_same_point(const View *view, const double a[2], const double b[2]) {
  return hypot(a[0] - b[0], a[1] - b[1]) < SMALLEST_MOVE * window_scale(view->window);
}
