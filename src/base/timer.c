// Wall-clock time: see timer.h.
#define _POSIX_C_SOURCE 200809L
#include "base/timer.h"

#include <time.h>

double timer_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void timer_sleep(double seconds) {
  if (seconds <= 0) return;
  struct timespec span = { .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };
  nanosleep(&span, NULL);
}
