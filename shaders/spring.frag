// spring.frag: draws springs and discs with smooth edges, and arrows without.
#version 450 core
in vec2 across;
layout(location = 0) out vec4 color;
void main() {
  float edge = length(across), width = fwidth(edge);
  color = vec4(0.05, 0.20, 0.34, 0.95 * (1.0 - smoothstep(1.0 - width, 1.0, edge)));
}
