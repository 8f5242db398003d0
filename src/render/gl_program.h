// Shader programs, by the names of their files.
#pragma once
#include "base/error.h"

/// Compiles and links the shaders with these names, kinds by their endings (.vert, .frag, .comp); `second` may be NULL.
/// Returns OpenGL's name of the program, or 0 with the compiler's words.
unsigned gl_program_create(const char *first, const char *second, Error *error);
void gl_program_destroy(unsigned *program);  // takes 0, leaves 0
