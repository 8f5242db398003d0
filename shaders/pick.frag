// pick.frag: the triangle's number, from 1; 0 is the background.
#version 450 core
layout(location = 0) out uint id;
void main() {
  id = uint(gl_PrimitiveID) + 1u;
}
