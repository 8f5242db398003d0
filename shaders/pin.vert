// pin.vert: a dot on each pinned node.
#version 450 core
#include "frame.glsl"
layout(std430, binding = 0) readonly buffer Positions { float position[]; };  // [node_count][3], m
layout(std430, binding = 6) readonly buffer Rest { float rest[]; };           // likewise, at rest
layout(location = 0) in int node;
void main() {
  vec3 here = vec3(position[3 * node], position[3 * node + 1], position[3 * node + 2]);
  vec3 there = vec3(rest[3 * node], rest[3 * node + 1], rest[3 * node + 2]);
  gl_Position = world_to_clip * vec4(here, 1.0);
  gl_Position.z -= 2e-4 * gl_Position.w;  // before the surface that it lies in
  if (dot(section.xyz, there) > section.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = 5.5 * viewport.z;
}
