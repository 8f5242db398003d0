// Progress of long work: the thread that works sets it, another thread reads it.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the present activity `what`, a text that stays valid, and the finished part of the whole, 0 to 1.
void progress_set(const char *what, double part);

/// Returns the activity that was set last, "" at first. *part gets the finished part of the whole, 0 to 1.
const char *progress_now(double *part);

// A function that receives the arguments of each call of progress_set in one thread, and its context. If `receiver` is
// NULL, there is no such function.
typedef struct ProgressRoute {
  void (*receiver)(const char *what, double part, void *context);
  void *context;
} ProgressRoute;

/// Makes progress_set in the calling thread also call the function in `route`. Returns the thread's former route, so
/// that the caller can restore it.
ProgressRoute progress_route_here(ProgressRoute route);

#ifdef __cplusplus
}
#endif
