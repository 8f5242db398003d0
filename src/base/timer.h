// Wall-clock time.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the seconds of a monotonic clock.
double timer_seconds(void);

/// Returns the time of the last tick of this clock, at most some 10 ms ago. Takes a few nanoseconds, whereas
/// timer_seconds takes 25 ns, or 200 ns on some virtual machines. For functions that long loops call often.
double timer_seconds_coarse(void);

/// Sleeps for this many seconds; returns at once if the number is not above 0.
void timer_sleep(double seconds);

#ifdef __cplusplus
}
#endif
