// Writing JSON: whole, or an error.
#pragma once
#include <cjson/cJSON.h>

#include "base/error.h"

/// For main, once: from now on json_is_whole knows where memory ran out, since cJSON silently leaves out what it cannot
/// allocate.
void json_begin(void);

/// Returns true if memory has sufficed for all objects of the calling thread since its last call. Else fails with "out
/// of memory".
bool json_is_whole(Error *error);

/// Makes the calling thread's next json_is_whole fail: for a check that comes between the parts of another object.
void json_mark_incomplete(void);

/// Hands an item to a list, or to an object under a key: what cannot be taken is deleted, so the item is not to be used
/// afterwards. `list`, `object` and `item` may be NULL.
void json_append(cJSON *list, cJSON *item);
void json_put(cJSON *object, const char *key, cJSON *item);

/// Writes a JSON file, which appears whole or not at all. Fails too where memory ran out while the object
/// was made. The object stays the caller's.
bool write_json_file(const char *path, const cJSON *root, Error *error);
