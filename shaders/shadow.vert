// shadow.vert: places the surface as the key light sees it, or as it is seen from below the floor, for depth maps.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in int in_node;
layout(location = 0) uniform int from_below;
void main() {
  mat4 to_map = from_below != 0 ? world_to_foot : world_to_light;
  gl_Position = seen(in_node, to_map * vec4(point_of(in_node), 1.0));
  gl_ClipDistance[0] = section.w - dot(section.xyz, rest_point(in_node));
}
