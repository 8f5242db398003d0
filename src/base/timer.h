// Wall-clock time.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the seconds of a monotonic clock.
double timer_seconds(void);

/// Returns the seconds of the clock of timer_seconds, with a coarse resolution: the value is at most some 10 ms old.
/// Takes a few nanoseconds, whereas timer_seconds takes 25 ns, or 200 ns on some virtual machines. Meant for functions
/// that long loops call often.
double timer_seconds_coarse(void);

/// Sleeps for this many seconds; returns at once if the number is not above 0.
void timer_sleep(double seconds);

#ifdef __cplusplus
}
#endif
