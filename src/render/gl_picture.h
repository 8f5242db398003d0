// Passes pictures to OpenGL and reads them back, and identifies the renderer.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Reads a framebuffer (0: the window's framebuffer) as [height][width][4] bytes RGBA, upper row first. Waits until
/// OpenGL has drawn the picture.
bool gl_read_picture(unsigned framebuffer, int width, int height, uint8_t *rgba, Error *error);

/// Copies a picture, [height][width][4] bytes RGBA, into a new texture. Returns OpenGL's number of the texture, or 0
/// with an error.
unsigned gl_picture_texture(const uint8_t *rgba, int width, int height, Error *error);
void gl_picture_delete(unsigned *texture);  // accepts 0; sets *texture to 0

/// Returns true if OpenGL draws on the CPU. Drawing then slows down a simulation that runs on the CPU too.
bool gl_is_software(void);

/// Returns the name of the renderer of the current OpenGL context (GL_RENDERER), such as that of a GPU or "llvmpipe".
const char *gl_renderer_name(void);
