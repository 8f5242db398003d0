// Converts OpenGL errors to messages. This header also declares OpenGL's functions: it includes gl_loader.h, which the
// program glad generates at build time.
#pragma once
#include "base/error.h"
#include "render/gl_loader.h"

/// Advice for users whose driver lacks OpenGL 4.5; messages append it in parentheses.
#define GL_BY_PROCESSOR "set LIBGL_ALWAYS_SOFTWARE=1 to draw with Mesa on the processor"

/// Called after a block of OpenGL calls. Returns true if no call has failed. Otherwise sets the error to a message with
/// file, line and cause, and returns false.
#define GL_CHECK(what) gl_check(__FILE__, __LINE__, what, error)
bool gl_check(const char *file, int line, const char *what, Error *error);

/// Loads OpenGL's functions for the current context and checks the version. From then on, error messages of the driver
/// are printed as notices.
bool gl_load(void (*(*get_proc)(const char *name))(void), Error *error);
