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

/// Returns true, and sets *value, if the text consists of one finite decimal number. Returns false for all other texts.
bool number_is(const char *text, double *value);

/// Writes a number with the fewest digits from which it can be read back exactly, but not fewer than `digits` digits.
/// Zeros at the end of a fraction are left out.
void number_print(double number, int digits, char text[32]);

/// Makes printf, strtod and libraries use a decimal point in this thread, in any locale, until the enclosing block
/// ends.
#define NUMBERS_WITH_POINT_HERE \
  __attribute__((cleanup(number_locale_restore))) const locale_t locale_before = number_locale_set()
locale_t number_locale_set(void);
void number_locale_restore(const locale_t *before);

#ifdef __cplusplus
}
#endif
