// Notices to the user, "pliant: ..." on standard error. Standard output is for results.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sends a line to the user about something that was skipped, repaired or chosen.
void log_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// A function that receives notices, without "pliant: " and newline. Any thread may call it.
typedef void (*LogReceiver)(const char *line, void *context);

/// Sends all later notices of the process to `receiver`; NULL: to standard error. No other thread may send notices
/// during the call.
void log_send_to(LogReceiver receiver, void *context);

// A function that receives the notices of one thread, and its context. If `receiver` is NULL, the thread's notices go
// to the function of log_send_to.
typedef struct LogRoute {
  LogReceiver receiver;
  void *context;
} LogRoute;

/// Sends later notices of the calling thread to the function in `route`. Returns the thread's former route, so that the
/// caller can restore it.
LogRoute log_route_here(LogRoute route);

/// Switches notices about details, such as the times of the phases of a cut, on or off; they are off at first.
void log_set_details(bool details);

/// Returns true if notices about details are on.
bool log_details(void);

#ifdef __cplusplus
}
#endif
