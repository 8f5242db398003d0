// Converts OpenGL errors to messages. This header also declares OpenGL itself: it includes gl_loader.h, which glad
// generates at build time.
#pragma once
#include "base/error.h"
#include "render/gl_loader.h"

/// Advice for users whose driver lacks OpenGL 4.5; messages append it in parentheses.
#define GL_BY_PROCESSOR "set LIBGL_ALWAYS_SOFTWARE=1 to draw with Mesa on the processor"

/// Call after a block of OpenGL calls. Returns true if none failed. Otherwise sets the error to a message with file,
/// line and cause, and returns false.
#define GL_CHECK(what) gl_check(__FILE__, __LINE__, what, error)
bool gl_check(const char *file, int line, const char *what, Error *error);

/// Loads OpenGL's functions for the current context and checks the version. The driver's error messages are printed as
/// notices from then on.
bool gl_load(void (*(*get_proc)(const char *name))(void), Error *error);
