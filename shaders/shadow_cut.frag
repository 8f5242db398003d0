// shadow_cut.frag: the same, but for the tets that the section takes away.
#version 450 core
#include "frame.glsl"
#include "cut.glsl"
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
}
