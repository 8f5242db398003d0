// Finds, checks, copies and prints options, which are rows of tables (option.h).
#include "base/option.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/meant.h"
#include "base/number.h"

const Option *option_find(const Option *table, const char *key) {
  for (const Option *o = table; o->key; o++)
    if (strcmp(o->key, key) == 0) return o;
  return NULL;
}

const char *option_meant(const Option *table, const char *unknown, char text[96]) {
  Meant meant = meant_by(unknown);
  for (const Option *o = table; o->key; o++) meant_offer(&meant, o->key);
  return meant_text(&meant, text);
}

void option_flag(const Option *option, char flag[64]) {
  snprintf(flag, 64, "--%s", option->key);
  for (char *c = flag; *c; c++)
    if (*c == '_') *c = '-';
}

const char *option_number(double number, char text[32]) {
  NUMBERS_WITH_POINT_HERE;
  const bool whole = fabs(number) < 1e10 && number == floor(number);
  snprintf(text, 32, whole ? "%.0f" : "%.6g", number);
  return text;
}

const char *option_range(const Option *o, char words[96]) {
  char low[32], high[32];
  option_number(o->low, low);
  option_number(o->high, high);
  if (o->low == -HUGE_VAL && o->high == HUGE_VAL)
    snprintf(words, 96, "any number");
  else if (o->high == HUGE_VAL)
    snprintf(words, 96, o->open ? "more than %s" : "%s or more", low);
  else
    snprintf(words, 96, o->open ? "more than %s and less than %s" : "%s to %s", low, high);
  return words;
}

static bool in_range(const Option *o, double number) {
  return isfinite(number) && (o->open ? number > o->low && number < o->high : number >= o->low && number <= o->high);
}

bool option_check_number(const Option *o, double number, const char *name, Error *error) {
  char words[96], text[32];
  if (!in_range(o, number))
    return error_set(error, "%s: is %s, expected %s%s%s", name, option_number(number, text), option_range(o, words),
                     o->unit ? " " : "", o->unit ? o->unit : "");
  if (o->type == OPTION_INTEGER && (number != floor(number) || fabs(number) > INT_MAX))
    return error_set(error, "%s: is %s, expected a whole number", name, option_number(number, text));
  return true;
}

bool option_check(const Option *o, const void *target, Error *error) {
  const OptionValue value = option_value(o, target);
  const double *v = value.number;
  char words[96], text[32];
  switch (o->type) {
    case OPTION_NUMBER:
    case OPTION_INTEGER:
    case OPTION_OPTIONAL:
      return !value.present || in_range(o, v[0]) ||
             error_set(error, "%s is %s%s%s, expected %s", o->key, option_number(v[0], text), o->unit ? " " : "",
                       o->unit ? o->unit : "", option_range(o, words));
    case OPTION_VECTOR:
      return isfinite(v[0] + v[1] + v[2]) ||
             error_set(error, "%s is %g, %g, %g, expected finite numbers", o->key, v[0], v[1], v[2]);
    case OPTION_CHOICE:
      choice_text(o->choices, (int)v[0], words, sizeof words);
      return words[0] || error_set(error, "%s is choice number %d, but the choices, counted from 0, are only %s",
                                   o->key, (int)v[0], o->choices);
    case OPTION_TEXT:
    case OPTION_SIZE:
    case OPTION_FLAG:
    case OPTION_CUSTOM:
      break;
  }
  return true;
}

// Returns true for an option whose number may be absent, if a separate bool shows this. This bool is at offset
// o->present, and is true if there is a number.
static bool has_bool(const Option *o) {
  return o->type == OPTION_OPTIONAL && !o->zero_is_absent;
}

static void copy(const Option *o, void *to, const void *from) {
  memcpy((char *)to + o->offset, (const char *)from + o->offset, o->size);
  if (has_bool(o)) *((bool *)to + o->present) = *((const bool *)from + o->present);
}

void options_copy(const Option *table, OptionApplies applies, void *to, const void *from) {
  for (const Option *o = table; o->key; o++)
    if (o->applies == applies) copy(o, to, from);
}

void options_copy_rows(const Option *table, uint64_t rows, void *to, const void *from) {
  for (const Option *o = table; o->key; o++)
    if (rows >> (o - table) & 1) copy(o, to, from);
}

static bool alike(const Option *o, const void *a, const void *b) {
  const char *left = (const char *)a + o->offset, *right = (const char *)b + o->offset;
  if (o->type == OPTION_TEXT) return strcmp(left, right) == 0;
  if (has_bool(o) && *((const bool *)a + o->present) != *((const bool *)b + o->present)) return false;
  return memcmp(left, right, o->size) == 0;
}

uint64_t options_alike(const Option *table, const void *a, const void *b) {
  uint64_t rows = 0;
  for (const Option *o = table; o->key; o++) rows |= (uint64_t)alike(o, a, b) << (o - table);
  return rows;
}

OptionValue option_value(const Option *o, const void *target) {
  OptionValue v = { .present = true };
  const void *field = (const char *)target + o->offset;
  switch (o->type) {
    case OPTION_OPTIONAL:
      v.number[0] = *(const double *)field;
      v.present = has_bool(o) ? *((const bool *)target + o->present) : v.number[0] != 0;
      break;
    case OPTION_NUMBER:
      v.number[0] = *(const double *)field;
      break;
    case OPTION_INTEGER:
    case OPTION_CHOICE:
      v.number[0] = *(const int *)field;
      break;
    case OPTION_FLAG:
      v.number[0] = *(const bool *)field;
      break;
    case OPTION_VECTOR:
      memcpy(v.number, field, sizeof v.number);
      break;
    case OPTION_SIZE:
      for (int k = 0; k < 2; k++) v.number[k] = ((const int *)field)[k];
      break;
    case OPTION_TEXT:
    case OPTION_CUSTOM:
      break;
  }
  return v;
}

void option_put(const Option *o, void *target, const OptionValue *v) {
  void *field = (char *)target + o->offset;
  switch (o->type) {
    case OPTION_OPTIONAL:
      if (has_bool(o)) *((bool *)target + o->present) = v->present;
      *(double *)field = has_bool(o) || v->present ? v->number[0] : 0;
      break;
    case OPTION_NUMBER:
      *(double *)field = v->number[0];
      break;
    case OPTION_INTEGER:
    case OPTION_CHOICE:
      *(int *)field = (int)v->number[0];
      break;
    case OPTION_FLAG:
      *(bool *)field = v->number[0] != 0;
      break;
    case OPTION_VECTOR:
      memcpy(field, v->number, sizeof v->number);
      break;
    case OPTION_SIZE:
      for (int k = 0; k < 2; k++) ((int *)field)[k] = (int)v->number[k];
      break;
    case OPTION_TEXT:
    case OPTION_CUSTOM:
      break;
  }
}

int choice_index(const char *choices, const char *text) {
  const size_t length = strlen(text);
  int index = 0;
  for (const char *c = choices;; index++) {
    const size_t word = strcspn(c, "|");
    if (word == length && strncmp(c, text, word) == 0) return index;
    if (c[word] == '\0') return -1;
    c += word + 1;
  }
}

void choice_text(const char *choices, int index, char *text, size_t size) {
  const char *c = choices;
  for (; index > 0 && c[strcspn(c, "|")]; index--) c += strcspn(c, "|") + 1;
  snprintf(text, size, "%.*s", index == 0 ? (int)strcspn(c, "|") : 0, c);
}
