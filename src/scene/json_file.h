// Builds JSON objects and writes them to files, and detects missing parts if memory was short.
#pragma once
#include <cjson/cJSON.h>

#include "base/error.h"

/// Makes cJSON use an allocator that records failed allocations. This is needed because cJSON reports no error if
/// memory is short, but omits parts of the JSON text. Must be called once, at the start of the program.
void json_begin(void);

/// Returns true if no allocation for JSON in this thread has failed since the last call. Otherwise fails with "out of
/// memory".
bool json_is_whole(Error *error);

/// Makes the next json_is_whole in this thread fail. This is for functions that call json_is_whole for JSON that they
/// build themselves. json_is_whole clears the record of failures, so a failure in JSON that the caller has built before
/// would be lost. Such a function tests the record at its start and, if there was a failure, restores it at its end.
void json_mark_incomplete(void);

/// json_append: adds an item to a list. json_put: adds an item to an object, under a key. The list or object then owns
/// the item. If it cannot be added, the item is deleted. All arguments may be NULL, as after a failed allocation; the
/// next json_is_whole then fails.
void json_append(cJSON *list, cJSON *item);
void json_put(cJSON *object, const char *key, cJSON *item);

/// Writes a JSON file, which appears completely or not at all. Also fails if memory was short while the object was
/// built. The caller still owns `root`.
bool write_json_file(const char *path, const cJSON *root, Error *error);
