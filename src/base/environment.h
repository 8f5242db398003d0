// Environment variables of Pliant's programs. The library reads none, since its settings belong to its caller.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the value of a variable; NULL if it is not set, or after environment_ignore.
const char *environment_value(const char *name);

/// Makes environment_value return NULL for all variables, in the whole process.
void environment_ignore(void);

#ifdef __cplusplus
}
#endif
