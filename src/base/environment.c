// Reads environment variables, or ignores all of them (environment.h).
#include "base/environment.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool ignored;

bool environment_ignored(void) {
  return atomic_load_explicit(&ignored, memory_order_relaxed);
}

const char *environment_value(const char *name) {
  return environment_ignored() ? NULL : getenv(name);
}

void environment_ignore(void) {
  atomic_store_explicit(&ignored, true, memory_order_relaxed);
}
