// How far long work has come: set by the thread that does it, read by the one that waits.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// What is being done now, a text that stays valid, and the part of the whole that is done, 0 to 1.
void progress_set(const char *what, double part);

/// What was set last; "" before the first time.
const char *progress_now(double *part);

#ifdef __cplusplus
}
#endif
