// Notices to the user on standard error: "pliant: ...". Standard output is for results.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// One line for the user: something was skipped, repaired or chosen.
void log_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
