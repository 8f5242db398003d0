// Notices: see log.h.
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int quiet_now;

void log_quiet(int quiet) {
  atomic_store(&quiet_now, quiet);
}

void log_notice(const char *format, ...) {
  if (atomic_load(&quiet_now)) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "pliant: %s\n", line);
}
