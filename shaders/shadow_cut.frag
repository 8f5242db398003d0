// shadow_cut.frag: removes from a depth map the triangles of tets that a section removes.
#version 450 core
#include "frame.glsl"
#include "cut.glsl"
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
}
