// Builds JSON objects and writes them to files, and detects missing parts if memory was short.
#pragma once
#include <cjson/cJSON.h>

#include "base/error.h"

/// Sets an allocator for cJSON that records failures. cJSON itself reports no error: it omits parts for which memory is
/// missing. Must be called once, at the start of the program.
void json_begin(void);

/// Returns true if no allocation for JSON in this thread has failed since the last call. Otherwise fails with "out of
/// memory".
bool json_is_whole(Error *error);

/// Records a failed allocation, so that the next json_is_whole in this thread fails. Needed because json_is_whole
/// clears the record: a function that calls json_is_whole for JSON of its own would hide an earlier failure from its
/// caller. Such a function calls json_mark_incomplete at its end to set the record again.
void json_mark_incomplete(void);

/// json_append: adds an item to a list. json_put: adds an item to an object, under a key. The list or object then owns
/// the item. If it cannot be added, the item is deleted. All arguments may be NULL.
void json_append(cJSON *list, cJSON *item);
void json_put(cJSON *object, const char *key, cJSON *item);

/// Writes a JSON file, which appears completely or not at all. Also fails if memory was short while the object was
/// built. The caller still owns `root`.
bool write_json_file(const char *path, const cJSON *root, Error *error);
