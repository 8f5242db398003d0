// Numbers in texts and files, with a decimal point in any locale of the process.
#pragma once
#include <locale.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a decimal number as strtod does in the locale "C", for example ".3", "5." and "+.3". `after` is set to the end
/// of the number, or to `text` if there is no number. Words such as "inf" are not numbers.
double number_read(const char *text, char **after);

/// Reads a text that consists of one finite number; returns false for any other text.
bool number_is(const char *text, double *value);

/// Until the enclosing block ends, printf, strtod and libraries use a decimal point in this thread, in any locale.
#define NUMBERS_WITH_POINT_HERE \
  __attribute__((cleanup(number_locale_restore))) const locale_t locale_before = number_locale_set()
locale_t number_locale_set(void);
void number_locale_restore(const locale_t *before);

#ifdef __cplusplus
}
#endif
