// obstacle.vert: places a rigid obstacle, whose vertices are in world coordinates.
#version 450 core
#include "frame.glsl"
layout(location = 0) in vec3 in_position;  // m, world
layout(location = 1) in vec3 in_normal;    // unit length, outward
out vec3 position;
out vec3 normal;
void main() {
  position = in_position;
  normal = in_normal;
  gl_Position = world_to_clip * vec4(in_position, 1.0);
  gl_ClipDistance[0] = 1.0;  // a section cuts only the body
}
