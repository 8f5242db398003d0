// Ctrl-C, kill and a closed terminal as requests to end: long work looks now and then whether one has come, and then
// ends with its files whole.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// For main, once: from now on SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) are requests. A second
/// one ends the program at once.
void interrupt_begin(void);

/// Withdraws the request of a signal that has come, so that the process can simulate again. The next signal is a new
/// request. For callers that go on after one, while no other thread works.
void interrupt_reset(void);

/// The signal that has come; 0: none. Costs next to nothing.
int interrupt_signal(void);

/// From now on interrupt_requested also asks `requested(context)`, for work of the calling thread. The function runs in
/// that thread alone, and often: it must take less than a microsecond. Once it returns true it must do so until the
/// call that asked has returned. NULL: signals alone count.
void interrupt_listen(bool (*requested)(void *context), void *context);

/// Returns true once the calling thread's work shall end: a signal has come, or the function of interrupt_listen
/// returns true. Every loop that may take a tenth of a second calls this in each turn, also within a loop of
/// parallel.h, whose threads get the answer of the caller's function.
bool interrupt_requested(void);

/// For long work: true while no end is requested; else false and "interrupted by Ctrl-C (signal 2)", or "interrupted".
bool interrupt_check(Error *error);

#ifdef __cplusplus
}
#endif
