// Numbers in texts and files, with a decimal point in any locale.
#pragma once
#include <locale.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a decimal number, such as ".3", "5." and "+.3", as strtod does in the locale "C". *after becomes the end of
/// the number, or `text` if there is none. Words such as "inf" are not numbers.
double number_read(const char *text, char **after);

/// Returns true and the value for a text that consists of one finite number; returns false for all other texts.
bool number_is(const char *text, double *value);

/// Writes a number with the fewest digits from which it can be read back exactly, but with at least `digits` digits.
/// Then removes zeros at the end of a fraction.
void number_print(double number, int digits, char text[32]);

/// Until the enclosing block ends, printf, strtod and libraries use a decimal point in this thread.
#define NUMBERS_WITH_POINT_HERE \
  __attribute__((cleanup(number_locale_restore))) const locale_t locale_before = number_locale_set()
locale_t number_locale_set(void);
void number_locale_restore(const locale_t *before);

#ifdef __cplusplus
}
#endif
