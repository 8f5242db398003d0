// Builds shader programs: see gl_program.h.
#include "render/gl_program.h"

#include <assert.h>
#include <string.h>

#include "render/gl_check.h"
#include "render/shaders.h"

static GLenum kind_of(const char *name) {
  const char *ending = strrchr(name, '.');
  assert(ending);
  if (strcmp(ending, ".vert") == 0) return GL_VERTEX_SHADER;
  if (strcmp(ending, ".frag") == 0) return GL_FRAGMENT_SHADER;
  assert(strcmp(ending, ".comp") == 0);
  return GL_COMPUTE_SHADER;
}

static GLuint compile(const char *name, Error *error) {
  const Shader *shader = shaders;
  while (shader->name && strcmp(shader->name, name) != 0) shader++;
  assert(shader->name);
  const GLuint id = glCreateShader(kind_of(name));
  GLint ok = 0;
  glShaderSource(id, 1, &shader->source, NULL);
  glCompileShader(id);
  glGetShaderiv(id, GL_COMPILE_STATUS, &ok);
  if (ok) return id;
  char words[800] = "";
  glGetShaderInfoLog(id, sizeof words, NULL, words);
  glDeleteShader(id);
  error_set(error, "shader %s does not compile: %s", name, words);
  return 0;
}

unsigned gl_program_create(const char *first, const char *second, Error *error) {
  GLuint program = 0, parts[2] = { 0 };
  GLint ok = 0;
  parts[0] = compile(first, error);
  if (second && parts[0]) parts[1] = compile(second, error);
  if (!parts[0] || (second && !parts[1])) goto done;
  program = glCreateProgram();
  for (int k = 0; k < 2; k++)
    if (parts[k]) glAttachShader(program, parts[k]);
  glLinkProgram(program);
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  if (!ok) {
    char words[800] = "";
    glGetProgramInfoLog(program, sizeof words, NULL, words);
    error_set(error, "shader program %s does not link: %s", first, words);
  } else {
    ok = GL_CHECK("linking a shader program");
  }
  if (!ok) gl_program_destroy(&program);
done:
  for (int k = 0; k < 2; k++)
    if (parts[k]) glDeleteShader(parts[k]);
  return program;
}

void gl_program_destroy(unsigned *program) {
  if (*program) glDeleteProgram(*program);
  *program = 0;
}
