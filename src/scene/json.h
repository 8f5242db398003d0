// Reading JSON: cJSON's parser, with errors for what it silently accepts.
#pragma once
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Parses text[length], which a zero byte must follow. Zero bytes and control characters within, a key that stands
/// twice in any object, numbers beyond double's range and deep nesting are errors. `name` begins the messages, with
/// line and column; what is not JSON is shown, with its usual cause. The caller deletes it.
cJSON *json_parse(const char *text, size_t length, const char *name, Error *error);

/// Reads three finite numbers.
bool json_vector(const cJSON *value, double vector[3], const char *name, Error *error);

/// The same of an object's key, which messages name too.
bool json_vector_of(const cJSON *object, const char *key, double vector[3], const char *name, Error *error);

/// False, with an error that says of an object's key what it is, or that it is missing (NULL), and what is expected.
bool json_wrong(const cJSON *value, const char *key, const char *expected, const char *name, Error *error);

/// "a text", "a number", "an object": what it is, for messages.
const char *json_kind(const cJSON *value);

/// Whether it is a list of `count` items.
bool json_is_list(const cJSON *value, int count);

/// A number as JSON with all its digits: cJSON's own may lose the last bit.
cJSON *json_exact(double number);
cJSON *json_exact_vector(const double *numbers, int count);
