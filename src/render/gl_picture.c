// Passes pictures to OpenGL and reads them back: see gl_picture.h.
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

unsigned gl_picture_texture(const uint8_t *rgba, int width, int height, Error *error) {
  GLuint texture = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &texture);
  glTextureStorage2D(texture, 1, GL_RGBA8, width, height);
  glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTextureSubImage2D(texture, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  if (!GL_CHECK("copying a picture")) gl_picture_delete(&texture);
  return texture;
}

void gl_picture_delete(unsigned *texture) {
  if (*texture) glDeleteTextures(1, texture);
  *texture = 0;
}

const char *gl_renderer_name(void) {
  const char *name = (const char *)glGetString(GL_RENDERER);
  return name ? name : "unknown";
}

bool gl_is_software(void) {
  const char *name = gl_renderer_name();
  return strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SWR");
}
