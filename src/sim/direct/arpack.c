// Opens the library ARPACK at run time (arpack.h).
#include "sim/direct/arpack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "base/library.h"

static Arpack functions;
static const char *absence;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_library(void) {
  static const LibraryFunction needed[] = {
    { "dsaupd_c", offsetof(Arpack, iterate) },
    { "dseupd_c", offsetof(Arpack, extract) },
  };
  void *library = dlopen("libarpack.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    absence = "it needs ARPACK, which is not installed (Debian: libarpack2-dev)";
    return;
  }
  if (library_functions(library, needed, sizeof needed / sizeof *needed, &functions))
    absence = "the installed ARPACK lacks its interface for C (arpack-ng 3.6 or newer has it)";
}

const char *arpack_absence(void) {
  pthread_once(&opened, open_library);
  return absence;
}

const Arpack *arpack(Error *error) {
  if (!arpack_absence()) return &functions;
  error_set(error, "%s", arpack_absence());
  return NULL;
}
