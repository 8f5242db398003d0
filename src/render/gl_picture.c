// Reads pictures from OpenGL: see gl_picture.h.
#include "render/gl_picture.h"

#include <stddef.h>
#include <string.h>

#include "render/gl_check.h"

bool gl_read_picture(unsigned framebuffer, int width, int height, uint8_t *rgba, Error *error) {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  if (!GL_CHECK("reading the picture")) return false;
  // OpenGL stores the lowest row first, so rows are exchanged
  const size_t row = 4 * (size_t)width;
  for (int low = height - 1, high = 0; high < low; low--, high++)
    for (size_t k = 0; k < row; k++) {
      const uint8_t kept = rgba[high * row + k];
      rgba[high * row + k] = rgba[low * row + k];
      rgba[low * row + k] = kept;
    }
  return true;
}

const char *gl_renderer_name(void) {
  const char *name = (const char *)glGetString(GL_RENDERER);
  return name ? name : "unknown";
}

bool gl_is_software(void) {
  const char *name = gl_renderer_name();
  return strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SWR");
}
