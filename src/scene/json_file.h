// JSON that is written: whole, or an error.
#pragma once
#include <cjson/cJSON.h>

#include "base/error.h"

/// For main, once: from now on it is noted where there is no memory for a part of an object, which cJSON leaves out in silence.
void json_begin(void);

/// Whether no part of an object was left out since this was asked last.
bool json_is_whole(Error *error);

/// Writes a JSON file, which appears whole or not at all. Fails too where the object lacks a part for want of memory. It stays
/// the caller's.
bool write_json_file(const char *path, const cJSON *root, Error *error);
