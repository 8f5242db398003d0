// Wall-clock time.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Seconds of a monotonic clock.
double timer_seconds(void);

/// As timer_seconds, but returns the time of the clock's last tick, at most some 10 ms ago. Takes a few nanoseconds;
/// timer_seconds takes 25 ns, on some virtual machines 200 ns. For functions that long loops call often, such as
/// interrupt_requested.
double timer_seconds_coarse(void);

/// Sleeps for this many seconds; returns at once for zero or less.
void timer_sleep(double seconds);

#ifdef __cplusplus
}
#endif
