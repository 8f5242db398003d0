// Wall-clock time.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Seconds of a monotonic clock.
double timer_seconds(void);

/// Sleeps for this many seconds; returns at once for zero or less.
void timer_sleep(double seconds);

#ifdef __cplusplus
}
#endif
