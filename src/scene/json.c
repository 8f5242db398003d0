// Parses JSON: see json.h.
#include "scene/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/json_file.h"

enum { DEPTH_MAX = 32, KEYS_MAX = 1000 };

// Writes to `location`, for messages, where the character `here` is in a text: "hand.json:3:14" is line 3, byte 14. If
// the text has only one line, as on the command line, the form is "--pins: character 14". name: file or option.
static void locate(const char *text, const char *here, const char *name, char location[1200]) {
  int line = 1;
  const char *start = text;
  for (const char *c = text; c < here; c++)
    if (*c == '\n') {
      line++;
      start = c + 1;
    }
  const int column = (int)(here - start) + 1;
  if (strchr(text, '\n'))
    snprintf(location, 1200, "%.1100s:%d:%d", name, line, column);
  else
    snprintf(location, 1200, "%.1100s: character %d", name, column);
}

static bool fault_at(const char *text, const char *here, const char *name, const char *fault, Error *error) {
  char location[1200];
  locate(text, here, name, location);
  return error_set(error, "%s: %s", location, fault);
}

// Fails if the text has zero bytes, control characters in strings, or deep nesting. cJSON would not report these: it
// accepts them, or reads the text only up to a zero byte.
static bool check_text(const char *text, size_t length, const char *name, Error *error) {
  bool quoted = false;
  int depth = 0;
  for (const char *c = text; c < text + length; c++) {
    if (*c == '\0') return fault_at(text, c, name, "contains a zero byte, which JSON does not allow", error);
    if (quoted && (unsigned char)*c < 0x20)
      return fault_at(text, c, name, "a string contains a control character; write it as \\n, \\t or \\u001b", error);
    if (quoted && strncmp(c, "\\u0000", 6) == 0)
      return fault_at(text, c, name, "a string contains \\u0000, a zero byte, which is not allowed; remove it", error);
    if (quoted && *c == '\\' && c[1]) {
      c++;
      if ((unsigned char)*c < 0x20) c--;
    } else if (*c == '"') {
      quoted = !quoted;
    } else if (!quoted && (*c == '{' || *c == '[')) {
      if (++depth > DEPTH_MAX) return fault_at(text, c, name, "contains too many nested lists or objects", error);
    } else if (!quoted && (*c == '}' || *c == ']')) {
      depth--;
    }
  }
  return true;
}

// Returns the first number of the text that is beyond the range of double, or NULL. The text must be valid JSON.
static const char *huge_number(const char *text) {
  bool quoted = false;
  for (const char *c = text; *c; c++) {
    if (quoted && *c == '\\') {
      c++;
    } else if (*c == '"') {
      quoted = !quoted;
    } else if (!quoted && (*c == '-' || isdigit((unsigned char)*c))) {
      char *end;
      if (!isfinite(strtod(c, &end))) return c;
      c = end - 1;
    }
  }
  return NULL;
}

static bool check_values(const cJSON *value, const char *text, const char *name, Error *error) {
  if (cJSON_IsNumber(value) && !isfinite(value->valuedouble)) {
    const char *number = huge_number(text);
    return fault_at(text, number ? number : text, name,
                    "this number is beyond the range of double, 1.8e308; write a smaller number", error);
  }
  int keys = 0;
  for (const cJSON *item = value->child; item; item = item->next) {
    if (cJSON_IsObject(value)) {
      if (++keys > KEYS_MAX) return error_set(error, "%s: an object has more than %d keys", name, KEYS_MAX);
      for (const cJSON *other = value->child; other != item; other = other->next)
        if (strcmp(other->string, item->string) == 0)
          return error_set(error, "%s: key \"%s\" occurs twice", name, item->string);
    }
    if (!check_values(item, text, name, error)) return false;
  }
  return true;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Returns the last character before `here` that is no blank, or the start of the text.
static const char *last_before(const char *text, const char *here) {
  while (here > text && is_blank(here[-1])) here--;
  return here > text ? here - 1 : here;
}

// Returns the innermost bracket or quote that is open at `here`, or '\0'. The text must have passed check_text, so that
// the brackets fit into the array `open`.
static char open_at(const char *text, const char *here) {
  char open[DEPTH_MAX + 1] = "";
  int depth = 0;
  bool quoted = false;
  for (const char *c = text; c < here; c++) {
    if (quoted && *c == '\\')
      c++;
    else if (*c == '"')
      quoted = !quoted;
    else if (!quoted && (*c == '{' || *c == '['))
      open[++depth] = *c;
    else if (!quoted && (*c == '}' || *c == ']') && depth > 0)
      depth--;
  }
  return quoted ? '"' : open[depth];
}

// Returns the position of a syntax error for messages. stop: position at which cJSON stopped. This is the error itself
// or, if cJSON expected a key, one character after the error.
static const char *fault_of(const char *text, const char *stop) {
  const char *here = stop > text ? stop - 1 : stop, *before = last_before(text, here);
  const bool key = here > text && !is_blank(*here) && *here != '"' && (*before == '{' || *before == ',') &&
                   open_at(text, here) == '{';
  if (key) return here;
  while (is_blank(*stop)) stop++;
  return stop;
}

// Returns the usual cause of a syntax error at this position, as the end of a message; "" if none is known.
static const char *suspect(const char *text, const char *fault) {
  const char last = fault > text ? *last_before(text, fault) : '\0', open = open_at(text, fault);
  if (open == '"' && *fault == '\\')
    return "; write a backslash in a string as \\\\; a single one begins \\n, \\t or \\u001b";
  if (open == '"') return "; this string is not closed";
  if (*fault == '/' || *fault == '#') return "; JSON has no comments";
  if (last && !open && *fault == ',') return "; write a list in brackets: [ ... ]";
  if (last && !open && isdigit((unsigned char)last) && isalpha((unsigned char)*fault))
    return "; write numbers without units";
  if (last && !open) return "; this text follows the end of the JSON value";
  if ((*fault == '}' || *fault == ']') && last == ',') return "; remove the comma after the last entry";
  if (*fault == '}' && open == '[') return "; a ] before it is missing";
  if (*fault == ']' && open == '{') return "; a } before it is missing";
  if (*fault == '}' && last == '"') return "; a colon and a value before it are missing";
  if (*fault == ',' || *fault == '}' || *fault == ']') return "; a value before it is missing";
  if (*fault == '\'') return "; write strings in \"double quotes\"";
  if (*fault == '=') return "; write a colon after a key";
  if (*fault == ';') return "; write a comma between entries";
  if (open == '{' && (last == '{' || last == ',')) return "; write keys in \"double quotes\"";
  if (last == '"' || last == '}' || last == ']' || isalnum((unsigned char)last))
    return "; a comma or a colon before it is missing";
  if (*fault == '.' || *fault == '+') return "; numbers begin with a digit or -: write 0.3, not .3, and 3, not +3";
  if (isalpha((unsigned char)*fault))
    return "; write strings in \"double quotes\"; words without quotes are true, false and null";
  return "";
}

// Returns the message for a text that ends before its JSON value is complete. end: the end of the text.
static const char *fault_of_end(const char *text, const char *end) {
  const char open = open_at(text, end);
  if (open == '{') return "not JSON: the text ends too early; a } is missing";
  if (open == '[') return "not JSON: the text ends too early; a ] is missing";
  if (open == '"') return "not JSON: the text ends too early; a closing \" is missing";
  return "not JSON: the text is empty; write a value, such as 0.5, \"text\" or [0, 0, 1]";
}

// Returns the number of bytes of the UTF-8 character at c.
static int character_length(const char *c) {
  int length = 1;
  while (*c && ((unsigned char)c[length] & 0xc0) == 0x80 && length < 4) length++;
  return length;
}

// Copies the line around an error, at most AROUND bytes on each side of it.
static void context_of(const char *text, const char *fault, char context[100]) {
  enum { AROUND = 30 };
  const char *from = fault, *to = fault;
  while (from > text && from[-1] != '\n' && fault - from < AROUND) from--;
  const bool whole = from == text || from[-1] == '\n';
  while (from < fault && is_blank(*from)) from++;
  while (from < fault && ((unsigned char)*from & 0xc0) == 0x80) from++;
  while (*to && *to != '\n' && *to != '\r' && to - fault < AROUND) to += character_length(to);
  snprintf(context, 100, "%s%.*s%s", whole ? "" : "...", (int)(to - from), from,
           *to && *to != '\n' && *to != '\r' ? "..." : "");
}

cJSON *json_parse(const char *text, size_t length, const char *name, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  if (!check_text(text, length, name, error)) return NULL;
  const char *stop = NULL;
  cJSON *value = cJSON_ParseWithOpts(text, &stop, true);
  if (!value) {
    if (!json_is_whole(error)) {
      error_prefix(error, "%s", name);
      return NULL;
    }
    const char *fault = fault_of(text, stop ? stop : text);
    if (!*fault) {
      fault_at(text, fault, name, fault_of_end(text, fault), error);
      return NULL;
    }
    char location[1200], context[100];
    locate(text, fault, name, location);
    context_of(text, fault, context);
    error_set(error, "%s: not JSON at '%.*s' in the text: %s%s", location, character_length(fault), fault, context,
              suspect(text, fault));
    return NULL;
  }

  if (check_values(value, text, name, error)) return value;
  cJSON_Delete(value);
  return NULL;
}

const char *json_kind(const cJSON *value) {
  return cJSON_IsString(value)   ? "a text"
         : cJSON_IsNumber(value) ? "a number"
         : cJSON_IsBool(value)   ? cJSON_IsTrue(value) ? "true" : "false"
         : cJSON_IsNull(value)   ? "null"
         : cJSON_IsArray(value)  ? "a list"
                                 : "an object";
}

bool json_vector(const cJSON *value, double vector[3], const char *name, Error *error) {
  if (!cJSON_IsArray(value))
    return error_set(error, "%s: is %s, expected three numbers [x, y, z]", name, json_kind(value));
  if (!json_is_list(value, 3))
    return error_set(error, "%s: has %d entr%s, expected three numbers [x, y, z]", name, cJSON_GetArraySize(value),
                     cJSON_GetArraySize(value) == 1 ? "y" : "ies");
  for (int i = 0; i < 3; i++) {
    const cJSON *item = cJSON_GetArrayItem(value, i);
    if (!cJSON_IsNumber(item))
      return error_set(error, "%s: component %d is %s, expected a number", name, i + 1, json_kind(item));
    if (!isfinite(item->valuedouble)) return error_set(error, "%s: component %d is not a finite number", name, i + 1);
    vector[i] = item->valuedouble;
  }
  return true;
}

bool json_vector_of(const cJSON *object, const char *key, double vector[3], const char *name, Error *error) {
  char named[1400];
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
  snprintf(named, sizeof named, "%.1280s: \"%s\"", name, key);
  if (!value) return error_set(error, "%s is missing, expected three numbers [x, y, z]", named);
  return json_vector(value, vector, named, error);
}

bool json_wrong(const cJSON *value, const char *key, const char *expected, const char *name, Error *error) {
  if (!value) return error_set(error, "%s: \"%s\" is missing, expected %s", name, key, expected);
  if (cJSON_IsNumber(value))
    return error_set(error, "%s: \"%s\" is %.9g, expected %s", name, key, value->valuedouble, expected);
  return error_set(error, "%s: \"%s\" is %s, expected %s", name, key, json_kind(value), expected);
}

bool json_is_list(const cJSON *value, int count) {
  return cJSON_IsArray(value) && cJSON_GetArraySize(value) == count;
}

cJSON *json_exact(double number) {
  NUMBERS_WITH_POINT_HERE;
  char text[40];
  snprintf(text, sizeof text, "%.17g", number);
  return cJSON_CreateRaw(text);
}

cJSON *json_exact_vector(const double *numbers, int count) {
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; list && k < count; k++) json_append(list, json_exact(numbers[k]));
  return list;
}

void json_shorten(cJSON *item) {
  enum { DIGITS = 15, NUMBER_MAX = 32 };
  NUMBERS_WITH_POINT_HERE;
  for (cJSON *child = item->child; child; child = child->next) json_shorten(child);
  if (!cJSON_IsNumber(item) && !cJSON_IsRaw(item)) return;
  const double number = cJSON_IsRaw(item) ? strtod(item->valuestring, NULL) : item->valuedouble;
  char *made = cJSON_malloc(NUMBER_MAX);
  if (!made) {
    json_mark_incomplete();
    return;
  }
  number_print(number, DIGITS, made);
  if (cJSON_IsRaw(item)) cJSON_free(item->valuestring);
  item->type = cJSON_Raw | (item->type & cJSON_StringIsConst);
  item->valuestring = made;
}
