// Progress of long work: set by the thread that works, read by the one that waits.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the present activity `what`, a text that stays valid, and the finished fraction `part` of the whole, 0 to 1.
void progress_set(const char *what, double part);

/// Returns the activity that was set last; "" before the first call. *part gets the finished fraction.
const char *progress_now(double *part);

// A function that receives the progress of one thread, as it is passed to progress_set, and its context. NULL: none.
typedef struct ProgressRoute {
  void (*receiver)(const char *what, double part, void *context);
  void *context;
} ProgressRoute;

/// Sends the later progress of the calling thread to a function too. Returns the route that the thread had, so that the
/// caller can restore it.
ProgressRoute progress_route_here(ProgressRoute route);

#ifdef __cplusplus
}
#endif
