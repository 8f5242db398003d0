// surface_cut.frag: draws the surface without the triangles of tets that a section removes.
#version 450 core
#include "surface.glsl"
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
  color = skin();
}
