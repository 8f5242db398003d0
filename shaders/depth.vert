// depth.vert: places the body's surface as the camera sees it, for the depth map that occlusion.frag reads.
#version 450 core
#include "frame.glsl"
#include "nodes.glsl"
layout(location = 0) in int in_node;
void main() {
  gl_Position = seen(in_node, world_to_clip * vec4(point_of(in_node), 1.0));
  gl_ClipDistance[0] = section.w - dot(section.xyz, rest_point(in_node));
}
