// Code at the start and end of every function of pliant.h. The start sets the thread's locale and floating-point mode
// for the engine; they are restored when the function returns. The end stores the sentence that pliant_error returns.
#pragma once
#include "base/error.h"
#include "base/number.h"
#include "device/device.h"
#include "pliant.h"

/// Begins a public function: sets locale and floating-point mode of the thread until the enclosing block ends.
#define API_ENTER              \
  NUMBERS_WITH_POINT_HERE;     \
  DEVICE_FLUSH_DENORMALS_HERE; \
  api_prepare()

/// As API_ENTER; also declares `error`.
#define API_CALL \
  API_ENTER;     \
  Error error = { 0 }

/// Makes the process ignore environment variables and send notices only to pliant_set_log.
void api_prepare(void);

/// Stores the sentence of a failure for pliant_error and returns its status: PLIANT_NO_MEMORY if the sentence is about
/// memory, else `status`. Without a sentence it returns PLIANT_OK.
int api_result(const Error *error, pliant_status status);

/// As api_result, for a sentence that is formatted here.
int api_fail(pliant_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Fails unless a pointer that the caller has to give is not NULL; `name` is its name in the header.
int api_need(const void *pointer, const char *name);

/// Copies bytes [size] to the caller's memory `to`, and sets *needed to `size`. Fails if `size` exceeds `capacity`,
/// unless `to` is NULL. `what` names the bytes in messages.
int api_give(const void *bytes, size_t size, void *to, size_t capacity, size_t *needed, const char *what);

/// Copies a struct of the library, `from` [size bytes], to the caller's struct `to`. Programs that were compiled with
/// an older pliant.h have a shorter struct: its first member says how many bytes are copied. Fails if this number is
/// too small for the member itself.
int api_give_struct(void *to, const void *from, size_t size);
