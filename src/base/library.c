// Functions of a shared library: see library.h.
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

const char *library_functions(void *library, const LibraryFunction *functions, size_t count, void *table) {
  const char *missing = NULL;
  for (size_t k = 0; k < count; k++) {
    void *function = dlsym(library, functions[k].name);
    if (!function) missing = functions[k].name;
    memcpy((char *)table + functions[k].at, &function, sizeof function);
  }
  return missing;
}
