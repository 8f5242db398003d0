// Environment variables of Pliant. Programs use them; the library does not, so that its caller decides.
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
