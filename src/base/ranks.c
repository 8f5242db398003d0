// Failures and results of one of several processes (ranks.h).
#include "base/ranks.h"

#include <stdlib.h>

bool ranks_agree(const Ranks *ranks, bool ok, Error *error) {
  if (!ranks || ranks->count == 1) return ok;
  double first = ok ? ranks->count : ranks->rank;  // number of the first rank that failed
  // Characters of the message of the first rank that failed. Other ranks have zeros, so that a sum sends the message to
  // all ranks.
  double letters[ERROR_LENGTH] = { 0 };
  if (!ranks->smallest(ranks, &first, error)) return false;
  if (first == ranks->count) return true;
  for (int k = 0; first == ranks->rank && k < ERROR_LENGTH; k++) letters[k] = error->message[k];
  if (!ranks->sum(ranks, letters, ERROR_LENGTH, error)) return false;
  for (int k = 0; k < ERROR_LENGTH; k++) error->message[k] = (char)letters[k];
  return error_prefix(error, "process %d of %d", (int)first, ranks->count);
}

bool ranks_follow(const Ranks *ranks, bool ok, void *data, size_t bytes, Error *error) {
  if (!ranks || ranks->count == 1) return ok;
  bool is_good = ok;
  if (!ranks->broadcast(ranks, &is_good, sizeof is_good, error)) return false;
  if (is_good) return bytes == 0 || ranks->broadcast(ranks, data, bytes, error);
  (void)ranks->broadcast(ranks, error, sizeof *error, error);
  return false;
}

void ranks_fail(const Ranks *ranks, const Error *error) {
  if (ranks && ranks->count > 1) ranks->fail(ranks, error);
}
