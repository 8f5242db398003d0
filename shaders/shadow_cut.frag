// shadow_cut.frag: as shadow.frag, without the triangles that a section between tets removes.
#version 450 core
#include "frame.glsl"
#include "cut.glsl"
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
}
