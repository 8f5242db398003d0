// Code that runs at the start and at the end of every function of pliant.h. The start sets the thread's locale and
// floating-point mode as the engine needs them, and functions for a sim make the thread use the sim's GPU. Locale, mode
// and GPU are restored when the function returns. If the function fails, its end stores the message that pliant_error
// returns.
#pragma once
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/progress.h"
#include "device/device.h"
#include "pliant.h"

/// Begins a function of pliant.h: sets the thread's locale and floating-point mode until the enclosing block ends. The
/// function may then call device_use: the end of the block restores the GPU that the caller uses.
#define API_ENTER              \
  NUMBERS_WITH_POINT_HERE;     \
  DEVICE_FLUSH_DENORMALS_HERE; \
  DEVICE_RESTORE_HERE;         \
  api_prepare()

/// As API_ENTER; also declares a variable `error`.
#define API_CALL \
  API_ENTER;     \
  Error error = { 0 }

// Two functions that the caller of the library has given: one receives progress, the other one notices. `user` is
// passed to both.
typedef struct Listener {
  pliant_progress_function progress;  // NULL: progress is dropped
  pliant_log_function log;            // NULL: notices go to the function of pliant_set_log
  void *user;
} Listener;

// The receivers of progress and notices while one function of pliant.h runs.
typedef struct Heard {
  const Listener *listener;  // NULL: the caller has given no functions
  double from, share;        // a progress p of the present step, 0 to 1, is reported as from + p * share of the call
  // functions that received this thread's notices and progress before the call; the end of the call restores them
  LogRoute log;
  ProgressRoute progress;
} Heard;

/// Sends progress and notices of this thread to the Listener `to` until the enclosing block ends. Declares the variable
/// `heard`, a Heard.
#define API_HEAR(to)                                                                     \
  __attribute__((cleanup(api_hear_end))) Heard heard = { .listener = (to), .share = 1 }; \
  api_hear(&heard)
void api_hear(Heard *heard);
void api_hear_end(const Heard *heard);

/// Makes the process ignore environment variables, and sends notices only to the function of pliant_set_log.
void api_prepare(void);

/// Stores the message of `error` for pliant_error, and returns the status of the failure. This is PLIANT_NO_MEMORY if
/// the message says that memory is not sufficient, otherwise `status`. If `error` has no message, returns PLIANT_OK.
int api_result(const Error *error, pliant_status status);

/// As api_result, but with a message in the style of printf in place of an Error.
int api_fail(pliant_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Fails if a pointer that the caller must provide is NULL. `name` is the name of the argument in the header.
int api_need(const void *pointer, const char *name);

/// Copies bytes [size] to the caller's memory `to`, and sets *needed to `size` unless `needed` is NULL. If `to` is
/// NULL, sets only *needed, so that a caller can ask for the size first. Fails if `to` is not NULL and `size` exceeds
/// `capacity`. `what` names the bytes in messages: "the state".
int api_give(const void *bytes, size_t size, void *to, size_t capacity, size_t *needed, const char *what);

/// Copies a struct `from` [size bytes] of the library to the caller's struct `to`. The caller has stored the size of
/// `to`, bytes, in the first member of `to`. This member is not changed. If the caller was compiled with an older
/// pliant.h, its struct is smaller, and only as many bytes are copied as it has. If the caller's struct is larger, the
/// rest of it is set to 0. Fails if `to` has no space for a second member.
int api_give_struct(void *to, const void *from, size_t size);
