// surface_cut.frag: the body's skin, but for the tets that the section takes away.
#version 450 core
#include "surface.glsl"
#include "cut.glsl"
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
  color = skin();
}
