// Reads numbers from texts and prints them, with a decimal point in any locale (number.h).
#define _GNU_SOURCE
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain;

static void make_plain(void) {
  plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);  // cannot fail, since glibc returns a constant for "C"
}

double number_read(const char *text, char **after) {
  pthread_once(&once, make_plain);
  const char *first = text + (*text == '-' || *text == '+');
  if (!isdigit((unsigned char)first[first[0] == '.'])) {
    *after = (char *)text;
    return 0;
  }
  return strtod_l(text, after, plain);
}

bool number_is(const char *text, double *value) {
  char *after;
  const double number = number_read(text, &after);
  for (const char *c = text; *c; c++)
    if (*c == 'x' || *c == 'X') return false;
  if (after == text || *after || !isfinite(number)) return false;
  *value = number;
  return true;
}

void number_print(double number, int digits, char text[32]) {
  enum { EXACT = 17 };  // number of digits from which every double can be read back exactly
  NUMBERS_WITH_POINT_HERE;
  do snprintf(text, 32, "%.*g", digits, number);
  while (strtod(text, NULL) != number && digits++ < EXACT);
}

locale_t number_locale_set(void) {
  pthread_once(&once, make_plain);
  return uselocale(plain);
}

void number_locale_restore(const locale_t *before) {
  uselocale(*before);
}
