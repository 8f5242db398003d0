// Reads and changes values in documents: see edit_values.h.
#include "scene/edit_values.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "scene/json_file.h"

cJSON *edit_key(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

cJSON *edit_element(const cJSON *document, const char *list, int index) {
  return cJSON_GetArrayItem(edit_key(document, list), index);
}

void edit_replace(cJSON *object, const char *key, cJSON *value) {
  if (!edit_key(object, key))
    json_put(object, key, value);
  else if (!cJSON_ReplaceItemInObjectCaseSensitive(object, key, value))
    json_mark_incomplete();
}

double edit_number(const cJSON *object, const char *key, double missing) {
  const cJSON *number = edit_key(object, key);
  return cJSON_IsNumber(number) ? number->valuedouble : missing;
}

void edit_read_vector(const cJSON *object, const char *key, double v[3]) {
  for (int i = 0; i < 3; i++) {
    const cJSON *number = cJSON_GetArrayItem(edit_key(object, key), i);
    v[i] = cJSON_IsNumber(number) ? number->valuedouble : 0;
  }
}

double edit_rounded(double value, int digits) {
  NUMBERS_WITH_POINT_HERE;
  char text[32];
  snprintf(text, sizeof text, "%.*g", digits, value);
  return strtod(text, NULL);
}
