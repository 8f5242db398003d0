// Reads and writes options in JSON, on the command line and in --help: see options.h.
#include "scene/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "scene/json_file.h"

static bool set_number(const Option *o, void *target, const cJSON *value, const char *name, Error *error) {
  char words[96];
  const bool absent =
      o->type == OPTION_OPTIONAL &&
      (o->absent ? cJSON_IsString(value) && strcmp(value->valuestring, o->absent) == 0 : cJSON_IsNull(value));
  const OptionValue number = { .number = { absent ? option_value(o, target).number[0] : value->valuedouble },
                               .present = !absent };
  if (!absent && !cJSON_IsNumber(value))
    return o->absent ? error_set(error, "%s: is %s, expected a number (%s) or \"%s\"", name, json_kind(value),
                                 option_range(o, words), o->absent)
           : o->type == OPTION_OPTIONAL
               ? error_set(error, "%s: is %s, expected a number or null (%s)", name, json_kind(value), o->help)
               : error_set(error, "%s: is %s, expected a number (%s)", name, json_kind(value), option_range(o, words));
  if (!absent && !option_check_number(o, number.number[0], name, error)) return false;
  option_put(o, target, &number);
  return true;
}

// Returns the end of a message about an option whose text is too long: the advice what to do; "" if there is none.
static const char *shorter(const Option *o) {
  static const char *const key_names[][2] = {
    { "FILE", "; move the file to a shorter path" },
    { "DIR", "; use a shorter path" },
    { "FORMULA", "; use --field FILE with values at nodes, and \"field\" in the formula" },
  };
  for (size_t k = 0; o->unit && k < sizeof key_names / sizeof *key_names; k++)
    if (strcmp(o->unit, key_names[k][0]) == 0) return key_names[k][1];
  return "";
}

// Returns true if `text` is one of the option's choices, or the choice o->counted with a number, such as "cuda:1".
static bool is_choice(const Option *o, const char *text) {
  const size_t length = o->counted ? strlen(o->counted) : 0;
  if (choice_index(o->choices, text) >= 0) return true;
  if (!o->counted || strncmp(text, o->counted, length) != 0 || text[length] != ':') return false;
  const char *number = text + length + 1;
  const size_t digits = strspn(number, "0123456789");
  return (digits == 1 || (digits == 2 && number[0] != '0')) && number[digits] == '\0';
}

static bool set_json(const Option *o, void *target, const cJSON *value, const char *name, Error *error) {
  void *field = (char *)target + o->offset;
  switch (o->type) {
    case OPTION_NUMBER:
    case OPTION_INTEGER:
    case OPTION_OPTIONAL:
      return set_number(o, target, value, name, error);
    case OPTION_VECTOR:
      return json_vector(value, field, name, error);
    case OPTION_CUSTOM:
      return o->parse(target, value, name, error);
    case OPTION_FLAG:
      if (!cJSON_IsBool(value)) return error_set(error, "%s: is %s, expected true or false", name, json_kind(value));
      *(bool *)field = cJSON_IsTrue(value);
      return true;
    case OPTION_CHOICE:
    case OPTION_TEXT:
    case OPTION_SIZE:
      break;
  }

  if (!cJSON_IsString(value)) return error_set(error, "%s: is %s, expected a string in quotes", name, json_kind(value));
  const char *text = value->valuestring;
  if (o->type == OPTION_SIZE) {
    int width, height, end = 0;
    char low[32], high[32];
    if (sscanf(text, "%dx%d%n", &width, &height, &end) != 2 || text[end] || width < o->low || height < o->low ||
        width > o->high || height > o->high)
      return error_set(error, "%s: is \"%s\", expected WIDTHxHEIGHT, each %s to %s", name, text,
                       option_number(o->low, low), option_number(o->high, high));
    ((int *)field)[0] = width;
    ((int *)field)[1] = height;
    return true;
  }

  if (o->choices && !is_choice(o, text))
    return o->counted ? error_set(error, "%s: is \"%s\", expected one of %s or %s:N with N from 0 to 99", name, text,
                                  o->choices, o->counted)
                      : error_set(error, "%s: is \"%s\", expected one of %s", name, text, o->choices);
  if (o->type == OPTION_CHOICE) {
    *(int *)field = choice_index(o->choices, text);
    return true;
  }
  if (strlen(text) >= o->size)
    return error_set(error, "%s: is longer than %zu characters%s", name, o->size - 1, shorter(o));
  if (!text[0]) return error_set(error, "%s: is empty", name);
  memcpy(field, text, strlen(text) + 1);
  return true;
}

bool option_set_json(const Option *o, void *target, const cJSON *value, const char *name, Error *error) {
  if (!set_json(o, target, value, name, error)) return false;
  if (o->noted) o->noted(target);
  return true;
}

cJSON *option_json(const Option *o, const void *target) {
  const void *field = (const char *)target + o->offset;
  char text[64];
  switch (o->type) {
    case OPTION_NUMBER:
      return json_exact(*(const double *)field);
    case OPTION_OPTIONAL:
      return option_value(o, target).present ? json_exact(*(const double *)field)
             : o->absent                     ? cJSON_CreateString(o->absent)
                                             : cJSON_CreateNull();
    case OPTION_INTEGER:
      return cJSON_CreateNumber(*(const int *)field);
    case OPTION_TEXT:
      return cJSON_CreateString(field);
    case OPTION_VECTOR:
      return json_exact_vector(field, 3);
    case OPTION_FLAG:
      return cJSON_CreateBool(*(const bool *)field);
    case OPTION_SIZE:
      snprintf(text, sizeof text, "%dx%d", ((const int *)field)[0], ((const int *)field)[1]);
      return cJSON_CreateString(text);
    case OPTION_CHOICE:
      choice_text(o->choices, *(const int *)field, text, sizeof text);
      return cJSON_CreateString(text);
    case OPTION_CUSTOM:
      return o->print ? o->print(target) : NULL;
  }
  return NULL;
}

// Reads numbers separated by commas, such as "1, .5, 2", as a JSON list. Returns NULL if the text has another form.
static cJSON *vector_of(const char *text) {
  cJSON *list = cJSON_CreateArray();
  for (;;) {
    char *after;
    while (isspace((unsigned char)*text)) text++;
    const double number = number_read(text, &after);
    if (after == text || !isfinite(number) || memchr(text, 'x', (size_t)(after - text))) break;
    if (list) json_append(list, cJSON_CreateNumber(number));
    for (text = after; isspace((unsigned char)*text); text++) continue;
    if (!*text) return list;
    if (*text++ != ',') break;
  }
  cJSON_Delete(list);
  return NULL;
}

bool option_set_text(const Option *o, void *target, const char *text, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  char flag[64];
  double number;
  option_flag(o, flag);
  cJSON *value = NULL;
  if (o->type == OPTION_TEXT || o->type == OPTION_CHOICE || o->type == OPTION_SIZE ||
      (o->absent && strcmp(text, o->absent) == 0)) {
    value = cJSON_CreateString(text);
    if (!value) return error_set(error, "%s: out of memory", flag);
  } else if (o->type == OPTION_VECTOR && text[0] != '[') {
    value = vector_of(text);
  } else if (number_is(text, &number)) {
    value = cJSON_CreateNumber(number);
  } else if (o->type == OPTION_CUSTOM) {
    value = vector_of(text);  // a list of numbers without brackets, such as 0,2e4 for --color-range
    if (!value && !(value = json_parse(text, strlen(text), flag, error))) return false;
  } else {
    value = cJSON_ParseWithOpts(text, NULL, true);
  }
  if (!value && !json_is_whole(error)) return error_prefix(error, "%s", flag);
  if (!value)
    return error_set(error, "%s: cannot read \"%s\" as %s%s%s", flag, text,
                     o->type == OPTION_VECTOR ? "three numbers" : "a number", o->absent ? " or " : "",
                     o->absent ? o->absent : "");
  const bool ok = option_set_json(o, target, value, flag, error);
  cJSON_Delete(value);
  return ok;
}

static bool unknown_key(const Option *table, const char *key, const char *file, Error *error) {
  char known[ERROR_LENGTH] = "", text[96];
  for (const Option *o = table; o->key; o++) {
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", o->key);
  }
  return error_set(error, "%s: unknown key \"%.60s\"%s; there are: %s", file, key, option_meant(table, key, text),
                   known);
}

bool options_set_object(const Option *table, void *target, const cJSON *object, const char *file, Error *error) {
  if (!cJSON_IsObject(object)) return error_set(error, "%s: expected an object { \"key\": value, ... }", file);
  for (const cJSON *item = object->child; item; item = item->next) {
    char name[1200];
    const Option *option = option_find(table, item->string);
    if (!option) return unknown_key(table, item->string, file, error);
    snprintf(name, sizeof name, "%s: key \"%s\"", file, item->string);
    if (!option_set_json(option, target, item, name, error)) return false;
  }
  return true;
}

// Writes default and range of an option for --help, such as " [1; more than 0]"; "" if it has neither.
static void bounds_text(const Option *o, const void *defaults, char text[256]) {
  const void *field = (const char *)defaults + o->offset;
  const bool number = o->type == OPTION_NUMBER || o->type == OPTION_INTEGER || o->type == OPTION_OPTIONAL;
  const bool bounded = number && (o->low > -HUGE_VAL || o->high < HUGE_VAL);
  char value[128] = "", range[96] = "";
  if (o->type == OPTION_NUMBER || (o->absent && option_value(o, defaults).present))
    option_number(*(const double *)field, value);
  if (o->type == OPTION_INTEGER) snprintf(value, sizeof value, "%d", *(const int *)field);
  if (o->type == OPTION_SIZE && *(const int *)field > 0)
    snprintf(value, sizeof value, "%dx%d", ((const int *)field)[0], ((const int *)field)[1]);
  if (o->type == OPTION_TEXT) snprintf(value, sizeof value, "%.100s", (const char *)field);
  if (o->type == OPTION_CHOICE) choice_text(o->choices, *(const int *)field, value, sizeof value);
  if (bounded) option_range(o, range);
  snprintf(text, 256, value[0] || range[0] ? " [%s%s%s]" : "%s%s%s", value, value[0] && range[0] ? "; " : "", range);
}

// Writes the placeholder of an option's value: "auto|cpu|cuda", "FILE", "N|auto"; "" for a flag.
static void value_text(const Option *o, char text[128]) {
  snprintf(text, 128, "%s%s%s",
           o->choices               ? o->choices
           : o->unit                ? o->unit
           : o->type == OPTION_FLAG ? ""
                                    : "N",
           o->absent ? "|" : "", o->absent ? o->absent : "");
}

void option_print_row(const Option *o, const void *defaults) {
  char flag[64], value[128], bounds[256];
  option_flag(o, flag);
  value_text(o, value);
  bounds_text(o, defaults, bounds);
  printf("option\t%s\t%s\t%s\t%s%s\n", flag, value, o->choices ? "choices" : "", o->help, bounds);
}

void option_print(const Option *o, const void *defaults) {
  char flag[64], value[128], left[200], bounds[256];
  option_flag(o, flag);
  value_text(o, value);
  snprintf(left, sizeof left, "%s %s", flag, value);
  bounds_text(o, defaults, bounds);
  if (strlen(left) > 30)
    printf("  %s\n  %-30s %s%s\n", left, "", o->help, bounds);
  else
    printf("  %-30s %s%s\n", left, o->help, bounds);
}
