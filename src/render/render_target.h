// A picture to draw into, multisampled or not, the same in a window and without one, whatever the display offers.
#pragma once
#include <stdint.h>

#include "base/error.h"

// A zeroed RenderTarget is empty. All numbers are OpenGL's names, owned.
typedef struct RenderTarget {
  int width, height;                  // pixels
  bool smooth;                        // four samples a pixel, not one
  unsigned framebuffer;               // to draw into
  unsigned color, depth;              // its buffers
  unsigned resolved, resolved_color;  // the finished picture, one sample a pixel
} RenderTarget;

/// Makes it this large, with smooth edges or not; does nothing when it is so already. Wants a current OpenGL context.
bool render_target_resize(RenderTarget *target, int width, int height, bool smooth, Error *error);
void render_target_destroy(RenderTarget *target);

/// Finishes the picture and shows it in the window's framebuffer, which is then bound.
bool render_target_show(const RenderTarget *target, Error *error);

/// Finishes the picture and reads it, [height][width][4] bytes RGBA, upper row first. Waits for it.
bool render_target_read(const RenderTarget *target, uint8_t *rgba, Error *error);
