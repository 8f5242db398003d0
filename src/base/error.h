// Errors. An error is one sentence: the file or key, the fault and the remedy. If several errors occur one after
// another, the first is kept.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ERROR_LENGTH = 1024 };

// An error, or none if it is zeroed. Functions get a pointer to it; only `main` turns it into an exit code.
typedef struct Error {
  char message[ERROR_LENGTH];  // empty: no error
  bool intersects;             // true: surfaces of a state intersect or touch, so contact cannot begin there
} Error;

/// Stores the formatted sentence in error->message, unless a sentence is stored already. Returns false, so that a
/// caller can `return error_set(...)`.
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Puts a formatted text, such as a file's name, and ": " before the stored sentence. Returns false.
bool error_prefix(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Puts `name` and ": " before the stored sentence, unless the sentence begins with this name already. Returns false.
bool error_about(Error *error, const char *name);

#ifdef __cplusplus
}
#endif
