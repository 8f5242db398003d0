// Stores the progress of long work: the working thread sets it, another thread reads it (progress.h).
#include "base/progress.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(const char *) what_now;
static _Atomic double part_now;
static _Thread_local ProgressRoute route_here;

void progress_set(const char *what, double part) {
  atomic_store_explicit(&part_now, part, memory_order_relaxed);
  atomic_store_explicit(&what_now, what, memory_order_release);
  if (route_here.receiver) route_here.receiver(what, part, route_here.context);
}

const char *progress_now(double *part) {
  const char *what = atomic_load_explicit(&what_now, memory_order_acquire);
  *part = atomic_load_explicit(&part_now, memory_order_relaxed);
  return what ? what : "";
}

ProgressRoute progress_route_here(ProgressRoute route) {
  const ProgressRoute former = route_here;
  route_here = route;
  return former;
}
