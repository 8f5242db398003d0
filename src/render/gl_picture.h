// Reads pictures back from OpenGL, and identifies the renderer.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Reads a framebuffer (0: the framebuffer of the window) as [height][width][4] bytes RGBA, upper row first. Waits
/// until drawing has finished.
bool gl_read_picture(unsigned framebuffer, int width, int height, uint8_t *rgba, Error *error);

/// Returns true if OpenGL draws in software. Drawing then takes CPU time from the simulation.
bool gl_is_software(void);

/// Returns the name of the current context's renderer (GL_RENDERER). The string is valid as long as the context.
const char *gl_renderer_name(void);
