// surface.vert: the deformed surface. Positions and field come straight from the simulation's buffer, normals from
// normals.comp.
#version 450 core
#include "frame.glsl"
layout(location = 0) in vec3 in_position;  // m, world
layout(location = 1) in vec3 in_normal;    // unit length, outward
layout(location = 2) in float in_value;    // of the field
layout(location = 3) in vec3 in_rest;      // m
out vec3 position;
out vec3 normal;
out vec3 rest;
out float value;
void main() {
  position = in_position;
  normal = in_normal;
  value = in_value;
  rest = in_rest;
  gl_Position = world_to_clip * vec4(in_position, 1.0);
}
