// surface.frag: draws the body's surface. gl_ClipDistance clips it at a section plane, if there is one.
#version 450 core
#include "surface.glsl"
void main() {
  color = skin();
}
