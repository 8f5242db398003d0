// Notices: see log.h.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "base/printable.h"

void log_notice(const char *format, ...) {
  NUMBERS_WITH_POINT_HERE;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  printable(line, sizeof line);
  fprintf(stderr, "pliant: %s\n", line);
}
