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

/// Sets the handlers again, where a library has replaced them by its own, as METIS does with SIGTERM.
void interrupt_renew(void);

/// The signal that has come; 0: none. Costs next to nothing.
int interrupt_signal(void);

/// From now on interrupt_requested also asks `requested(context)` in the calling thread. NULL: signals alone count.
void interrupt_listen(bool (*requested)(void *context), void *context);

/// Whether the calling thread's work shall end: a signal has come, or its function of interrupt_listen says so. Cheap
/// enough for a loop.
bool interrupt_requested(void);

/// For long work: true while no end is requested; else false and "interrupted by signal 2", or "interrupted".
bool interrupt_check(Error *error);

#ifdef __cplusplus
}
#endif
