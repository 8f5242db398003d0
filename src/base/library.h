// Functions of a shared library that is opened at run time by dlopen.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A function of a library, and the place of its address in the caller's table.
typedef struct LibraryFunction {
  const char *name;  // name in the library
  size_t at;         // offset, in the table, of the pointer to the function
} LibraryFunction;

/// Stores the addresses of functions [count] in `table`. `library` is a result of dlopen. Returns NULL, or the name of
/// a function that the library lacks.
const char *library_functions(void *library, const LibraryFunction *functions, size_t count, void *table);

#ifdef __cplusplus
}
#endif
