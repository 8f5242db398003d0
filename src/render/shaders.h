// The shader sources of the folder shaders/, which the build embeds into the program.
#pragma once

typedef struct Shader {
  const char *name, *source;  // file name, such as "surface.vert", and text
} Shader;

extern const Shader shaders[];  // the last row has the name NULL
