// Checks of index arrays that a user of the library passes. An error message has the array's `name`, the invalid entry
// and the valid range.
#pragma once
#include "base/error.h"

/// Fails unless each entry of index [count] is from 0 to `limit` - 1.
bool index_check(const int *index, int count, int limit, const char *name, Error *error);

/// Fails unless each entry of index [count] is from 0 to `limit` - 1 and larger than the entry before it.
bool index_check_ascending(const int *index, int count, int limit, const char *name, Error *error);

/// Fails unless each entry of index [count] is from 0 to `limit` - 1 and no two entries are equal. Allocates one byte
/// for each number up to the largest entry.
bool index_check_once(const int *index, int count, int limit, const char *name, Error *error);
