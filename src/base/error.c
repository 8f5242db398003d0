// Sets the sentence that describes an error, or puts a text before it (error.h).
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/printable.h"

bool error_set(Error *error, const char *format, ...) {
  if (error->message[0]) return false;
  NUMBERS_WITH_POINT_HERE;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  printable(error->message, sizeof error->message);
  return false;
}

bool error_prefix(Error *error, const char *format, ...) {
  NUMBERS_WITH_POINT_HERE;
  char rest[ERROR_LENGTH];
  memcpy(rest, error->message, sizeof rest);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  if (length < 0 || length > ERROR_LENGTH - 4) return false;

  // append the message that was stored before, cut off at the end of the array
  error->message[length] = ':';
  error->message[length + 1] = ' ';
  memcpy(error->message + length + 2, rest, (size_t)(ERROR_LENGTH - length - 2));
  error->message[ERROR_LENGTH - 1] = '\0';
  printable(error->message, sizeof error->message);
  return false;
}

bool error_about(Error *error, const char *name) {
  Error named = { 0 };
  error_set(&named, "%s", name);  // escapes unprintable characters as in error->message, to compare both
  return strncmp(error->message, named.message, strlen(named.message)) != 0 && error_prefix(error, "%s", name);
}
