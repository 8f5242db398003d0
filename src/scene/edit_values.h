// Reads and changes values in the documents of the scene editor (scene_edit.h).
#pragma once
#include <cjson/cJSON.h>

/// Returns the value of a key of an object, or NULL.
cJSON *edit_key(const cJSON *object, const char *key);

/// Returns element `index` of a list of the document, or NULL.
cJSON *edit_element(const cJSON *document, const char *list, int index);

/// Sets a key of an object. The object then owns the value.
void edit_replace(cJSON *object, const char *key, cJSON *value);

/// Returns the value of a key of an object if it is a number, otherwise `missing`.
double edit_number(const cJSON *object, const char *key, double missing);

/// Copies the value of a key of an object, a list of three numbers, to v. Numbers that are missing become 0.
void edit_read_vector(const cJSON *object, const char *key, double v[3]);

/// Rounds a number to `digits` significant digits, so that values are readable.
double edit_rounded(double value, int digits);
