// A framebuffer into which a picture is drawn, with one or four samples per pixel. Windows and recordings use it, so
// that pictures do not depend on the window's own framebuffer.
#pragma once
#include <stdint.h>

#include "base/error.h"

// A framebuffer for pictures of one size. Owns its OpenGL objects. Zeroed: no framebuffer.
typedef struct RenderTarget {
  int width, height;                  // pixels, size of the picture
  bool smooth;                        // true: four samples per pixel; false: one
  unsigned framebuffer;               // OpenGL framebuffer into which the picture is drawn
  unsigned color, depth;              // renderbuffers of `framebuffer`
  unsigned resolved, resolved_color;  // framebuffer and colour buffer of the finished picture, one sample per pixel
} RenderTarget;

/// Creates the framebuffer for pictures of width x height pixels, with four samples per pixel if `smooth`, otherwise
/// one. Does nothing if the present framebuffer has this size and number of samples. Needs a current OpenGL context.
bool render_target_resize(RenderTarget *target, int width, int height, bool smooth, Error *error);
void render_target_destroy(RenderTarget *target);

/// Averages the samples of each pixel and copies the picture to the window's framebuffer, which is then bound. below:
/// number of rows of pixels in the window below the picture.
bool render_target_show(const RenderTarget *target, int below, Error *error);

/// Averages the samples and reads the picture as [height][width][4] bytes RGBA, upper row first. Waits for the GPU.
bool render_target_read(const RenderTarget *target, uint8_t *rgba, Error *error);
