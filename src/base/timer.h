// Wall-clock time.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Seconds of a monotonic clock.
double timer_seconds(void);

/// Seconds of the same clock as of its last tick, at most some 10 ms ago. Takes a few nanoseconds, where timer_seconds
/// takes 25 or on some virtual machines 200. For functions that long loops call often: see interrupt.h.
double timer_seconds_coarse(void);

/// Sleeps for this many seconds; returns at once for zero or less.
void timer_sleep(double seconds);

#ifdef __cplusplus
}
#endif
