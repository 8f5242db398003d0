// Code at the start and at the end of every function of pliant.h. The start sets the locale and the floating-point mode
// of the thread for the engine; they are restored when the function returns. The end stores the sentence that
// pliant_error returns.
#pragma once
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/progress.h"
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

// The caller's functions that receive progress and notices.
typedef struct Listener {
  pliant_progress_function progress;  // NULL: progress is dropped
  pliant_log_function log;            // NULL: notices go to the function of pliant_set_log
  void *user;
} Listener;

// A call that reports to a listener.
typedef struct Heard {
  const Listener *listener;  // NULL: none
  double from, share;        // the engine's progress from 0 to 1 is the call's progress from `from` to `from` + `share`
  LogRoute log;              // routes of the thread before the call
  ProgressRoute progress;
} Heard;

/// Until the enclosing block ends, progress and notices of this thread go to a Listener. Declares `heard`.
#define API_HEAR(to)                                                                     \
  __attribute__((cleanup(api_hear_end))) Heard heard = { .listener = (to), .share = 1 }; \
  api_hear(&heard)
void api_hear(Heard *heard);
void api_hear_end(const Heard *heard);

/// Makes the process ignore environment variables, and send notices only to the function of pliant_set_log.
void api_prepare(void);

/// Stores the sentence of a failure for pliant_error, and returns the failure's status. This is PLIANT_NO_MEMORY if the
/// sentence is about memory, otherwise `status`. If `error` has no sentence, returns PLIANT_OK.
int api_result(const Error *error, pliant_status status);

/// As api_result, but formats the sentence itself.
int api_fail(pliant_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Fails if a pointer that the caller must provide is NULL. `name` is the name of the argument in the header.
int api_need(const void *pointer, const char *name);

/// Copies bytes [size] to the caller's memory `to`, and sets *needed to `size`. If `to` is NULL, only *needed is set.
/// Fails if `to` is not NULL and `size` exceeds `capacity`. `what` names the bytes in messages.
int api_give(const void *bytes, size_t size, void *to, size_t capacity, size_t *needed, const char *what);

/// Copies a struct of the library, `from` [size bytes], to the caller's struct `to`. A program that was compiled with
/// an older pliant.h has a shorter struct. So the first member of `to` is the number of bytes to be copied. Fails if
/// this number is too small for the first member itself.
int api_give_struct(void *to, const void *from, size_t size);
