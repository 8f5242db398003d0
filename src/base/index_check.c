// Checks arrays of indices that a user of the library passes (index_check.h).
#include "base/index_check.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

bool index_check(const int *index, int count, int limit, const char *name, Error *error) {
  for (int k = 0; k < count && !interrupt_requested_at(k); k++)
    if (index[k] < 0 || index[k] >= limit)
      return error_set(error, "%s: entry %d is %d, expected 0 to %d", name, k, index[k], limit - 1);
  return interrupt_check(error);
}

bool index_check_ascending(const int *index, int count, int limit, const char *name, Error *error) {
  if (!index_check(index, count, limit, name, error)) return false;
  for (int k = 1; k < count && !interrupt_requested_at(k); k++)
    if (index[k] <= index[k - 1])
      return error_set(error, "%s: entry %d is %d, expected more than %d, the previous entry", name, k, index[k],
                       index[k - 1]);
  return interrupt_check(error);
}

bool index_check_once(const int *index, int count, int limit, const char *name, Error *error) {
  if (!index_check(index, count, limit, name, error)) return false;
  int largest = 0;
  for (int k = 0; k < count && !interrupt_requested_at(k); k++)
    if (index[k] > largest) largest = index[k];
  uint8_t *seen = array_new((int64_t)largest + 1, 1, name, error);
  bool ok = seen && interrupt_check(error);
  for (int k = 0; ok && k < count && !interrupt_requested_at(k); k++) {
    if (seen[index[k]]) ok = error_set(error, "%s: entry %d is %d, which an earlier entry has too", name, k, index[k]);
    seen[index[k]] = 1;
  }
  free(seen);
  return ok && interrupt_check(error);
}
