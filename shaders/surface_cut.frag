// surface_cut.frag: the surface without the triangles that a section between tets removes.
#version 450 core
#include "surface.glsl"
#include "cut.glsl"
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
  color = skin();
}
