// shadow.vert: the surface as the key light sees it; only depth counts.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in int in_node;
void main() {
  gl_Position = world_to_light * vec4(point_of(in_node), 1.0);
}
