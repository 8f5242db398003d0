// JSON: see json.h.
#include "scene/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/json_file.h"

enum { DEPTH_MAX = 32, KEYS_MAX = 1000 };

// "hand.json:3" for a place in a text of several lines
static void place_of(const char *text, const char *here, const char *name, char place[1200]) {
  int line = 1;
  for (const char *c = text; c < here; c++) line += *c == '\n';
  if (strchr(text, '\n'))
    snprintf(place, 1200, "%.1100s:%d", name, line);
  else
    snprintf(place, 1200, "%.1100s", name);
}

static bool fault_at(const char *text, const char *here, const char *name, const char *fault, Error *error) {
  char place[1200];
  place_of(text, here, name, place);
  return error_set(error, "%s: %s", place, fault);
}

// what cJSON would accept, end at, or follow too deep
static bool check_text(const char *text, size_t length, const char *name, Error *error) {
  bool quoted = false;
  int depth = 0;
  for (const char *c = text; c < text + length; c++) {
    if (*c == '\0') return fault_at(text, c, name, "holds a zero byte: not JSON", error);
    if (quoted && (unsigned char)*c < 0x20)
      return fault_at(text, c, name, "a control character in a text; write it as \\n, \\t or \\u001b", error);
    if (quoted && strncmp(c, "\\u0000", 6) == 0)
      return fault_at(text, c, name, "\\u0000 in a text: none may hold a zero", error);
    if (quoted && *c == '\\' && c[1]) {
      c++;
      if ((unsigned char)*c < 0x20) c--;
    } else if (*c == '"') {
      quoted = !quoted;
    } else if (!quoted && (*c == '{' || *c == '[')) {
      if (++depth > DEPTH_MAX) return fault_at(text, c, name, "nested too deep", error);
    } else if (!quoted && (*c == '}' || *c == ']')) {
      depth--;
    }
  }
  return true;
}

static bool check_values(const cJSON *value, const char *name, Error *error) {
  if (cJSON_IsNumber(value) && !isfinite(value->valuedouble))
    return error_set(error, "%s: a number is beyond the range of double", name);
  int keys = 0;
  for (const cJSON *item = value->child; item; item = item->next) {
    if (cJSON_IsObject(value)) {
      if (++keys > KEYS_MAX) return error_set(error, "%s: an object of more than %d keys", name, KEYS_MAX);
      for (const cJSON *other = value->child; other != item; other = other->next)
        if (strcmp(other->string, item->string) == 0)
          return error_set(error, "%s: key \"%s\" stands twice", name, item->string);
    }
    if (!check_values(item, name, error)) return false;
  }
  return true;
}

cJSON *json_parse(const char *text, size_t length, const char *name, Error *error) {
  if (!check_text(text, length, name, error)) return NULL;
  const char *stop = NULL;
  cJSON *value = cJSON_ParseWithOpts(text, &stop, true);
  if (!value) {
    if (!json_is_whole(error)) return error_prefix(error, "%s", name), NULL;
    if (!stop || !*stop) return fault_at(text, stop ? stop : text, name, "not JSON: it ends too early", error), NULL;
    char place[1200];
    const int shown = (int)strcspn(stop, "\n");
    place_of(text, stop, name, place);
    error_set(error, "%s: not JSON here: \"%.*s\"", place, shown < 30 ? shown : 30, stop);
    return NULL;
  }
  if (check_values(value, name, error)) return value;
  cJSON_Delete(value);
  return NULL;
}

bool json_vector(const cJSON *value, double vector[3], const char *name, Error *error) {
  if (!json_is_list(value, 3)) return error_set(error, "%s: expected three numbers [x, y, z]", name);
  for (int i = 0; i < 3; i++) {
    const cJSON *item = cJSON_GetArrayItem(value, i);
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
      return error_set(error, "%s: component %d is not a finite number", name, i + 1);
    vector[i] = item->valuedouble;
  }
  return true;
}

bool json_is_list(const cJSON *value, int count) {
  return cJSON_IsArray(value) && cJSON_GetArraySize(value) == count;
}

cJSON *json_exact(double number) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", number);
  return cJSON_CreateRaw(text);
}

cJSON *json_exact_vector(const double *numbers, int count) {
  cJSON *list = cJSON_CreateArray();
  for (int k = 0; list && k < count; k++) json_append(list, json_exact(numbers[k]));
  return list;
}
