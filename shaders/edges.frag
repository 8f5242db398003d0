// edges.frag: draws the edges of the surface's triangles as dark lines.
#version 450 core
#include "frame.glsl"
#include "cut.glsl"
in vec3 position;
in vec3 normal;
in vec3 rest;
in float value;
layout(location = 0) out vec4 color;
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
  color = vec4(0.06, 0.08, 0.11, 0.55);
}
