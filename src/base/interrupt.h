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

/// Puts them back in force where a library has put its own handlers in their place, as METIS does with SIGTERM.
void interrupt_renew(void);

/// The signal that has come; 0: none. Costs next to nothing.
int interrupt_signal(void);

/// Who else may end what the calling thread does: `wish(context)` is asked wherever it looks. NULL: nobody.
void interrupt_listen(bool (*wish)(void *context), void *context);

/// Whether what the calling thread does shall end: a signal has come, or its wish says so. Cheap enough for a loop.
bool interrupt_wanted(void);

/// For long work: true and no error while nobody wants its end, otherwise "interrupted by signal 2", or "interrupted".
bool interrupt_check(Error *error);

#ifdef __cplusplus
}
#endif
