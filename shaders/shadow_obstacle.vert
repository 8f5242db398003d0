// shadow_obstacle.vert: places an obstacle as the key light sees it, for the shadow map.
#version 450 core
#include "frame.glsl"
layout(location = 0) in vec3 in_position;  // m, world
void main() {
  gl_Position = world_to_light * vec4(in_position, 1.0);
}
