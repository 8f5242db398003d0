// Creates the framebuffer into which a picture is drawn, and copies the picture from it: see render_target.h.
#include "render/render_target.h"

#include "render/gl_check.h"
#include "render/gl_picture.h"

enum { SAMPLES = 4 };

bool render_target_resize(RenderTarget *target, int width, int height, bool smooth, Error *error) {
  RenderTarget *t = target;
  if (t->framebuffer && t->width == width && t->height == height && t->smooth == smooth) return true;
  render_target_destroy(t);
  t->width = width;
  t->height = height;
  t->smooth = smooth;
  glCreateRenderbuffers(1, &t->color);
  glCreateRenderbuffers(1, &t->depth);
  glCreateRenderbuffers(1, &t->resolved_color);
  glNamedRenderbufferStorageMultisample(t->color, smooth ? SAMPLES : 0, GL_RGBA8, width, height);
  glNamedRenderbufferStorageMultisample(t->depth, smooth ? SAMPLES : 0, GL_DEPTH_COMPONENT24, width, height);
  glNamedRenderbufferStorage(t->resolved_color, GL_RGBA8, width, height);
  glCreateFramebuffers(1, &t->framebuffer);
  glCreateFramebuffers(1, &t->resolved);
  glNamedFramebufferRenderbuffer(t->framebuffer, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t->color);
  glNamedFramebufferRenderbuffer(t->framebuffer, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t->depth);
  glNamedFramebufferRenderbuffer(t->resolved, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t->resolved_color);
  if (!GL_CHECK("creating the picture")) {
    error_prefix(error, "a picture of %d x %d pixels", width, height);
  } else if (glCheckNamedFramebufferStatus(t->framebuffer, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE ||
             glCheckNamedFramebufferStatus(t->resolved, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    error_set(error, "OpenGL cannot draw a picture of %d x %d pixels", width, height);
  } else {
    return true;
  }
  render_target_destroy(t);
  return false;
}

void render_target_destroy(RenderTarget *target) {
  const GLuint framebuffers[] = { target->framebuffer, target->resolved };
  const GLuint buffers[] = { target->color, target->depth, target->resolved_color };
  for (int k = 0; k < 2; k++)
    if (framebuffers[k]) glDeleteFramebuffers(1, &framebuffers[k]);
  for (int k = 0; k < 3; k++)
    if (buffers[k]) glDeleteRenderbuffers(1, &buffers[k]);
  *target = (RenderTarget){ 0 };
}

// Copies a picture. Its lowest row becomes row number `below` of the target, counted from the lowest one.
static void blit(unsigned from, unsigned to, int width, int height, int below) {
  glBlitNamedFramebuffer(from, to, 0, 0, width, height, 0, below, width, below + height, GL_COLOR_BUFFER_BIT,
                         GL_NEAREST);
}

bool render_target_show(const RenderTarget *target, int below, Error *error) {
  // The samples cannot be averaged directly into the window: OpenGL averages only between two framebuffers of one
  // format, and the display chooses the format of the window. So the samples are averaged into the framebuffer
  // `resolved`, which is then copied to the window.
  blit(target->framebuffer, target->resolved, target->width, target->height, 0);
  blit(target->resolved, 0, target->width, target->height, below);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return GL_CHECK("showing the picture");
}

bool render_target_read(const RenderTarget *target, uint8_t *rgba, Error *error) {
  blit(target->framebuffer, target->resolved, target->width, target->height, 0);
  return gl_read_picture(target->resolved, target->width, target->height, rgba, error);
}
