// Access to environment variables for Pliant's programs. The library libpliant reads none, since its caller decides
// about all settings; it calls environment_ignore.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the value of a variable; NULL if it is not set, or after environment_ignore.
const char *environment_value(const char *name);

/// Returns true after environment_ignore.
bool environment_ignored(void);

/// Makes environment_value return NULL for all variables, in the whole process.
void environment_ignore(void);

#ifdef __cplusplus
}
#endif
