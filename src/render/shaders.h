// The sources of the shaders, from shaders/ into the program at build time.
#pragma once

typedef struct Shader {
  const char *name, *source;  // "surface.vert"
} Shader;

extern const Shader shaders[];  // ends with a row without a name
