// Pictures back from OpenGL.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Reads a framebuffer (0: the window's), [height][width][4] bytes RGBA, upper row first. Waits for it.
bool gl_read_picture(unsigned framebuffer, int width, int height, uint8_t *rgba, Error *error);

/// Whether the processor draws, so that each pixel costs time that the body needs.
bool gl_is_software(void);

/// Who draws, in OpenGL's words (GL_RENDERER), of the current context. Valid while it lives.
const char *gl_renderer_name(void);
