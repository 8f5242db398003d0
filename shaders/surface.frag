// surface.frag: the body's skin, all of it, or cut by a plane.
#version 450 core
#include "surface.glsl"
void main() {
  color = skin();
}
