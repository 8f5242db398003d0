// A framebuffer for pictures, multisampled or not. Windows and recordings use it, so pictures do not depend on the
// display's framebuffer.
#pragma once
#include <stdint.h>

#include "base/error.h"

// A zeroed RenderTarget is empty. It owns its OpenGL objects.
typedef struct RenderTarget {
  int width, height;                  // size of the pictures, pixels
  bool smooth;                        // four samples per pixel; false: one sample per pixel
  unsigned framebuffer;               // framebuffer into which pictures are drawn
  unsigned color, depth;              // renderbuffers of `framebuffer`
  unsigned resolved, resolved_color;  // framebuffer and colour buffer of the finished picture, with one sample per
                                      // pixel
} RenderTarget;

/// Sets size and multisampling. Does nothing if both are unchanged. Needs a current OpenGL context.
bool render_target_resize(RenderTarget *target, int width, int height, bool smooth, Error *error);
void render_target_destroy(RenderTarget *target);

/// Resolves the samples and copies the picture to the window's framebuffer, which is bound afterwards.
bool render_target_show(const RenderTarget *target, Error *error);

/// Resolves the samples and reads the picture as [height][width][4] bytes RGBA, upper row first. Waits for the GPU.
bool render_target_read(const RenderTarget *target, uint8_t *rgba, Error *error);
