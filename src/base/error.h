// Errors: one sentence with the place, the fault and the remedy. The sentence that is set first is kept.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ERROR_LENGTH = 1024 };

// A zeroed Error means "no error". Functions receive a pointer to it. Only `main` turns it into an exit code.
typedef struct Error {
  char message[ERROR_LENGTH];  // empty: no error
} Error;

/// Writes the sentence, unless the error has one already, and returns false, so that a caller can
/// `return error_set(...)`.
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Puts "prefix: " before the sentence, and returns false.
bool error_prefix(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Puts "name: " before the sentence, unless the sentence begins with the name already, and returns false.
bool error_about(Error *error, const char *name);

#ifdef __cplusplus
}
#endif
