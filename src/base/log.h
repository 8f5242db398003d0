// Notices to the user on standard error: "pliant: ...". Standard output is for results.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sends one line to the user: something was skipped, repaired or chosen.
void log_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// A function that receives notices, without "pliant: " and without a newline. Any thread may call it.
typedef void (*LogReceiver)(const char *line, void *context);

/// Sends all later notices of the process to a function; NULL: to standard error, as at first. Call it while no other
/// thread works.
void log_send_to(LogReceiver receiver, void *context);

// A function that receives the notices of one thread, and its context. NULL: that of log_send_to.
typedef struct LogRoute {
  LogReceiver receiver;
  void *context;
} LogRoute;

/// Sends later notices of the calling thread to another function than those of other threads. Returns the route that
/// the thread had, so that the caller can restore it.
LogRoute log_route_here(LogRoute route);

/// Switches notices of details, such as the time of each part of a cut, on or off. They are off at first.
void log_set_details(bool details);

/// Returns true if details are to be reported.
bool log_details(void);

#ifdef __cplusplus
}
#endif
