// Turns Ctrl-C, kill and a closed terminal into requests to end the program. Long work polls for a request, and then
// ends early with complete files.
#pragma once
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes the signals SIGINT, SIGTERM and SIGHUP requests to end; main calls it once. If SIGHUP was ignored, as under
/// nohup, it stays ignored. A second signal, unless it comes within 0.2 s of the first, ends the program at once.
void interrupt_begin(void);

/// Removes the request, so that the process can simulate again until the next signal. No other thread may compute
/// during the call.
void interrupt_reset(void);

/// Returns the number of the received signal; 0: none.
int interrupt_signal(void);

// A function that requests the end of work in one thread, and its context. If `requested` is NULL, there is no such
// function.
typedef struct InterruptListener {
  bool (*requested)(void *context);
  void *context;
} InterruptListener;

/// Makes interrupt_requested, in the calling thread, also call requested(context). If `requested` is NULL, only signals
/// count. The function is called often, so it must take less than a microsecond. Once it has returned true, it must
/// keep returning true until the work that it interrupts has ended. Returns the thread's former function, so that the
/// caller can restore it.
InterruptListener interrupt_listen(bool (*requested)(void *context), void *context);

/// Returns true if the calling thread's work must end: after a signal, or if the function of interrupt_listen returns
/// true. Loops that may take a tenth of a second call this, or interrupt_requested_at, in each iteration. In a parallel
/// loop (parallel.h), worker threads get the result of the thread that started the loop.
bool interrupt_requested(void);

/// As interrupt_requested, for iteration k of a loop whose iterations take less than 1 ns: tests only if k is a
/// multiple of 4096, and returns false for other k.
static inline bool interrupt_requested_at(int64_t k) {
  return k % 4096 == 0 && interrupt_requested();
}

/// Returns true while no end is requested. Otherwise fails with "interrupted by Ctrl-C (signal 2)" or "interrupted".
bool interrupt_check(Error *error);

#ifdef __cplusplus
}
#endif
