// Reads the wall clock, and sleeps (timer.h).
#define _GNU_SOURCE  // for CLOCK_MONOTONIC_COARSE
#include "base/timer.h"

#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double timer_seconds(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

double timer_seconds_coarse(void) {
  return seconds_of(CLOCK_MONOTONIC_COARSE);
}

void timer_sleep(double seconds) {
  if (seconds <= 0) return;
  struct timespec span = { .tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };
  nanosleep(&span, NULL);
}
