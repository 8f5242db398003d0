// Ctrl-C, kill and the end of the terminal as a wish to end: what runs long looks whether there is one, and ends what it
// has begun.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// For main, once: from now on SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) are noted. Another one, a
/// moment later, ends the program at once.
void interrupt_begin(void);

/// The signal that has come; 0: none. Costs next to nothing.
int interrupt_signal(void);

/// For long work: true and no error while no signal has come, otherwise "interrupted by signal 2".
bool interrupt_check(Error *error);

#ifdef __cplusplus
}
#endif
