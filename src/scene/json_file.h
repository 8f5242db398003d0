// JSON that is written: whole, or an error.
#pragma once
#include <cjson/cJSON.h>

#include "base/error.h"

/// For main, once: from now on it is noted where there is no memory for a part of an object, which cJSON leaves out in silence.
void json_begin(void);

/// Whether no part of an object was left out since this was asked last.
bool json_is_whole(Error *error);

/// Hands an item to a list, or to an object under a key: what cannot be taken is deleted, so the item is not to be used
/// afterwards. `list`, `object` and `item` may be NULL.
void json_append(cJSON *list, cJSON *item);
void json_put(cJSON *object, const char *key, cJSON *item);

/// Writes a JSON file, which appears whole or not at all. Fails too where the object lacks a part for want of memory. It stays
/// the caller's.
bool write_json_file(const char *path, const cJSON *root, Error *error);
