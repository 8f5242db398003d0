// Parses JSON by the library cJSON, and refuses invalid text that cJSON accepts.
#pragma once
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Parses text [length], which must be followed by a zero byte. Fails if the text is not JSON. Also fails if it has
/// zero bytes, control characters in strings, a key that occurs twice in an object, more than 1000 keys in an object,
/// numbers beyond the range of double, or deep nesting. Messages begin with `name`, and most give line and column; only
/// those about keys and numbers do not. The message about a syntax error also quotes the text around the error and
/// names its usual cause. The caller deletes the value.
cJSON *json_parse(const char *text, size_t length, const char *name, Error *error);

/// Reads a list of three finite numbers into `vector`. Messages begin with `name`.
bool json_vector(const cJSON *value, double vector[3], const char *name, Error *error);

/// As json_vector, for the value of a key of an object. Messages also name the key.
bool json_vector_of(const cJSON *object, const char *key, double vector[3], const char *name, Error *error);

/// Sets the error message for a key whose value is invalid or, if `value` is NULL, missing. expected: description of a
/// valid value, for the message. Returns false.
bool json_wrong(const cJSON *value, const char *key, const char *expected, const char *name, Error *error);

/// Returns the kind of a value for messages, such as "a number".
const char *json_kind(const cJSON *value);

/// Returns true if the value is a list of `count` items.
bool json_is_list(const cJSON *value, int count);

/// json_exact: returns a JSON number. json_exact_vector: returns a list of JSON numbers. The numbers have 17 digits,
/// from which exactly the same double is read back. Numbers that cJSON's own functions print may lose the last bit.
cJSON *json_exact(double number);
cJSON *json_exact_vector(const double *numbers, int count);

/// Replaces each number in `item` by the shortest text from which it can be read back exactly. After this, `item` can
/// only be printed, because the numbers are raw text for cJSON. If memory is short, the next json_is_whole fails.
void json_shorten(cJSON *item);
