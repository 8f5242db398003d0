// Loads OpenGL's functions, and reports OpenGL's errors: see gl_check.h.
#define GLAD_GL_IMPLEMENTATION
#include "render/gl_check.h"

#include <string.h>

#include "base/log.h"

static const char *error_name(GLenum code) {
  switch (code) {
    case GL_INVALID_ENUM:
      return "invalid enum";
    case GL_INVALID_VALUE:
      return "invalid value";
    case GL_INVALID_OPERATION:
      return "invalid operation";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "invalid framebuffer operation";
    case GL_OUT_OF_MEMORY:
      return "out of memory";
    default:
      return "unknown error";
  }
}

bool gl_check(const char *file, int line, const char *what, Error *error) {
  const GLenum code = glGetError();
  if (code == GL_NO_ERROR) return true;
  // the first error is reported; later ones are dropped
  for (int k = 0; k < 16 && glGetError() != GL_NO_ERROR; k++) continue;
  return error_set(error, "OpenGL failed (%s, line %d) while %s: %s", file, line, what, error_name(code));
}

static void GLAD_API_PTR on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                    const GLchar *message, const void *user) {
  (void)source, (void)id, (void)severity, (void)user;
  if (type == GL_DEBUG_TYPE_ERROR) log_notice("OpenGL: %.*s", length < 0 ? (int)strlen(message) : length, message);
}

bool gl_load(void (*(*get_proc)(const char *name))(void), Error *error) {
  const int version = gladLoadGL((GLADloadfunc)get_proc);
  if (version < GLAD_MAKE_VERSION(4, 5))
    return error_set(error, "OpenGL 4.5 is needed, but this driver offers %d.%d; " GL_BY_PROCESSOR,
                     GLAD_VERSION_MAJOR(version), GLAD_VERSION_MINOR(version));
  glEnable(GL_DEBUG_OUTPUT);
  glDebugMessageCallback(on_message, NULL);
  return GL_CHECK("enabling debug output");
}
