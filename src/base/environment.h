// Environment variables of Pliant. Only the programs read them. The library reads none, since its settings belong to
// its caller.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the value of a variable, or NULL if it is not set or environment_ignore was called.
const char *environment_value(const char *name);

/// Ignores all variables from now on, in the whole process.
void environment_ignore(void);

#ifdef __cplusplus
}
#endif
