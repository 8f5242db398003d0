// surface.frag: the body's surface, whole or clipped by a smooth section.
#version 450 core
#include "surface.glsl"
void main() {
  color = skin();
}
