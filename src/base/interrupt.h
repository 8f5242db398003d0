// Turns Ctrl-C, kill and a closed terminal into requests to end the program. Long work polls for a request, and on a
// request ends early with complete files.
#pragma once
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Called once, by main. From then on the signals SIGINT, SIGTERM and SIGHUP are requests to end. SIGHUP stays ignored
/// if it was ignored before, as under nohup. A second signal ends the program at once.
void interrupt_begin(void);

/// Clears the request of a signal, so that the process can simulate again. The next signal is a new request. No other
/// thread may work during this call.
void interrupt_reset(void);

/// The received signal; 0: none.
int interrupt_signal(void);

/// Makes interrupt_requested also call `requested(context)`, for work of the calling thread. The function runs only in
/// that thread, and often: it must take less than a microsecond. After it has returned true, it must return true until
/// the interrupted call has returned. NULL: only signals count.
void interrupt_listen(bool (*requested)(void *context), void *context);

/// Returns true if the calling thread's work shall end: a signal was received, or the function of interrupt_listen
/// returns true. Every loop that may take a tenth of a second calls this, or interrupt_requested_at, in each iteration.
/// Worker threads of a parallel loop (parallel.h) get the result of the thread that started the loop.
bool interrupt_requested(void);

/// As interrupt_requested, for iteration k of a loop whose iterations take less than a nanosecond. Tests for a request
/// only if k is a multiple of 4096; for other k the result is false.
static inline bool interrupt_requested_at(int64_t k) {
  return k % 4096 == 0 && interrupt_requested();
}

/// For long work: returns true while no end is requested. Otherwise fails with the message "interrupted by Ctrl-C
/// (signal 2)" or "interrupted".
bool interrupt_check(Error *error);

#ifdef __cplusplus
}
#endif
