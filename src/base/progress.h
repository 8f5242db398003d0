// Progress of long work: set by the thread that works, read by the one that waits.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the present activity `what`, a text that stays valid, and the finished fraction `part` of the whole, 0 to 1.
void progress_set(const char *what, double part);

/// Returns the activity that was set last; "" before the first call. *part gets the finished fraction.
const char *progress_now(double *part);

#ifdef __cplusplus
}
#endif
