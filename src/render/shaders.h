// The shader sources of shaders/, which are embedded into the program at build time.
#pragma once

typedef struct Shader {
  const char *name, *source;  // name of the file, "surface.vert", and its text
} Shader;

extern const Shader shaders[];  // the last row has the name NULL
