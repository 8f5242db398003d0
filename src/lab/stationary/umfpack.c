// Opens UMFPACK, a library that factorises sparse matrices, at run time: see umfpack.h.
#include "lab/stationary/umfpack.h"

#include <dlfcn.h>
#include <stddef.h>

#include "base/library.h"

// No lock is needed, because only one thread at a time solves stationary problems.
const Umfpack *umfpack(Error *error) {
  static Umfpack found;
  static const char *absence;
  static bool asked = false;
  static const LibraryFunction functions[] = { { "umfpack_dl_defaults", offsetof(Umfpack, defaults) },
                                               { "umfpack_dl_symbolic", offsetof(Umfpack, symbolic) },
                                               { "umfpack_dl_numeric", offsetof(Umfpack, numeric) },
                                               { "umfpack_dl_solve", offsetof(Umfpack, solve) },
                                               { "umfpack_dl_free_symbolic", offsetof(Umfpack, free_symbolic) },
                                               { "umfpack_dl_free_numeric", offsetof(Umfpack, free_numeric) } };
  if (!asked) {
    void *library = dlopen("libumfpack.so.5", RTLD_NOW);
    if (!library) library = dlopen("libumfpack.so.6", RTLD_NOW);
    if (!library) absence = "SuiteSparse's UMFPACK is not installed (Debian: libumfpack5 or libumfpack6)";
    if (library && library_functions(library, functions, sizeof functions / sizeof *functions, &found))
      absence = "the installed UMFPACK lacks a required function";
    asked = true;
  }
  if (!absence) return &found;
  if (error) error_set(error, "%s", absence);
  return NULL;
}

bool umfpack_error(int64_t status, const char *step, Error *error) {
  enum { OUT_OF_MEMORY = -1 };
  return error_set(error, "UMFPACK's %s failed: %s (status %lld)", step,
                   status == OUT_OF_MEMORY ? "not enough memory" : "invalid input", (long long)status);
}
