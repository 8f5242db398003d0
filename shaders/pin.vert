// pin.vert: makes a dot on each pinned node, or on each node of the selected entry.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in int node;
layout(location = 0) uniform float chosen;  // 1: a node of the selected entry, 0: a pinned node
void main() {
  gl_Position = seen(node, world_to_clip * vec4(point_of(node), 1.0));
  gl_Position.z -= 2e-4 * gl_Position.w;  // draws the dot in front of the surface
  if (dot(section.xyz, rest_point(node)) > section.w) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = (5.5 + 4.5 * chosen) * viewport.z;
}
