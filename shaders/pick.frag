// pick.frag: writes the number of the surface triangle + 1 to each pixel; 0 is the background.
#version 450 core
#include "frame.glsl"
#include "cut.glsl"
layout(location = 0) out uint id;
void main() {
  if (is_cut(gl_PrimitiveID)) discard;
  id = uint(gl_PrimitiveID) + 1u;
}
