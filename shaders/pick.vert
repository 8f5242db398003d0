// pick.vert: the surface once more, to see which triangle lies under the mouse.
#version 450 core
#include "frame.glsl"
layout(location = 0) in vec3 in_position;  // m, world
void main() {
  gl_Position = world_to_clip * vec4(in_position, 1.0);
}
