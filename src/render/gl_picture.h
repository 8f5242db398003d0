// Reads pictures back from OpenGL, and identifies the renderer.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Reads a framebuffer (0: the window's framebuffer) as [height][width][4] bytes RGBA, upper row first. Waits until
/// OpenGL has drawn the picture.
bool gl_read_picture(unsigned framebuffer, int width, int height, uint8_t *rgba, Error *error);

/// Returns true if OpenGL draws on the CPU. Drawing then slows down a simulation that runs on the CPU too.
bool gl_is_software(void);

/// Returns the name of the renderer of the current OpenGL context (GL_RENDERER), such as that of a GPU or "llvmpipe".
const char *gl_renderer_name(void);
