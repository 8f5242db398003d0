// floor.vert: makes a square of the floor, centred below the body.
#version 450 core
#include "frame.glsl"
out vec3 position;
void main() {
  vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1) * ground.z;
  position = vec3(body.xy + corner, ground.x);
  gl_Position = world_to_clip * vec4(position, 1.0);
}
