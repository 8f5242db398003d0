// Builds shader programs from the embedded shader sources.
#pragma once
#include "base/error.h"

/// Compiles and links the shaders with these file names. The suffix (.vert, .frag, .comp) gives the shader stage.
/// `second` may be NULL. Returns OpenGL's number of the program. On failure returns 0, and the error has the compiler's
/// message.
unsigned gl_program_create(const char *first, const char *second, Error *error);
void gl_program_destroy(unsigned *program);  // accepts 0; sets *program to 0
