// pin.frag: draws a round dot with a rim.
#version 450 core
layout(location = 0) uniform float chosen;  // 1: a node of the selected entry, 0: a pinned node
layout(location = 0) out vec4 color;
void main() {
  float r = length(2.0 * gl_PointCoord - 1.0);
  if (r > 1.0) discard;
  vec3 inside = mix(vec3(0.36, 0.78, 0.95), vec3(1.0, 0.62, 0.24), chosen);
  color = vec4(r > 0.62 ? vec3(0.05, 0.10, 0.16) : inside, 1.0);
}
