// Writes JSON files, and fails if parts are missing because memory ran out.
#pragma once
#include <cjson/cJSON.h>

#include "base/error.h"

/// Installs an allocator that records failures for json_is_whole, since cJSON omits parts that it cannot allocate
/// without an error. Must be called once, at the start of the program.
void json_begin(void);

/// Returns true if no allocation for JSON in the calling thread has failed since the last call of this function.
/// Otherwise fails with "out of memory".
bool json_is_whole(Error *error);

/// Makes the next call of json_is_whole in this thread fail. Used by functions that call json_is_whole while their
/// caller is building another JSON object. If an allocation for the caller's object had failed, they record this
/// failure again, since their call has cleared it.
void json_mark_incomplete(void);

/// json_append appends an item to a list, and json_put adds an item to an object under a key. Both take ownership of
/// the item and delete it on failure, so the caller must not use it afterwards. `list`, `object` and `item` may be
/// NULL.
void json_append(cJSON *list, cJSON *item);
void json_put(cJSON *object, const char *key, cJSON *item);

/// Writes a JSON file, which appears complete or not at all. Also fails if memory ran out while the object was built.
/// The caller still owns `root`.
bool write_json_file(const char *path, const cJSON *root, Error *error);
