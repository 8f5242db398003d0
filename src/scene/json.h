// Reading JSON: cJSON's parser, with errors for input that it would silently accept.
#pragma once
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Parses text[length], which must be followed by a zero byte. Also fails for zero bytes, control characters in
/// strings, duplicate keys in an object, numbers beyond double's range and deep nesting. Messages begin with `name`,
/// line and column. A syntax error is quoted, with its usual cause. The caller deletes the value.
cJSON *json_parse(const char *text, size_t length, const char *name, Error *error);

/// Reads three finite numbers.
bool json_vector(const cJSON *value, double vector[3], const char *name, Error *error);

/// As json_vector, for the value of a key of an object. Messages name the key.
bool json_vector_of(const cJSON *object, const char *key, double vector[3], const char *name, Error *error);

/// Sets the error for a wrong or missing (NULL) value of a key, and returns false. `expected` describes valid values.
bool json_wrong(const cJSON *value, const char *key, const char *expected, const char *name, Error *error);

/// Returns the type of a value for messages: "a text", "a number", "an object".
const char *json_kind(const cJSON *value);

/// Returns true if the value is a list of `count` items.
bool json_is_list(const cJSON *value, int count);

/// Create a JSON number, or a list of numbers, with all digits: cJSON's own numbers may lose the last bit.
cJSON *json_exact(double number);
cJSON *json_exact_vector(const double *numbers, int count);
