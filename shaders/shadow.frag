// shadow.frag: depth is written anyway, but for what the section takes away.
#version 450 core
#include "frame.glsl"
#include "cut.glsl"
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
}
