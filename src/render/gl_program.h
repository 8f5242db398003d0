// Builds shader programs from the embedded shader sources.
#pragma once
#include "base/error.h"

/// Compiles and links the shaders with the file names `first` and `second`. The ending of a name (.vert, .frag, .comp)
/// gives the shader stage. `second` may be NULL. Returns OpenGL's number of the program, or 0 with the compiler's
/// message as error.
unsigned gl_program_create(const char *first, const char *second, Error *error);
void gl_program_destroy(unsigned *program);  // accepts 0; sets *program to 0
