// Ctrl-C, kill and a closed terminal as requests to end: long work polls for a request, and then ends with complete
// files.
#pragma once
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Called by main, once: from now on SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) are requests. A
/// second signal ends the program at once.
void interrupt_begin(void);

/// Withdraws the request of a signal, so that the process can simulate again. The next signal is a new request. For
/// callers that continue after a request. No other thread may work meanwhile.
void interrupt_reset(void);

/// The received signal; 0: none. Costs next to nothing.
int interrupt_signal(void);

/// Makes interrupt_requested also call `requested(context)`, for work of the calling thread. The function runs only in
/// that thread, and often: it must take less than a microsecond. After it has returned true, it must return true until
/// the interrupted call has returned. NULL: only signals count.
void interrupt_listen(bool (*requested)(void *context), void *context);

/// Returns true if the calling thread's work shall end: a signal was received, or the function of interrupt_listen
/// returns true. Every loop that may take a tenth of a second calls this, or interrupt_requested_at, in each iteration.
/// Worker threads of a parallel loop (parallel.h) get the result of the thread that started the loop.
bool interrupt_requested(void);

/// As interrupt_requested, for iteration k of a loop whose iterations are shorter than that call, about a nanosecond.
/// It is called only if k is a multiple of 4096; otherwise the result is false.
static inline bool interrupt_requested_at(int64_t k) {
  return k % 4096 == 0 && interrupt_requested();
}

/// For long work: returns true while no end is requested. Otherwise fails with the message "interrupted by Ctrl-C
/// (signal 2)" or "interrupted".
bool interrupt_check(Error *error);

#ifdef __cplusplus
}
#endif
