// pick.vert: places the surface for the picture of triangle numbers, in which the triangle under the mouse is found.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in int in_node;
void main() {
  gl_Position = seen(in_node, world_to_clip * vec4(point_of(in_node), 1.0));
  gl_ClipDistance[0] = section.w - dot(section.xyz, rest_point(in_node));
}
