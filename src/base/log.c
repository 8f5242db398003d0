// Writes notices to the user, one line each (log.h).
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/number.h"
#include "base/printable.h"

static atomic_bool has_details;
static LogReceiver send_to;
static void *send_context;
static _Thread_local LogRoute route_here;

void log_send_to(LogReceiver receiver, void *context) {
  send_to = receiver;
  send_context = context;
}

LogRoute log_route_here(LogRoute route) {
  const LogRoute former = route_here;
  route_here = route;
  return former;
}

void log_set_details(bool details) {
  atomic_store_explicit(&has_details, details, memory_order_relaxed);
}

bool log_details(void) {
  return atomic_load_explicit(&has_details, memory_order_relaxed);
}

void log_notice(const char *format, ...) {
  NUMBERS_WITH_POINT_HERE;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  printable(line, sizeof line);
  if (route_here.receiver)
    route_here.receiver(line, route_here.context);
  else if (send_to)
    send_to(line, send_context);
  else
    fprintf(stderr, "pliant: %s\n", line);
}
