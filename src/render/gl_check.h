// Checks for OpenGL errors. Also includes OpenGL's declarations: gl_loader.h, which the program glad generates at build
// time.
#pragma once
#include "base/error.h"
#include "render/gl_loader.h"

/// Advice for users whose driver lacks OpenGL 4.5, as a part of error messages.
#define GL_BY_PROCESSOR "set LIBGL_ALWAYS_SOFTWARE=1 to draw with Mesa on the processor"

/// Must follow a block of OpenGL calls. Returns true if none of them has failed. Otherwise returns false and sets the
/// variable `error` to a message with the file, the line, the cause, and `what`, which names the failed task.
#define GL_CHECK(what) gl_check(__FILE__, __LINE__, what, error)
bool gl_check(const char *file, int line, const char *what, Error *error);

/// Loads OpenGL's functions for the current context. Fails if the context has a version below 4.5. From then on, the
/// driver's error messages are printed as notices.
bool gl_load(void (*(*get_proc)(const char *name))(void), Error *error);
