// Writing JSON, with an error if parts are missing because memory ran out.
#pragma once
#include <cjson/cJSON.h>

#include "base/error.h"

/// Installs an allocator that records failures for json_is_whole. main calls it once. cJSON itself silently leaves out
/// parts that it cannot allocate.
void json_begin(void);

/// Returns true if no allocation of the calling thread has failed since its last call. Else fails with "out of memory".
bool json_is_whole(Error *error);

/// Makes the calling thread's next json_is_whole fail. For functions that call json_is_whole while their caller is
/// building another object: if an allocation for that object had failed, they record this again for the caller.
void json_mark_incomplete(void);

/// Append an item to a list, or to an object under a key. They take ownership and delete the item on failure, so the
/// caller must not use it afterwards. `list`, `object` and `item` may be NULL.
void json_append(cJSON *list, cJSON *item);
void json_put(cJSON *object, const char *key, cJSON *item);

/// Writes a JSON file, which appears complete or not at all. Also fails if memory ran out while the object was built.
/// `root` stays the caller's.
bool write_json_file(const char *path, const cJSON *root, Error *error);
