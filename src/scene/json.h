// Reads JSON by the library cJSON, and rejects invalid input that cJSON would accept.
#pragma once
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Parses text [length], which must be followed by a zero byte. In addition to syntax errors, rejects zero bytes,
/// control characters in strings, duplicate keys in an object, numbers beyond the range of double, and deep nesting.
/// Messages begin with `name`, line and column. For a syntax error they quote the text around it, and give the usual
/// cause. The caller deletes the value.
cJSON *json_parse(const char *text, size_t length, const char *name, Error *error);

/// Reads a list of three finite numbers into `vector`. Messages begin with `name`.
bool json_vector(const cJSON *value, double vector[3], const char *name, Error *error);

/// Reads the value of a key of an object, a list of three finite numbers, into `vector`. Messages name the key.
bool json_vector_of(const cJSON *object, const char *key, double vector[3], const char *name, Error *error);

/// Writes the message for a key with an invalid value, or without a value (NULL). `expected` describes valid values.
/// Always returns false.
bool json_wrong(const cJSON *value, const char *key, const char *expected, const char *name, Error *error);

/// Returns the type of a value for messages: "a text", "a number", "an object".
const char *json_kind(const cJSON *value);

/// Returns true if the value is a list of `count` items.
bool json_is_list(const cJSON *value, int count);

/// These functions create a JSON number, or a list of numbers, with all digits. The number functions of cJSON may lose
/// the last bit.
cJSON *json_exact(double number);
cJSON *json_exact_vector(const double *numbers, int count);
